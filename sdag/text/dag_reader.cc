// SPDX-License-Identifier: Apache-2.0

#include "sdag/text/dag_reader.h"

#include <utility>

#include "base/str_cat.h"
#include "mir/text/block_line_reader.h"
#include "ptx/target/ptx_target.h"
#include "sdag/text/dag_line_reader.h"
#include "sdag/text/dag_text.h"

namespace ptxmir::sdag {
namespace {

// Returns the intrinsic opcode that results and operands imply. With a chain as first operand, it depends on
// whether there is a value.
int16_t IntrinsicOpcode(absl::Span<const MVT> types, absl::Span<const SDValue> operands) {
  if (operands.empty() || !IsChain(operands[0])) return isd::kIntrinsicWOChain;
  for (const MVT type : types) {
    if (!IsToken(type)) return isd::kIntrinsicWChain;
  }
  return isd::kIntrinsicVoid;
}

}  // namespace

// Making nodes.

bool DagLineReader::ResolveReferences() {
  const auto resolve = [this](Operand& operand) {
    if (!operand.is_reference) return true;
    const auto found = line_of_number_.find(operand.number);
    if (found == line_of_number_.end()) {
      Error(operand.position, StrCat("use of undefined value 't", operand.number, "'"));
      return false;
    }
    operand.line = found->second;
    const Line& line = lines_[operand.line];
    if (line.state == Line::State::kBroken) return false;
    if (operand.resno < line.num_types) return true;
    Error(operand.position,
          StrCat("t", operand.number, " has ", line.num_types, line.num_types == 1 ? " result" : " results",
                 ", there is no result ", operand.resno));
    return false;
  };
  bool ok = !has_root_ || resolve(root_);
  for (DebugLine& line : debug_lines_) ok &= resolve(line.value);
  for (const Line& line : lines_) {
    if (line.state == Line::State::kBroken) continue;
    for (uint32_t i = 0; i < line.num_operands; ++i) ok &= resolve(operands_[line.first_operand + i]);
    if (file().diagnostics.limit_reached()) return false;
  }
  return ok;
}

bool DagLineReader::MakeNodes(SelectionDAG& dag) {
  for (uint32_t i = 0; i < lines_.size(); ++i) {
    if (!MakeNode(dag, i)) return false;
  }
  return true;
}

// Makes the node of a line, and before it the nodes on later lines to which it refers.
bool DagLineReader::MakeNode(SelectionDAG& dag, uint32_t index) {
  struct Frame {
    uint32_t line;
    uint32_t next_operand;
  };
  if (lines_[index].state != Line::State::kNew) return true;
  std::vector<Frame> stack = {{index, 0}};
  lines_[index].state = Line::State::kOpen;
  std::vector<SDValue> operands;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    Line& line = lines_[frame.line];
    if (frame.next_operand < line.num_operands) {
      const Operand& operand = operands_[line.first_operand + frame.next_operand++];
      if (!operand.is_reference || lines_[operand.line].state == Line::State::kDone) continue;
      if (lines_[operand.line].state == Line::State::kOpen) {
        Error(operand.position, StrCat("t", operand.number, " depends on itself"));
        return false;
      }
      lines_[operand.line].state = Line::State::kOpen;
      stack.push_back({operand.line, 0});
      continue;
    }
    operands.clear();
    for (uint32_t i = 0; i < line.num_operands; ++i) {
      const Operand& operand = operands_[line.first_operand + i];
      operands.push_back(operand.is_reference ? SDValue(lines_[operand.line].node, operand.resno) : operand.leaf);
    }
    line.node = MakeChecked(dag, line, operands).node();
    if (line.node == nullptr) return false;
    line.state = Line::State::kDone;
    stack.pop_back();
  }
  return true;
}

SDValue DagLineReader::MakeLeaf(SelectionDAG& dag, const Line& line, MVT type) {
  const NodeDesc& desc = Desc(line.opcode);
  const bool is_target = (desc.properties & NodeProperty::kTarget) != 0;
  const auto index = static_cast<uint32_t>(line.low);
  switch (desc.payload) {
    case NodePayload::kConstant:
      return dag.GetConstant(absl::MakeUint128(line.high, line.low), type, is_target);
    case NodePayload::kConstantFP:
      return dag.GetConstantFP(line.low, type, is_target);
    case NodePayload::kGlobal:
      return dag.GetGlobalAddress(index, type, line.offset, is_target, static_cast<uint32_t>(line.high));
    case NodePayload::kFrameIndex:
      return dag.GetFrameIndex(static_cast<int>(index), type, is_target);
    case NodePayload::kJumpTable:
      return dag.GetJumpTable(index, type, is_target);
    case NodePayload::kConstantPool:
      return dag.GetConstantPool(index, type, line.offset, is_target);
    case NodePayload::kRegister:
      return dag.GetRegister(Register::FromBits(index), type);
    case NodePayload::kBlock:
      return dag.GetBasicBlock(index);
    case NodePayload::kBlockAddress:
      return dag.GetBlockAddress(function_.symbol(index), type, is_target);
    case NodePayload::kExternalSymbol:
      return line.opcode == isd::kMCSymbol ? dag.GetMCSymbol(function_.symbol(index), type)
                                           : dag.GetExternalSymbol(function_.symbol(index), type, is_target);
    case NodePayload::kMetadata:
      return dag.GetMDNode(index);
    case NodePayload::kCondCode:
      return dag.GetCondCode(static_cast<CondCode>(line.low));
    case NodePayload::kValueType:
      return dag.GetValueType(EVT::FromRaw(static_cast<uint16_t>(line.low)));
    default:
      return SDValue();
  }
}

SDValue DagLineReader::MakeMemoryNode(SelectionDAG& dag, const Line& line, absl::Span<const MVT> types,
                                      absl::Span<const SDValue> operands) {
  const MachineMemOperand* memoperand = line.num_memoperands == 0 ? nullptr : memoperands_[line.first_memoperand];
  if (line.is_intrinsic) {
    return dag.GetIntrinsic(IntrinsicOpcode(types, operands), function_.symbol(static_cast<SymbolId>(line.low)),
                            line.loc, types, operands, line.memory_type, memoperand, line.flags);
  }
  const MVT second = operands.size() > 1 ? operands[1].type() : MVT::kOther;
  const EVT memory_type = line.has_memory_type ? line.memory_type : DefaultMemoryType(line.opcode, types[0], second);
  return dag.GetMemNode(line.opcode, line.loc, types, operands, memory_type, memoperand, line.ext, line.is_truncating,
                        line.flags);
}

SDValue DagLineReader::MakeWithPayload(SelectionDAG& dag, const Line& line, absl::Span<const MVT> types,
                                       absl::Span<const SDValue> operands) {
  const auto operand = [&](size_t i) { return i < operands.size() ? operands[i] : SDValue(); };
  switch (Desc(line.opcode).payload) {
    case NodePayload::kMemory:
      return MakeMemoryNode(dag, line, types, operands);
    case NodePayload::kAddrSpaceCast:
      return dag.GetAddrSpaceCast(line.loc, types[0], operand(0), static_cast<unsigned>(line.low),
                                  static_cast<unsigned>(line.high));
    case NodePayload::kShuffle:
      return dag.GetVectorShuffle(line.loc, types[0], operand(0), operand(1),
                                  absl::MakeConstSpan(masks_).subspan(line.first_mask, line.num_mask));
    case NodePayload::kAlign:
      return dag.GetAssertAlign(line.loc, operand(0), static_cast<uint8_t>(line.low));
    case NodePayload::kExternalSymbol:
      return dag.GetLabel(line.opcode, line.loc, operand(0), function_.symbol(static_cast<SymbolId>(line.low)));
    default:
      return SDValue();
  }
}

SDValue DagLineReader::Make(SelectionDAG& dag, const Line& line, absl::Span<const SDValue> operands) {
  const auto types = absl::MakeConstSpan(types_).subspan(line.first_type, line.num_types);
  SDValue value;
  if (line.is_intrinsic) {
    value = MakeMemoryNode(dag, line, types, operands);
  } else if (line.opcode < 0) {
    const auto memoperands = absl::MakeConstSpan(memoperands_).subspan(line.first_memoperand, line.num_memoperands);
    value = {dag.GetMachineNode(static_cast<Opcode>(~line.opcode), line.loc, types, operands, memoperands, line.flags),
             0};
  } else if (line.opcode == isd::kEntryToken) {
    return dag.EntryToken();
  } else if (Desc(line.opcode).payload == NodePayload::kNone) {
    value = dag.GetNode(line.opcode, line.loc, types, operands, line.flags);
  } else if (operands.empty() && types.size() == 1) {
    value = MakeLeaf(dag, line, types[0]);
    if (!value) value = MakeWithPayload(dag, line, types, operands);
  } else {
    value = MakeWithPayload(dag, line, types, operands);
  }
  if (line.is_divergent && line.opcode == isd::kCopyFromReg && operands.size() > 1) {
    if (const auto* reg = DynCast<RegisterSDNode>(operands[1])) {
      dags_.SetDivergent(reg->reg());
      sets_divergence_ = true;
    }
  }
  return value;
}

// Makes a node, or reports an error if the node cannot have the results that the line gives. Nodes with a payload
// have a fixed form.
SDValue DagLineReader::MakeChecked(SelectionDAG& dag, const Line& line, absl::Span<const SDValue> operands) {
  const SDValue value = Make(dag, line, operands);
  if (line.opcode == isd::kEntryToken && operands.empty()) return value;
  const auto types = absl::MakeConstSpan(types_).subspan(line.first_type, line.num_types);
  if (value && (line.is_intrinsic || value.opcode() == line.opcode) && value->num_operands() == operands.size() &&
      value->value_types() == types) {
    return value;
  }
  Error(line.position,
        StrCat("'", Desc(line.opcode).name, "' has other operands or results: ", Desc(line.opcode).signature));
  return SDValue();
}

// Sets the root that the text gives, or the first chain of the last node.
void DagLineReader::SetRoot(SelectionDAG& dag) {
  if (has_root_) {
    dag.SetRoot({lines_[root_.line].node, root_.resno});
    return;
  }
  if (lines_.empty()) return;
  SDNode* last = lines_.back().node;
  dag.SetRoot(DefaultRoot(last));
}

void DagLineReader::AddDebugValues(SelectionDAG& dag) {
  for (DebugLine& line : debug_lines_) {
    if (line.value.is_reference) line.debug_value.value = {lines_[line.value.line].node, line.value.resno};
    dag.AddDbgValue(line.debug_value);
  }
}

void DagLineReader::FinishBlock(MachineBasicBlock& block) {
  SelectionDAG& dag = dags_.dag(block);
  if (!file().diagnostics.limit_reached() && ResolveReferences() && !has_errors_ && MakeNodes(dag)) {
    SetRoot(dag);
    AddDebugValues(dag);
  }
  lines_.clear();
  types_.clear();
  operands_.clear();
  debug_lines_.clear();
  memoperands_.clear();
  masks_.clear();
  line_of_number_.clear();
  has_errors_ = has_root_ = false;
  root_ = Operand();
}

void DagLineReader::Finish() {
  if (!sets_divergence_) return;
  for (BlockNumber i = 0; i < function_.block_number_bound(); ++i) {
    if (SelectionDAG* dag = dags_.FindDag(i)) dag->UpdateAllDivergence();
  }
}

DagModule ReadDags(std::shared_ptr<const SourceBuffer> buffer, DiagnosticEngine& diagnostics) {
  DagModule result;
  result.module = std::make_unique<Module>();
  // The DAGs of the function that is being read.
  std::unique_ptr<DagFunction> dags;
  const BlockLineReaderFactory factory = [&](MachineFunction& function) {
    dags = std::make_unique<DagFunction>(function);
    return std::make_unique<DagLineReader>(*dags);
  };
  const bool ok = ReadMir(std::move(buffer), ptx::PtxTargetInfo(), diagnostics, *result.module, factory,
                          [&](Module& module, OwnedMachineFunction function) {
                            const bool has_dags = dags != nullptr && &dags->machine_function() == function.get();
                            module.machine_functions().push_back(std::move(function));
                            result.functions.push_back(has_dags ? std::move(dags) : nullptr);
                          });
  // If a function has errors, its DAGs are destroyed before it.
  if (!ok) {
    dags.reset();
    result.functions.clear();
    result.module.reset();
  }
  return result;
}

}  // namespace ptxmir::sdag
