// SPDX-License-Identifier: Apache-2.0

#include "ir/text/instruction_writer.h"

#include <charconv>

#include "ir/ir_text.h"

namespace ptxmir::ir {

void InstructionWriter::Number(uint64_t number) {
  char buffer[20];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), number);
  out_->append(buffer, static_cast<size_t>(end.ptr - buffer));
}

void InstructionWriter::Type(const IrType* type) { type->AppendTo(out_); }

void InstructionWriter::WriteBlockName(const BasicBlock& block, char sigil) {
  if (block.name() != 0) {
    const size_t begin = out_->size();
    AppendIrName(sigil == '\0' ? '%' : sigil, function_.name(block.name()), out_);
    if (sigil == '\0') out_->erase(begin, 1);
    return;
  }
  if (sigil != '\0') out_->push_back(sigil);
  Number(block.slot());
}

void InstructionWriter::Operand(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kArgument: {
      const auto& argument = static_cast<const Argument&>(value);
      const IrParameter& parameter = function_.signature().parameters[argument.number()];
      if (!parameter.name.empty()) return AppendIrName('%', parameter.name, out_);
      out_->push_back('%');
      return Number(parameter.slot);
    }
    case Value::Kind::kBlock:
      return WriteBlockName(static_cast<const BasicBlock&>(value), '%');
    case Value::Kind::kInstruction: {
      const auto& instruction = static_cast<const Instruction&>(value);
      if (instruction.name() != 0) return AppendIrName('%', function_.name(instruction.name()), out_);
      out_->push_back('%');
      return Number(instruction.slot());
    }
    case Value::Kind::kConstant: {
      const IrConstant& constant = static_cast<const ConstantValue&>(value).constant();
      if (constant.kind == IrConstant::Kind::kInteger && constant.words.size() == 1 &&
          value.type()->integer_width() > 1) {
        const int64_t number = constant.SExtValue();
        if (number < 0) out_->push_back('-');
        return Number(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number));
      }
      out_->append(ToString(program_.module(), constant));
      return;
    }
    case Value::Kind::kMetadata:
      return Metadata(static_cast<const MetadataValue&>(value).node());
    case Value::Kind::kInlineAsm:
      return Callee(value);
    case Value::Kind::kPlaceholder:
      out_->append("<placeholder>");
      return;
  }
}

void InstructionWriter::TypedOperand(const Value& value) {
  Type(value.type());
  out_->push_back(' ');
  Operand(value);
}

void InstructionWriter::TypedUse(const Use& use) {
  if (use.is_metadata()) out_->append("metadata ");
  TypedOperand(use.value());
}

void InstructionWriter::Label(const Value& block) {
  out_->append("label ");
  Operand(block);
}

void InstructionWriter::Flags(const Instruction& instruction) {
  uint32_t flags = instruction.flags();
  if ((flags & kFastMath) == kFastMath) {
    out_->append(" fast");
    flags &= ~uint32_t{kFastMath};
  }
  if ((flags & kInBounds) != 0) flags &= ~uint32_t{kNoUnsignedSignedWrap};
  for (uint32_t flag = 1; flag <= flags; flag <<= 1) {
    if ((flags & flag) == 0) continue;
    out_->push_back(' ');
    out_->append(FlagWord(static_cast<InstructionFlag>(flag)));
  }
}

// Appends the operands from `first` on, each with its type.
void InstructionWriter::List(const Instruction& instruction, unsigned first) {
  for (unsigned i = first; i < instruction.num_operands(); ++i) {
    out_->append(i == first ? " " : ", ");
    TypedOperand(instruction.operand(i));
  }
}

void InstructionWriter::Metadata(MetadataRef node) {
  if (node.is_inline()) {
    out_->append(program_.metadata_text(node));
    return;
  }
  out_->push_back('!');
  Number(node.node());
}

void InstructionWriter::Write(const Instruction& instruction) {
  if (instruction.is_debug_record()) return Record(instruction);
  if (!instruction.type()->is_void()) {
    Operand(instruction);
    out_->append(" = ");
  }
  if (instruction.opcode() == Opcode::kCall) {
    constexpr std::string_view kTails[] = {"", "tail ", "musttail ", "notail "};
    out_->append(kTails[static_cast<size_t>(instruction.tail_kind())]);
  }
  out_->append(OpcodeWord(instruction.opcode()));
  if (instruction.ordering() != AtomicOrdering::kNotAtomic &&
      (instruction.opcode() == Opcode::kLoad || instruction.opcode() == Opcode::kStore)) {
    out_->append(" atomic");
  }
  if (instruction.flags() != 0) Flags(instruction);
  Body(instruction);
  Attachments(instruction);
}

void InstructionWriter::Body(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (IsBinary(opcode) || opcode == Opcode::kICmp || opcode == Opcode::kFCmp) {
    out_->push_back(' ');
    if (!IsBinary(opcode)) {
      out_->append(PredicateWord(instruction.predicate()));
      out_->push_back(' ');
    }
    TypedOperand(instruction.operand(0));
    out_->append(", ");
    return Operand(instruction.operand(1));
  }
  if (IsCast(opcode)) {
    List(instruction, 0);
    out_->append(" to ");
    return Type(instruction.type());
  }
  switch (opcode) {
    case Opcode::kRet:
      if (instruction.num_operands() == 0) out_->append(" void");
      return List(instruction, 0);
    case Opcode::kBr:
      return Br(instruction);
    case Opcode::kSwitch:
      return Switch(instruction);
    case Opcode::kPhi:
      return Phi(instruction);
    case Opcode::kCall:
      return Call(instruction);
    case Opcode::kAlloca:
      return Alloca(instruction);
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kFence:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return Access(instruction);
    case Opcode::kGetElementPtr:
      out_->push_back(' ');
      Type(instruction.source_type());
      out_->push_back(',');
      return List(instruction, 0);
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      List(instruction, 0);
      return Indices(instruction);
    case Opcode::kVAArg:
      List(instruction, 0);
      out_->append(", ");
      return Type(instruction.type());
    default:
      return List(instruction, 0);
  }
}

void InstructionWriter::Br(const Instruction& instruction) {
  out_->push_back(' ');
  for (unsigned i = 0; i < instruction.num_operands(); ++i) {
    if (i > 0) out_->append(", ");
    const Value& operand = instruction.operand(i);
    operand.is_block() ? Label(operand) : TypedOperand(operand);
  }
}

void InstructionWriter::Switch(const Instruction& instruction) {
  out_->push_back(' ');
  TypedOperand(instruction.operand(0));
  out_->append(", ");
  Label(instruction.operand(1));
  out_->append(" [");
  for (unsigned i = 2; i < instruction.num_operands(); i += 2) {
    out_->append("\n    ");
    TypedOperand(instruction.operand(i));
    out_->append(", ");
    Label(instruction.operand(i + 1));
  }
  out_->append("\n  ]");
}

void InstructionWriter::Phi(const Instruction& instruction) {
  out_->push_back(' ');
  Type(instruction.type());
  for (unsigned i = 0; i < instruction.num_incoming(); ++i) {
    out_->append(i == 0 ? " [ " : ", [ ");
    Operand(instruction.incoming_value(i));
    out_->append(", ");
    Operand(instruction.incoming_block(i));
    out_->append(" ]");
  }
}

void InstructionWriter::Align(const Instruction& instruction) {
  if (instruction.align() == 0) return;
  out_->append(", align ");
  Number(instruction.align());
}

void InstructionWriter::Alloca(const Instruction& instruction) {
  out_->push_back(' ');
  Type(instruction.source_type());
  const Value& count = instruction.operand(0);
  const bool is_one = count.is_constant() && count.type()->is_integer(32) &&
                      static_cast<const ConstantValue&>(count).constant().is_integer() &&
                      static_cast<const ConstantValue&>(count).constant().ZExtValue() == 1;
  if (!is_one) {
    out_->append(", ");
    TypedOperand(count);
  }
  Align(instruction);
  if (instruction.type()->address_space() != 0) {
    out_->append(", addrspace(");
    Number(instruction.type()->address_space());
    out_->push_back(')');
  }
}

// Appends the scope and the orderings of an atomic instruction.
void InstructionWriter::Atomic(const Instruction& instruction) {
  if (instruction.ordering() == AtomicOrdering::kNotAtomic) return;
  if (instruction.sync_scope() != 0) {
    out_->append(" syncscope(\"");
    out_->append(program_.sync_scope(instruction.sync_scope()));
    out_->append("\")");
  }
  out_->push_back(' ');
  out_->append(OrderingWord(instruction.ordering()));
  if (instruction.opcode() != Opcode::kCmpXchg) return;
  out_->push_back(' ');
  out_->append(OrderingWord(instruction.failure_ordering()));
}

void InstructionWriter::Access(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kLoad) {
    out_->push_back(' ');
    Type(instruction.type());
    out_->push_back(',');
  }
  if (instruction.opcode() == Opcode::kAtomicRMW) {
    out_->push_back(' ');
    out_->append(OperationWord(instruction.operation()));
  }
  List(instruction, 0);
  Atomic(instruction);
  Align(instruction);
}

void InstructionWriter::Indices(const Instruction& instruction) {
  for (const uint32_t index : instruction.indices()) {
    out_->append(", ");
    Number(index);
  }
}

void InstructionWriter::Attributes(AttributeSetId id, std::string_view before, std::string_view after) {
  if (id == 0) return;
  out_->append(before);
  out_->append(program_.attribute_set(id).text);
  out_->append(after);
}

void InstructionWriter::Callee(const Value& callee) {
  if (!callee.is_inline_asm()) return Operand(callee);
  const auto& assembly = static_cast<const InlineAsm&>(callee);
  out_->append("asm ");
  if (assembly.has_flag(InlineAsm::kSideEffect)) out_->append("sideeffect ");
  if (assembly.has_flag(InlineAsm::kAlignStack)) out_->append("alignstack ");
  if (assembly.has_flag(InlineAsm::kIntelDialect)) out_->append("inteldialect ");
  if (assembly.has_flag(InlineAsm::kUnwind)) out_->append("unwind ");
  out_->push_back('"');
  out_->append(assembly.text());
  out_->append("\", \"");
  out_->append(assembly.constraints());
  out_->push_back('"');
}

void InstructionWriter::Call(const Instruction& instruction) {
  const CallDetail& call = instruction.call();
  out_->push_back(' ');
  if (const std::string_view name = CallingConventionName(call.calling_convention); !name.empty()) {
    out_->append(name);
    out_->push_back(' ');
  } else if (call.calling_convention != calling_convention::kC) {
    out_->append("cc ");
    Number(call.calling_convention);
    out_->push_back(' ');
  }
  Attributes(call.return_attributes, "", " ");
  if (call.address_space != 0) {
    out_->append("addrspace(");
    Number(call.address_space);
    out_->append(") ");
  }
  Type(call.states_function_type ? call.function_type : call.function_type->return_type());
  out_->push_back(' ');
  Callee(instruction.callee());
  out_->push_back('(');
  for (unsigned i = 0; i < call.num_arguments; ++i) {
    if (i > 0) out_->append(", ");
    const Use& use = instruction.use(i);
    if (use.is_metadata() || use.value().is_metadata()) {
      TypedUse(use);
      continue;
    }
    Type(use.value().type());
    if (!call.argument_attributes.empty()) Attributes(call.argument_attributes[i], " ", "");
    out_->push_back(' ');
    Operand(use.value());
  }
  out_->push_back(')');
  Attributes(call.function_attributes, " ", "");
  Bundles(instruction);
}

void InstructionWriter::Bundles(const Instruction& instruction) {
  const absl::Span<const OperandBundle> bundles = instruction.call().bundles;
  if (bundles.empty()) return;
  for (const OperandBundle& bundle : bundles) {
    out_->append(&bundle == bundles.data() ? " [ \"" : ", \"");
    out_->append(bundle.tag);
    out_->append("\"(");
    for (unsigned i = 0; i < bundle.count; ++i) {
      if (i > 0) out_->append(", ");
      TypedUse(instruction.use(bundle.first + i));
    }
    out_->push_back(')');
  }
  out_->append(" ]");
}

void InstructionWriter::Attachments(const Instruction& instruction) {
  if (!instruction.debug_loc().is_none()) {
    out_->append(", !dbg ");
    Metadata(instruction.debug_loc());
  }
  for (const Attachment& attachment : instruction.attachments()) {
    out_->append(", !");
    AppendIrMetadataName(program_.metadata_kind(attachment.kind), out_);
    out_->push_back(' ');
    Metadata(attachment.node);
  }
}

void InstructionWriter::RecordValues(const Instruction& record, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0) out_->append(", ");
    TypedOperand(record.operand(first + i));
  }
}

void InstructionWriter::Record(const Instruction& record) {
  const DebugRecordDetail& detail = record.record();
  out_->push_back('#');
  out_->append(OpcodeWord(record.opcode()));
  out_->push_back('(');
  const bool is_assign = record.opcode() == Opcode::kDbgAssign;
  const bool has_address = is_assign && detail.raw_address.is_none();
  const unsigned num_values = record.num_operands() - (has_address ? 1 : 0);
  if (record.opcode() != Opcode::kDbgLabel) {
    if (detail.is_list) out_->append("!DIArgList(");
    if (detail.raw_location.is_none()) {
      RecordValues(record, 0, num_values);
    } else {
      Metadata(detail.raw_location);
    }
    out_->append(detail.is_list ? "), " : ", ");
  }
  Metadata(detail.variable);
  if (record.opcode() != Opcode::kDbgLabel) {
    out_->append(", ");
    Metadata(detail.expression);
  }
  if (is_assign) {
    out_->append(", ");
    Metadata(detail.assignment);
    out_->append(", ");
    has_address ? TypedOperand(record.operand(num_values)) : Metadata(detail.raw_address);
    out_->append(", ");
    Metadata(detail.address_expression);
  }
  out_->append(", ");
  Metadata(detail.location);
  out_->push_back(')');
}

}  // namespace ptxmir::ir
