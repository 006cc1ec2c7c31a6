// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_node_writer.h"

#include <sstream>

#include "ir/module.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {

bool IsPrintedInline(const SDNode& node) {
  return node.num_operands() == 0 && node.num_values() == 1 && !node.use_empty() && node.flags() == 0 &&
         node.ir_order() == 0 && !node.has_debug_value() && node.debug_loc() == MachineInstr::kNoDebugLoc &&
         !node.HasGlueResult() && node.payload_kind() != NodePayload::kIntrinsic &&
         node.payload_kind() != NodePayload::kMemory && (node.properties() & NodeProperty::kNoCse) == 0 &&
         (!node.is_machine_opcode() || static_cast<const MachineSDNode&>(node).memoperands().empty());
}

DagNodeWriter::DagNodeWriter(const MachineFunction& function, TextSink& sink, const NodeNumbers* numbers)
    : function_(function), sink_(sink), numbers_(numbers), parts_(function, {}, InstrWriter::Form::kDump, sink) {}

void DagNodeWriter::WriteReference(SDValue value) {
  sink_.Put('t');
  const auto found = numbers_ == nullptr ? NodeNumbers::const_iterator() : numbers_->find(value->id());
  if (numbers_ != nullptr && found != numbers_->end()) {
    sink_.PutInt(found->second);
  } else if (value->node_id() >= 0) {
    sink_.PutInt(value->node_id());
  } else {
    sink_.PutInt(value->id());
  }
  if (value.resno() == 0) return;
  sink_.Put(':');
  sink_.PutInt(value.resno());
}

void DagNodeWriter::WriteTypes(const SDNode& node) {
  for (unsigned i = 0; i < node.num_values(); ++i) {
    if (i != 0) sink_.Put(',');
    sink_.Put(Name(node.value_type(i)));
  }
}

void DagNodeWriter::WriteName(const SDNode& node) {
  if (const auto* code = DynCast<CondCodeSDNode>(&node)) {
    sink_.Put(Name(code->code()));
  } else if (const auto* intrinsic = DynCast<IntrinsicSDNode>(&node)) {
    sink_.Put(intrinsic->intrinsic_name());
  } else {
    sink_.Put(node.name());
  }
}

void DagNodeWriter::WriteFlags(const SDNode& node) {
  for (const FlagName& flag : kFlagNames) {
    if (!node.HasFlag(flag.flag)) continue;
    sink_.Put(' ');
    sink_.Put(flag.name);
  }
}

void DagNodeWriter::WriteLine(const SDNode& node) {
  WriteReference({const_cast<SDNode*>(&node), 0});
  sink_.Put(": ");
  WriteTypes(node);
  sink_.Put(" = ");
  WriteName(node);
  WriteFlags(node);
  WritePayload(node);
  if (node.ir_order() != 0) {
    sink_.Put(" [ORD=");
    sink_.PutInt(node.ir_order());
    sink_.Put(']');
  }
  if (node.is_divergent()) sink_.Put(" # D:1");
  for (unsigned i = 0; i < node.num_operands(); ++i) {
    sink_.Put(i == 0 ? " " : ", ");
    WriteOperand(node.operand(i));
  }
  if (node.debug_loc() == MachineInstr::kNoDebugLoc) return;
  sink_.Put(node.num_operands() == 0 ? " debug-location " : ", debug-location ");
  parts_.WriteMetadata(node.debug_loc());
}

void DagNodeWriter::WriteRoot(SDValue root) {
  sink_.Put("root: ");
  WriteReference(root);
}

void DagNodeWriter::WriteDebugValue(const SDDbgValue& value, MetadataId debug_loc) {
  sink_.Put("DBG_VALUE ");
  if (value.loc.order != 0) {
    sink_.Put("[ORD=");
    sink_.PutInt(value.loc.order);
    sink_.Put("] ");
  }
  if (value.value) {
    WriteReference(value.value);
  } else {
    parts_.WriteValue(value.location);
  }
  sink_.Put(value.is_indirect ? ", 0, " : ", $noreg, ");
  parts_.WriteMetadata(value.variable);
  sink_.Put(", ");
  parts_.WriteMetadata(value.expression);
  if (debug_loc == MachineInstr::kNoDebugLoc) return;
  sink_.Put(", debug-location ");
  parts_.WriteMetadata(debug_loc);
}

void DagNodeWriter::WriteOperand(SDValue value) {
  if (!value) {
    sink_.Put("<null>");
    return;
  }
  // A leaf has only result 0. A nonexistent result must be written with its number.
  if (!IsPrintedInline(*value.node()) || value.resno() != 0) {
    WriteReference(value);
    return;
  }
  WriteName(*value.node());
  sink_.Put(':');
  WriteTypes(*value.node());
  WritePayload(*value.node());
}

void DagNodeWriter::WriteSymbol(SymbolId symbol) {
  sink_.Put('\'');
  sink_.Put(Escape(function_.symbol(symbol)));
  sink_.Put('\'');
}

// In LLVM's form: " 0", " + 12", " -4".
void DagNodeWriter::WriteOffset(int64_t offset) {
  sink_.Put(offset > 0 ? " + " : " ");
  sink_.PutInt(offset);
}

void DagNodeWriter::WriteConstant(const ConstantSDNode& node) {
  sink_.Put('<');
  const absl::int128 value = node.SExtValue128();
  if (value >= INT64_MIN && value <= INT64_MAX) {
    sink_.PutInt(static_cast<int64_t>(value));
  } else {
    std::ostringstream text;
    text << value;
    sink_.Put(std::string_view(text.str()));
  }
  sink_.Put('>');
}

void DagNodeWriter::WriteGlobal(const GlobalAddressSDNode& node) {
  sink_.Put("<ptr ");
  const Module* module = function_.module();
  if (module != nullptr && module->HasGlobal(node.global())) {
    if (const uint32_t space = module->global_value(node.global()).address_space; space != 0) {
      sink_.Put("addrspace(");
      sink_.PutInt(space);
      sink_.Put(") ");
    }
  }
  parts_.WriteGlobal(node.global());
  sink_.Put('>');
  WriteOffset(node.offset());
  if (node.target_flags() == 0) return;
  sink_.Put(" [TF=");
  sink_.PutInt(node.target_flags());
  sink_.Put(']');
}

void DagNodeWriter::WriteMemory(const MemSDNode& node) {
  if (node.memoperand() == nullptr) return;
  sink_.Put('<');
  parts_.WriteMemOperand(*node.memoperand());
  static constexpr std::string_view kExtNames[] = {"", ", anyext from ", ", sext from ", ", zext from "};
  if (node.ext() != LoadExt::kNone) {
    sink_.Put(kExtNames[static_cast<int>(node.ext())]);
    sink_.Put(node.memory_type().Name());
  } else if (node.is_truncating()) {
    sink_.Put(", trunc to ");
    sink_.Put(node.memory_type().Name());
  } else if (node.memory_type() != DefaultMemoryType(node.opcode(), node.value_type(0),
                                                     node.num_operands() > 1 ? node.operand(1).type() : MVT::kOther)) {
    sink_.Put(", memory ");
    sink_.Put(node.memory_type().Name());
  }
  sink_.Put('>');
}

void DagNodeWriter::WriteMachineMemory(const MachineSDNode& node) {
  if (node.memoperands().empty()) return;
  std::string_view separator = "<Mem:";
  for (const MachineMemOperand* memoperand : node.memoperands()) {
    sink_.Put(separator);
    parts_.WriteMemOperand(*memoperand);
    separator = " ";
  }
  sink_.Put('>');
}

void DagNodeWriter::WriteMask(const ShuffleVectorSDNode& node) {
  std::string_view separator = "<";
  for (const int16_t element : node.mask()) {
    sink_.Put(separator);
    separator = ",";
    if (element < 0) {
      sink_.Put('u');
    } else {
      sink_.PutInt(element);
    }
  }
  sink_.Put('>');
}

void DagNodeWriter::WritePayload(const SDNode& node) {
  const auto put_number = [this](std::string_view before, auto number) {
    sink_.Put(before);
    sink_.PutInt(number);
    sink_.Put('>');
  };
  switch (node.payload_kind()) {
    case NodePayload::kNone:
    case NodePayload::kCondCode:
      break;
    case NodePayload::kConstant:
      WriteConstant(static_cast<const ConstantSDNode&>(node));
      break;
    case NodePayload::kConstantFP:
      sink_.Put('<');
      sink_.Put(FPText(static_cast<const ConstantFPSDNode&>(node).bits(), node.value_type(0)));
      sink_.Put('>');
      break;
    case NodePayload::kGlobal:
      WriteGlobal(static_cast<const GlobalAddressSDNode&>(node));
      break;
    case NodePayload::kFrameIndex:
      put_number("<", static_cast<const FrameIndexSDNode&>(node).index());
      break;
    case NodePayload::kJumpTable:
      put_number("<", static_cast<const JumpTableSDNode&>(node).index());
      break;
    case NodePayload::kConstantPool:
      put_number("<%const.", static_cast<const ConstantPoolSDNode&>(node).index());
      WriteOffset(static_cast<const ConstantPoolSDNode&>(node).offset());
      break;
    case NodePayload::kRegister:
      sink_.Put(' ');
      parts_.WriteRegister(static_cast<const RegisterSDNode&>(node).reg());
      break;
    case NodePayload::kBlock:
      put_number("<%bb.", static_cast<const BasicBlockSDNode&>(node).target());
      break;
    case NodePayload::kExternalSymbol:
    case NodePayload::kBlockAddress:
      WriteSymbol(static_cast<const ExternalSymbolSDNode&>(node).symbol());
      break;
    case NodePayload::kMetadata: {
      const MetadataId metadata = static_cast<const MDNodeSDNode&>(node).metadata();
      sink_.Put('<');
      if (metadata == MDNodeSDNode::kNull) {
        sink_.Put("null");
      } else {
        parts_.WriteMetadata(metadata);
      }
      sink_.Put('>');
      break;
    }
    case NodePayload::kValueType:
      sink_.Put(':');
      sink_.Put(static_cast<const VTSDNode&>(node).type().Name());
      break;
    case NodePayload::kMemory:
    case NodePayload::kIntrinsic:
      WriteMemory(AsMemSDNode(node));
      break;
    case NodePayload::kAddrSpaceCast: {
      const auto& cast = static_cast<const AddrSpaceCastSDNode&>(node);
      sink_.Put('[');
      sink_.PutInt(cast.source_space());
      sink_.Put(" -> ");
      sink_.PutInt(cast.target_space());
      sink_.Put(']');
      break;
    }
    case NodePayload::kShuffle:
      WriteMask(static_cast<const ShuffleVectorSDNode&>(node));
      break;
    case NodePayload::kAlign:
      put_number("<", uint64_t{1} << static_cast<const AssertAlignSDNode&>(node).align_log2());
      break;
    case NodePayload::kMachine:
      WriteMachineMemory(static_cast<const MachineSDNode&>(node));
      break;
  }
}

}  // namespace ptxmir::sdag
