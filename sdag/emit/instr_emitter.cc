// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/instr_emitter.h"

#include <array>
#include <cassert>
#include <utility>

#include "absl/status/statusor.h"
#include "mir/code/inline_asm.h"
#include "sdag/text/dag_writer.h"

namespace ptxmir::sdag {

// The special nodes. Any other node that is not a machine node should have been selected.
constexpr InstrEmitter::SpecialNode InstrEmitter::kSpecialNodes[] = {
    {isd::kEntryToken, &InstrEmitter::EmitNothing},
    {isd::kTokenFactor, &InstrEmitter::EmitNothing},
    {isd::kMergeValues, &InstrEmitter::EmitMergeValues},
    {isd::kCopyToReg, &InstrEmitter::EmitCopyToReg},
    {isd::kCopyFromReg, &InstrEmitter::EmitCopyFromRegNode},
    {isd::kEHLabel, &InstrEmitter::EmitLabel},
    {isd::kAnnotationLabel, &InstrEmitter::EmitLabel},
    {isd::kInlineAsm, &InstrEmitter::EmitInlineAsm},
    {isd::kInlineAsmBr, &InstrEmitter::EmitInlineAsm},
    {isd::kLifetimeStart, &InstrEmitter::EmitLifetime},
    {isd::kLifetimeEnd, &InstrEmitter::EmitLifetime},
    {isd::kPseudoProbe, &InstrEmitter::EmitPseudoProbe},
    {isd::kFakeUse, &InstrEmitter::EmitFakeUse},
};

// One bit for each special opcode, like cicc's immediate 0x80001078000, and the handlers in the order of the bits.
struct SpecialNodeBits {
  std::array<uint64_t, (isd::kNumOpcodes + 63) / 64> bits{};
  constexpr SpecialNodeBits() {
    for (const auto& special : InstrEmitter::kSpecialNodes) {
      bits[static_cast<size_t>(special.opcode) / 64] |= uint64_t{1} << (special.opcode % 64);
    }
  }
  constexpr bool Has(int16_t opcode) const {
    return opcode >= 0 && opcode < isd::kNumOpcodes &&
           ((bits[static_cast<size_t>(opcode) / 64] >> (opcode % 64)) & 1) != 0;
  }
};

namespace {
constexpr SpecialNodeBits kSpecialBits;
}  // namespace

bool InstrEmitter::IsSpecial(int16_t opcode) { return kSpecialBits.Has(opcode); }

InstrEmitter::InstrEmitter(SelectionDAG& dag, MachineBasicBlock& block, const EmitTargetHooks& hooks)
    : dag_(dag),
      function_(dag.machine_function()),
      info_(function_.reg_info()),
      target_(function_.target()),
      block_(block),
      hooks_(hooks),
      first_own_(static_cast<uint32_t>(info_.num_virtual_registers())) {
  first_value_.resize(dag.num_nodes());
  uint32_t num_values = 0;
  for (const SDNode& node : dag) {
    const auto id = static_cast<size_t>(node.node_id());
    assert(id < first_value_.size() && "the nodes have not been numbered");
    first_value_[id] = num_values;
    num_values += node.num_values();
    if (node.opcode() != isd::kCopyToReg && node.opcode() != isd::kCopyFromReg) continue;
    const auto* reg = DynCast<RegisterSDNode>(node.operand(1));
    if (reg == nullptr || !reg->reg().is_virtual()) continue;
    (node.opcode() == isd::kCopyToReg ? copies_to_ : copied_from_).push_back(reg->reg());
  }
  std::sort(copies_to_.begin(), copies_to_.end());
  std::sort(copied_from_.begin(), copied_from_.end());
  instrs_.resize(first_value_.size());
  registers_.resize(num_values);
  record_of_value_.resize(num_values);
}

absl::Status InstrEmitter::Error(const SDNode& node, std::string_view what) const {
  return NodeError(absl::StatusCode::kInvalidArgument, node, what);
}

void InstrEmitter::BeginBundle(absl::Span<SDNode* const> nodes) {
  bundle_ = nodes;
  before_bundle_ = block_.back();
}

absl::Status InstrEmitter::EmitNode(SDNode* node) {
  if (node->GluedNode() != nullptr && node->HasProperty(NodeProperty::kImplicitGlueConsumer, 1)) {
    return TakeGluedValues(node);
  }
  if (node->is_machine_opcode()) return EmitMachineNode(node);
  if (!kSpecialBits.Has(node->opcode())) return Error(*node, "this node should have been selected");
  for (const SpecialNode& special : kSpecialNodes) {
    if (special.opcode == node->opcode()) return (this->*special.handler)(node);
  }
  return absl::OkStatus();
}

absl::Status InstrEmitter::TakeGluedValues(SDNode* node) {
  absl::InlinedVector<SDValue, 4> made;
  for (const SDUse& operand : node->operands()) {
    if (!IsToken(operand.type())) made.push_back(operand);
  }
  size_t next = 0;
  for (unsigned i = 0; i < node->num_values(); ++i) {
    if (IsToken(node->value_type(i))) continue;
    if (next == made.size()) return Error(*node, "no operand for a value that the glued node is said to have made");
    Register reg;
    if (const auto* leaf = DynCast<RegisterSDNode>(made[next])) {
      reg = leaf->reg();
      // If the glued instruction that defines a physical register has a result for it, that result is a copy of the
      // register.
      for (const SDNode* glued = node->GluedNode(); glued != nullptr; glued = glued->GluedNode()) {
        if (!glued->is_machine_opcode() || hooks_.implicit_defs == nullptr) continue;
        unsigned resno = target_.Get(glued->machine_opcode()).num_defs;
        for (const Register defined : hooks_.implicit_defs(glued->machine_opcode())) {
          const Register copy = FindRegister({const_cast<SDNode*>(glued), resno++});
          if (defined == reg && copy.is_valid()) reg = copy;
        }
      }
    } else {
      reg = FindRegister(made[next]);
    }
    if (!reg.is_valid()) return Error(*node, "a value that the glued node is said to have made does not exist");
    SetRegister({node, i}, reg);
    shared_.insert(reg);
    ++next;
  }
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitNothing(SDNode*) { return absl::OkStatus(); }

absl::Status InstrEmitter::EmitMergeValues(SDNode* node) {
  for (unsigned i = 0; i < node->num_values() && i < node->num_operands(); ++i) {
    if (IsToken(node->value_type(i))) continue;
    const absl::StatusOr<Register> reg = GetRegister(node->operand(i));
    if (!reg.ok()) return reg.status();
    SetRegister({node, i}, *reg);
    shared_.insert(*reg);
  }
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitCopyToReg(SDNode* node) {
  const auto* target = DynCast<RegisterSDNode>(node->operand(1));
  const SDValue value = node->operand(2);
  if (target == nullptr || !target->reg().is_valid() || !value) return Error(*node, "no register to copy to");
  const bool is_undefined = (value->is_machine_opcode() && value->machine_opcode() == generic::kImplicitDef) ||
                            value.opcode() == isd::kUndef || value.opcode() == isd::kPoison;
  if (target->reg().is_virtual() && is_undefined) {
    const MachineOperand def = MachineOperand::CreateReg(target->reg(), MachineOperand::kDefine);
    Record(Insert(nullptr, generic::kImplicitDef, {def}, *node), node, Register(), target->reg(),
           EmitResultRecord::kCopy);
    return absl::OkStatus();
  }
  const auto* leaf = DynCast<RegisterSDNode>(value);
  const absl::StatusOr<Register> source = leaf != nullptr ? leaf->reg() : GetRegister(value);
  if (!source.ok()) return source.status();
  if (*source == target->reg()) return absl::OkStatus();
  Record(InsertCopy(nullptr, target->reg(), *source, *node), node, *source, target->reg(), EmitResultRecord::kCopy);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitCopyFromRegNode(SDNode* node) {
  const auto* source = DynCast<RegisterSDNode>(node->operand(1));
  if (source == nullptr || !source->reg().is_valid()) return Error(*node, "no register to copy from");
  return EmitCopyFromReg(node, 0, source->reg(), nullptr);
}

absl::Status InstrEmitter::EmitLabel(SDNode* node) {
  const auto* label = DynCast<ExternalSymbolSDNode>(node);
  const Opcode opcode = node->opcode() == isd::kEHLabel ? generic::kEhLabel : generic::kAnnotationLabel;
  Insert(nullptr, opcode, {MachineOperand::CreateText(MachineOperand::Kind::kMCSymbol, label->symbol())}, *node);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitLifetime(SDNode* node) {
  const auto* object = DynCast<FrameIndexSDNode>(node->operand(1));
  if (object == nullptr) return Error(*node, "no object in the frame");
  Insert(nullptr, node->opcode() == isd::kLifetimeStart ? generic::kLifetimeStart : generic::kLifetimeEnd,
         {MachineOperand::CreateFrameIndex(object->index())}, *node);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitPseudoProbe(SDNode* node) {
  Operands operands;
  for (unsigned i = 1; i < node->num_operands(); ++i) {
    const absl::Status status = AddOperand(*node, node->operand(i), i, operands);
    if (!status.ok()) return status;
  }
  Insert(nullptr, generic::kPseudoProbe, operands, *node);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitFakeUse(SDNode* node) {
  const std::optional<Opcode> opcode = target_.find_opcode("FAKE_USE");
  if (!opcode.has_value()) return Error(*node, "the target has no FAKE_USE");
  Operands operands;
  for (unsigned i = 1; i < node->num_operands(); ++i) {
    const absl::Status status = AddOperand(*node, node->operand(i), i, operands);
    if (!status.ok()) return status;
  }
  Insert(nullptr, *opcode, operands, *node);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitInlineAsmGroup(SDNode* node, unsigned first, unsigned last, Operands& operands,
                                              std::vector<unsigned>& group_starts,
                                              std::vector<std::pair<unsigned, unsigned>>& ties) {
  const InlineAsmGroup group(static_cast<int64_t>(DynCast<ConstantSDNode>(node->operand(first))->ZExtValue()));
  const auto start = static_cast<unsigned>(operands.size());
  group_starts.push_back(start);
  for (unsigned i = first + 1; i < last; ++i) {
    const auto* reg = DynCast<RegisterSDNode>(node->operand(i));
    uint16_t flags = 0;
    if (group.is_def() || group.kind() == InlineAsmGroup::Kind::kClobber) flags |= MachineOperand::kDefine;
    if (flags == 0) {
      const absl::Status status = AddOperand(*node, node->operand(i), i, operands);
      if (!status.ok()) return status;
      continue;
    }
    if (reg == nullptr) return Error(*node, "an output of inline assembly that is no register");
    if (group.kind() != InlineAsmGroup::Kind::kDef) flags |= MachineOperand::kEarlyClobber;
    if (reg->reg().is_physical()) flags |= MachineOperand::kImplicit;
    operands.push_back(MachineOperand::CreateReg(reg->reg(), flags));
  }
  if (group.kind() != InlineAsmGroup::Kind::kUse || !group.is_tied()) return absl::OkStatus();
  if (group.tied_group() + 1 >= group_starts.size()) return Error(*node, "an input tied to no output");
  for (unsigned i = 1; i < last - first; ++i) ties.emplace_back(group_starts[group.tied_group()] + i, start + i);
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitInlineAsm(SDNode* node) {
  unsigned end = node->num_operands();
  if (end > 0 && node->operand(end - 1).type() == MVT::kGlue) --end;
  const auto* text = DynCast<ExternalSymbolSDNode>(node->operand(1));
  const auto* location = DynCast<MDNodeSDNode>(node->operand(2));
  const auto* properties = DynCast<ConstantSDNode>(node->operand(3));
  if (text == nullptr || properties == nullptr) return Error(*node, "inline assembly without text");
  Operands operands = {MachineOperand::CreateExternalSymbol(text->symbol()),
                       MachineOperand::CreateImm(properties->SExtValue())};
  std::vector<unsigned> group_starts;
  std::vector<std::pair<unsigned, unsigned>> ties;
  for (unsigned i = 4; i < end;) {
    const auto* word = DynCast<ConstantSDNode>(node->operand(i));
    if (word == nullptr) return Error(*node, "a group of inline assembly without its word");
    const auto value = static_cast<int64_t>(word->ZExtValue());
    const unsigned next = i + 1 + InlineAsmGroup(value).num_operands();
    if (next > end) return Error(*node, "a group of inline assembly that is cut short");
    operands.push_back(MachineOperand::CreateImm(value));
    // A group starts at its flag word.
    const size_t num_starts = group_starts.size();
    const absl::Status status = EmitInlineAsmGroup(node, i, next, operands, group_starts, ties);
    if (!status.ok()) return status;
    group_starts[num_starts] -= 1;
    i = next;
  }
  if (location != nullptr && location->metadata() != MDNodeSDNode::kNull) {
    operands.push_back(MachineOperand::CreateMetadata(location->metadata()));
  }
  const Opcode opcode = node->opcode() == isd::kInlineAsm ? generic::kInlineAsm : generic::kInlineAsmBr;
  MachineInstr* instr = Insert(nullptr, opcode, operands, *node);
  for (const auto& [def, use] : ties) {
    if (def < instr->num_operands() && instr->operand(def).is_def() && instr->operand(use - 1).is_use()) {
      instr->TieOperands(def, use - 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
