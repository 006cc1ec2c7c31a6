// SPDX-License-Identifier: Apache-2.0

#include "sdag/expand/block_splitter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mir/code/debug_expression.h"
#include "sdag/graph/type_classes.h"
#include "sdag/select/dag_selector.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {
namespace {

bool IsSymbol(const SDNode& node) {
  return node.opcode() == isd::kExternalSymbol || node.opcode() == isd::kTargetExternalSymbol;
}

// Returns true for nodes that every block can make for itself: leaves, places in parameters of calls, which no register
// can hold, and copies of registers that an earlier block wrote.
bool IsRepeatable(const SDNode& node) {
  switch (node.opcode()) {
    case isd::kEntryToken:
      return false;
    case isd::kAdd:
      return IsSymbol(*node.operand(0).node()) && node.operand(1)->num_operands() == 0;
    case isd::kCopyFromReg: {
      const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
      return node.num_operands() == 2 && node.operand(0).opcode() == isd::kEntryToken && reg != nullptr &&
             reg->reg().is_virtual();
    }
    default:
      return node.num_operands() == 0 && !node.is_machine_opcode() && node.value_type(0) != MVT::kGlue;
  }
}

// The node_id of nodes that are not in the topological order.
constexpr int32_t kMadeByASplit = -1;

bool IsChainOrGlue(MVT type) { return type == MVT::kOther || type == MVT::kGlue; }

// Returns true for nodes that an earlier split has made and whose only effect is to write registers.
bool IsMadeByASplit(const SDNode& node) {
  if (node.node_id() >= 0 || node.payload_kind() == NodePayload::kMemory || node.HasGlueResult()) return false;
  return node.opcode() == isd::kCopyToReg || (node.properties() & NodeProperty::kSideEffects) == 0;
}

}  // namespace

// Values.

bool CrossBlockValues::IsDirect(MVT type) const {
  if (type == MVT::kI8 || type == MVT::kI128 || !RegClassFor(type).has_value()) return false;
  return IsLegalType(type, subtarget_);
}

void CrossBlockValues::AppendRegisterTypes(MVT type, absl::InlinedVector<MVT, 2>& types) const {
  if (IsDirect(type)) {
    types.push_back(type);
  } else if (type == MVT::kI128) {
    types.push_back(MVT::kI64);
    types.push_back(MVT::kI64);
  } else if (IsVector(type)) {
    for (unsigned i = 0; i < NumElements(type); ++i) AppendRegisterTypes(ScalarType(type), types);
  } else {
    types.push_back(MVT::kI16);
  }
}

void CrossBlockValues::Part(SelectionDAG& dag, SDValue value, std::vector<SDValue>& parts) const {
  const MVT type = value.type();
  const SDLoc loc = value->loc();
  if (IsDirect(type)) {
    parts.push_back(value);
  } else if (type == MVT::kI128) {
    const SDValue upper = dag.GetNode(isd::kSrl, loc, type, {value, dag.GetConstant(64, MVT::kI32)});
    parts.push_back(dag.GetNode(isd::kTruncate, loc, MVT::kI64, {value}));
    parts.push_back(dag.GetNode(isd::kTruncate, loc, MVT::kI64, {upper}));
  } else if (IsVector(type)) {
    for (unsigned i = 0; i < NumElements(type); ++i) {
      const SDValue index = dag.GetConstant(i, MVT::kI32);
      Part(dag, dag.GetNode(isd::kExtractVectorElt, loc, ScalarType(type), {value, index}), parts);
    }
  } else {
    parts.push_back(dag.GetNode(isd::kAnyExtend, loc, MVT::kI16, {value}));
  }
}

SDValue CrossBlockValues::JoinNext(SelectionDAG& dag, MVT type, const Registers& registers, size_t& next) const {
  const auto copy = [&](MVT part) { return dag.GetCopyFromReg({}, dag.EntryToken(), registers[next++], part); };
  if (IsDirect(type)) return copy(type);
  if (type == MVT::kI128) {
    const SDValue low = dag.GetNode(isd::kZeroExtend, {}, type, {copy(MVT::kI64)});
    const SDValue high = dag.GetNode(isd::kZeroExtend, {}, type, {copy(MVT::kI64)});
    const SDValue placed = dag.GetNode(isd::kShl, {}, type, {high, dag.GetConstant(64, MVT::kI32)});
    return dag.GetNode(isd::kOr, {}, type, {low, placed});
  }
  if (IsVector(type)) {
    std::vector<SDValue> lanes;
    for (unsigned i = 0; i < NumElements(type); ++i) lanes.push_back(JoinNext(dag, ScalarType(type), registers, next));
    return dag.GetNode(isd::kBuildVector, {}, absl::MakeConstSpan(&type, 1), lanes);
  }
  return dag.GetNode(isd::kTruncate, {}, type, {copy(MVT::kI16)});
}

SDValue CrossBlockValues::Join(SelectionDAG& dag, MVT type, const Registers& registers) {
  size_t next = 0;
  return JoinNext(dag, type, registers, next);
}

CrossBlockValues::Registers CrossBlockValues::NewRegisters(MVT type) {
  absl::InlinedVector<MVT, 2> types;
  AppendRegisterTypes(type, types);
  Registers registers;
  for (const MVT part : types) {
    registers.push_back(dags_.machine_function().reg_info().CreateVirtualRegister(*RegClassFor(part)));
  }
  return registers;
}

const CrossBlockValues::Registers& CrossBlockValues::RegistersOf(SDValue value) {
  const auto found = registers_.find(value.Key());
  if (found != registers_.end()) return found->second;
  SelectionDAG& dag = *dags_.FindDag(value->block());
  const Registers registers = NewRegisters(value.type());
  std::vector<SDValue> parts;
  Part(dag, value, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (value->is_divergent()) dags_.SetDivergent(registers[i]);
    const SDValue copy = dag.GetCopyToReg(value->loc(), dag.EntryToken(), registers[i], parts[i]);
    values_of_copies_[copy->id()] = value;
    new_copies_[value->block()].push_back(copy);
  }
  return registers_.emplace(value.Key(), registers).first->second;
}

SDValue CrossBlockValues::Read(SelectionDAG& dag, SDValue value) {
  if (value->block() == dag.block().number()) return value;
  if (value.opcode() == isd::kEntryToken) return dag.EntryToken();
  if (IsRepeatable(*value.node())) {
    std::vector<SDValue> operands;
    for (const SDUse& use : value->operands()) operands.push_back(Read(dag, use.get()));
    return {dag.CloneNode(*value.node(), operands), value.resno()};
  }
  return Join(dag, value.type(), RegistersOf(value));
}

const CrossBlockValues::Registers* CrossBlockValues::FindRegistersOf(SDValue value) const {
  const auto found = registers_.find(value.Key());
  return found == registers_.end() ? nullptr : &found->second;
}

SDValue CrossBlockValues::ValueOfCopy(const SDNode& copy) const {
  const auto found = values_of_copies_.find(copy.id());
  return found == values_of_copies_.end() ? SDValue() : found->second;
}

void CrossBlockValues::Forget(const SDNode& node) {
  values_of_copies_.erase(node.id());
  for (unsigned i = 0; i < node.num_values(); ++i) registers_.erase(SDValue(const_cast<SDNode*>(&node), i).Key());
}

std::vector<SDValue> CrossBlockValues::TakeCopies(SelectionDAG& dag) {
  return std::exchange(new_copies_[dag.block().number()], {});
}

// Blocks.

BlockSplitter::BlockSplitter(CrossBlockValues& values, SDNode& node)
    : values_(values), node_(node), before_(*values.dags().FindDag(node.block())) {}

absl::Status BlockSplitter::Begin() {
  for (SDNode* node = node_.next(); node != nullptr; node = node->next()) {
    if (Stays(*node)) continue;
    moved_.push_back(node);
    behind_.insert(node->id());
  }
  if (absl::Status status = CheckCut(); !status.ok()) return status;
  MachineFunction& function = before_.machine_function();
  MachineBasicBlock* rest = function.CreateBlock();
  function.InsertBlock(before_.block().next(), rest);
  rest->TransferSuccessorsAndUpdatePhis(&before_.block());
  rest_ = &values_.dags().dag(*rest);
  ends_.emplace_back(before_);
  return absl::OkStatus();
}

// Nodes that pass values to later blocks stay with the values, because the values may have been passed already.
bool BlockSplitter::Stays(const SDNode& node) const {
  if (!IsMadeByASplit(node)) return false;
  // A value that is copied in parts stays with its copies although a part may be a node that moves, because it existed
  // already. Such a part is in both blocks.
  if (const SDValue value = values_.ValueOfCopy(node)) {
    return value.node() != &node_ && (!IsBehind(*value.node()) || IsRepeatable(*value.node()));
  }
  return std::all_of(node.operands().begin(), node.operands().end(), [&](const SDUse& use) {
    // A leaf that moves is there for these nodes all the same: the index of an element, for instance.
    if (use.node() == &node_ || (IsBehind(*use.node()) && !IsRepeatable(*use.node()))) return false;
    return use.type() != MVT::kOther || use.node()->num_operands() == 0;
  });
}

absl::Status BlockSplitter::CheckCut() const {
  int calls = 0;
  bool is_cut = node_.HasGlueResult() || node_.GluedNode() != nullptr;
  for (const SDNode* node : moved_) {
    calls += (node->opcode() == isd::kCallSeqEnd) - (node->opcode() == isd::kCallSeqStart);
    const SDNode* glued = node->GluedNode();
    is_cut |= glued != nullptr && !IsBehind(*glued);
  }
  if (!is_cut && calls == 0) return absl::OkStatus();
  return NodeError(absl::StatusCode::kUnimplemented, node_, "cannot expand", "it stands within a call");
}

SelectionDAG& BlockSplitter::NewBlock() {
  MachineFunction& function = before_.machine_function();
  MachineBasicBlock* block = function.CreateBlock();
  function.InsertBlock(&rest_->block(), block);
  SelectionDAG& dag = values_.dags().dag(*block);
  ends_.emplace_back(dag);
  return dag;
}

BlockSplitter::Phi BlockSplitter::MakePhi(SelectionDAG& dag, MVT type) {
  Phi phi;
  phi.registers = values_.NewRegisters(type);
  phi.value = values_.Join(dag, type, phi.registers);
  phi.block = &dag.block();
  return phi;
}

void BlockSplitter::SetIncoming(const Phi& phi, absl::Span<const Incoming> incoming) {
  std::vector<CrossBlockValues::Registers> registers;
  for (const Incoming& one : incoming) registers.push_back(values_.RegistersOf(one.value));
  MachineFunction& function = before_.machine_function();
  function.SetProperty(FunctionProperty::kNoPhis, false);
  for (size_t part = 0; part < phi.registers.size(); ++part) {
    MachineInstrBuilder builder = BuildMI(*phi.block, nullptr, generic::kPhi, node_.debug_loc());
    builder.AddDef(phi.registers[part]);
    for (size_t i = 0; i < incoming.size(); ++i) {
      builder.AddUse(registers[i][part]).AddBlock(incoming[i].from->block());
    }
    builder.Insert();
  }
}

BlockSplitter::End& BlockSplitter::EndOf(SelectionDAG& dag) {
  return *std::find_if(ends_.begin(), ends_.end(), [&](const End& end) { return end.dag == &dag; });
}

void BlockSplitter::AddEffect(SelectionDAG& dag, SDValue chain) { EndOf(dag).effects.push_back(chain); }

void BlockSplitter::Branch(SelectionDAG& dag, SDValue condition, SelectionDAG& target) {
  End& end = EndOf(dag);
  end.condition = condition;
  end.target = &target;
}

void BlockSplitter::Finish(absl::Span<const SDValue> results) {
  MoveRest(results);
  for (End& end : ends_) Seal(end);
  // The last node first, so that none has users. Deleting it also deletes operands that have no other user.
  DeletedNodes deleted(before_);
  for (auto node = moved_.rbegin(); node != moved_.rend(); ++node) {
    if (deleted.contains(*node)) continue;
    // A part of a value that is passed on may be a node that moved. It stays for that, like those made for it.
    if (!(*node)->use_empty()) (*node)->set_node_id(kMadeByASplit);
    before_.RemoveDeadNode(*node);
  }
  if (!deleted.contains(&node_)) before_.RemoveDeadNode(&node_);
}

void BlockSplitter::MoveRest(absl::Span<const SDValue> results) {
  absl::flat_hash_map<NodeId, SDNode*> clones;
  // Chains that the moved nodes have waited for. They must not get lost.
  absl::flat_hash_set<uint64_t> waited;
  const auto wait = [&](SDValue chain) {
    if (chain.opcode() != isd::kEntryToken && !IsRepeatable(*chain.node()) && waited.insert(chain.Key()).second) {
      AddEffect(before_, chain);
    }
  };
  for (const SDUse& use : node_.operands()) {
    if (use.get() && use.type() == MVT::kOther) wait(use.get());
  }
  const auto moved = [&](SDValue value) -> SDValue {
    if (!value) return value;
    if (value.node() == &node_) return results[value.resno()];
    if (IsBehind(*value.node())) return {clones[value.node()->id()], value.resno()};
    if (IsChainOrGlue(value.type()) && !IsRepeatable(*value.node())) {
      wait(value);
      return rest_->EntryToken();
    }
    return values_.Read(*rest_, value);
  };
  for (SDNode* node : moved_) {
    std::vector<SDValue> operands;
    for (const SDUse& use : node->operands()) operands.push_back(moved(use.get()));
    clones[node->id()] = rest_->CloneNode(*node, operands);
    values_.Forget(*node);
  }
  values_.Forget(node_);
  rest_->SetRoot(moved(before_.root()));
  MoveDebugValues([&](SDValue value) -> SDValue {
    if (value.node() == &node_) return results[value.resno()];
    return IsBehind(*value.node()) ? SDValue(clones[value.node()->id()], value.resno()) : SDValue();
  });
}

void BlockSplitter::MoveDebugValues(absl::FunctionRef<SDValue(SDValue)> moved) {
  for (SDDbgValue& value : before_.TakeDbgValues()) {
    const SDValue in_rest = value.value ? moved(value.value) : SDValue();
    if (in_rest) {
      value.value = in_rest;
      rest_->AddDbgValue(value);
    } else if (node_.ir_order() == 0 || value.loc.order <= node_.ir_order()) {
      before_.AddDbgValue(value);
    } else {
      AddToRest(value);
    }
  }
}

// Adds a debug value that belongs to `rest` but whose value does not. Registers that already hold the value are used,
// but none is made, because debug values must not change the code.
void BlockSplitter::AddToRest(SDDbgValue value) {
  const CrossBlockValues::Registers* registers = nullptr;
  while (value.value) {
    registers = values_.FindRegistersOf(value.value);
    if (registers != nullptr) break;
    value = before_.SalvagedDbgValue(value);
  }
  const SDValue whole = std::exchange(value.value, SDValue());
  if (registers == nullptr) {
    rest_->AddDbgValue(value);
    return;
  }
  const MetadataId expression = value.expression;
  const unsigned bits = SizeInBits(whole.type()) / static_cast<unsigned>(registers->size());
  for (size_t i = 0; i < registers->size(); ++i) {
    const std::optional<MetadataId> of_part =
        registers->size() == 1 ? expression : ExpressionOfBits(before_.machine_function(), expression, i * bits, bits);
    value.location = MachineOperand::CreateReg(of_part.has_value() ? (*registers)[i] : Register());
    value.expression = of_part.value_or(expression);
    rest_->AddDbgValue(value);
  }
}

void BlockSplitter::Seal(End& end) {
  SelectionDAG& dag = *end.dag;
  const auto next = static_cast<size_t>(&end - ends_.data()) + 1;
  MachineBasicBlock& fallthrough = next < ends_.size() ? ends_[next].dag->block() : rest_->block();
  std::vector<SDValue> chains = values_.TakeCopies(dag);
  chains.insert(chains.begin(), end.effects.begin(), end.effects.end());
  SDValue root = chains.empty() ? dag.EntryToken() : dag.GetTokenFactor(node_.loc(), chains);
  if (end.target != nullptr) {
    const SDValue target = dag.GetBasicBlock(end.target->block().number());
    root = end.condition ? dag.GetNode(isd::kBrCond, node_.loc(), MVT::kOther, {root, end.condition, target})
                         : dag.GetNode(isd::kBr, node_.loc(), MVT::kOther, {root, target});
    dag.block().AddSuccessor(&end.target->block());
  }
  if ((end.target == nullptr || end.condition) && !dag.block().IsSuccessor(&fallthrough)) {
    dag.block().AddSuccessor(&fallthrough);
  }
  dag.SetRoot(root);
}

}  // namespace ptxmir::sdag
