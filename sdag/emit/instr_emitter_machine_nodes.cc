// SPDX-License-Identifier: Apache-2.0

// InstrEmitter: machine nodes, including sub-register nodes.

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "sdag/emit/instr_emitter.h"

namespace ptxmir::sdag {

absl::Status InstrEmitter::EmitMachineNode(SDNode* node) {
  if (node->machine_opcode() >= target_.instrs.size()) return Error(*node, "no such opcode");
  switch (node->machine_opcode()) {
    case generic::kExtractSubreg:
    case generic::kInsertSubreg:
    case generic::kSubregToReg:
    case generic::kRegSequence:
      return EmitSubRegNode(node);
    case generic::kCopyToRegclass:
      return EmitCopyToRegClass(node);
    case generic::kImplicitDef:
      return absl::OkStatus();  // made again at each use
    default:
      return EmitPlainMachineNode(node);
  }
}

absl::Status InstrEmitter::EmitPlainMachineNode(SDNode* node) {
  const InstrDesc& desc = target_.Get(node->machine_opcode());
  unsigned num_results = node->num_values();
  while (num_results > 0 && IsToken(node->value_type(num_results - 1))) --num_results;
  Operands operands;
  absl::Status status = CreateVirtualRegisters(node, std::min<unsigned>(num_results, desc.num_defs), operands);
  if (!status.ok()) return status;
  if (num_results < desc.num_defs) return Error(*node, "fewer results than the instruction has");
  unsigned number = desc.num_defs;
  for (const SDUse& operand : node->operands()) {
    if (operand.type() == MVT::kGlue || IsChain(operand)) continue;
    status = AddOperand(*node, operand, number++, operands);
    if (!status.ok()) return status;
  }
  std::vector<std::pair<Register, unsigned>> copied;
  for (unsigned i = desc.num_defs; i < num_results; ++i) copied.emplace_back(Register(), i);
  AddImplicitRegisters(node, operands, copied);
  MachineInstr* instr = Insert(nullptr, node->machine_opcode(), operands, *node);
  instr->set_flags(instr->flags() | (node->flags() & SDNodeFlags::kMachineInstrFlags));
  instr->SetMemOperands(static_cast<const MachineSDNode*>(node)->memoperands());
  const absl::Span<const OperandDesc> descs = target_.Operands(node->machine_opcode());
  for (unsigned i = desc.num_defs; i < descs.size() && i < instr->num_operands(); ++i) {
    if (descs[i].tied_to >= 0 && instr->operand(i).is_use()) {
      instr->TieOperands(static_cast<unsigned>(descs[i].tied_to), i);
    }
  }
  for (unsigned i = 0; i < std::min<unsigned>(num_results, desc.num_defs); ++i) {
    Record(instr, node, Register(), instr->operand(i).reg(),
           IsOwn(instr->operand(i).reg()) ? EmitResultRecord::kOwnResult : 0);
    record_of_value_[IndexOf({node, i})] = static_cast<uint32_t>(records_.size());
  }
  for (const auto& [reg, resno] : copied) {
    if (!node->HasAnyUseOfValue(resno)) continue;
    if (!reg.is_valid()) return Error(*node, "more results than the instruction has");
    status = EmitCopyFromReg(node, resno, reg, nullptr);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void InstrEmitter::CollectGlueUses(const SDNode& node, absl::flat_hash_set<Register>& used) const {
  for (const SDNode* user = node.GluedUser(); user != nullptr; user = user->GluedUser()) {
    if (user->opcode() == isd::kCopyToReg) continue;
    if (user->is_machine_opcode() && hooks_.implicit_uses != nullptr) {
      for (const Register reg : hooks_.implicit_uses(user->machine_opcode())) used.insert(reg);
    }
    for (const SDUse& operand : user->operands()) {
      const auto* leaf = DynCast<RegisterSDNode>(operand.get());
      if (leaf != nullptr && leaf->reg().is_physical()) used.insert(leaf->reg());
    }
  }
}

void InstrEmitter::AddImplicitRegisters(SDNode* node, Operands& operands,
                                        std::vector<std::pair<Register, unsigned>>& copied) {
  const absl::Span<const Register> defs =
      hooks_.implicit_defs != nullptr ? hooks_.implicit_defs(node->machine_opcode()) : absl::Span<const Register>();
  const absl::Span<const Register> uses =
      hooks_.implicit_uses != nullptr ? hooks_.implicit_uses(node->machine_opcode()) : absl::Span<const Register>();
  if (defs.empty() && uses.empty()) return;
  absl::flat_hash_set<Register> used;
  for (size_t i = 0; i < copied.size() && i < defs.size(); ++i) {
    copied[i].first = defs[i];
    if (node->HasAnyUseOfValue(copied[i].second)) used.insert(defs[i]);
  }
  CollectGlueUses(*node, used);
  for (const Register reg : defs) {
    const auto dead = static_cast<uint16_t>(used.contains(reg) ? 0 : MachineOperand::kDead);
    operands.push_back(MachineOperand::CreateReg(
        reg, static_cast<uint16_t>(MachineOperand::kDefine | MachineOperand::kImplicit | dead)));
  }
  for (const Register reg : uses) operands.push_back(MachineOperand::CreateReg(reg, MachineOperand::kImplicit));
}

absl::Status InstrEmitter::EmitCopyToRegClass(SDNode* node) {
  const auto* reg_class = DynCast<ConstantSDNode>(node->operand(1));
  if (reg_class == nullptr || reg_class->ZExtValue() >= target_.reg_classes.size()) {
    return Error(*node, "no such register class");
  }
  const absl::StatusOr<Register> source = GetRegister(node->operand(0));
  if (!source.ok()) return source.status();
  const Register target = CreateRegister(static_cast<RegClassId>(reg_class->ZExtValue()));
  Record(InsertCopy(nullptr, target, *source, *node), node, *source, target,
         EmitResultRecord::kCopy | EmitResultRecord::kOwnResult);
  SetRegister({node, 0}, target);
  return absl::OkStatus();
}

absl::Status InstrEmitter::CollectParts(SDNode* node, SubRegOperation& operation,
                                        absl::InlinedVector<SubRegOperation::Part, 4>& parts) {
  unsigned num_operands = node->num_operands();
  while (num_operands > 0 && IsToken(node->operand(num_operands - 1).type())) --num_operands;
  const bool is_extract = operation.opcode == generic::kExtractSubreg;
  const bool has_whole = is_extract || operation.opcode == generic::kInsertSubreg;
  if (num_operands < 2) return Error(*node, "too few operands");
  if (has_whole) {
    const absl::StatusOr<Register> whole = GetRegister(node->operand(0));
    if (!whole.ok()) return whole.status();
    operation.whole = *whole;
  }
  // Operand 0 is the whole register, SUBREG_TO_REG's constant or REG_SEQUENCE's class. Pairs of a value and an
  // index follow.
  const unsigned first = is_extract ? 0 : 1;
  for (unsigned i = first; i + 1 < num_operands; i += 2) {
    const auto* index = DynCast<ConstantSDNode>(node->operand(i + 1));
    if (index == nullptr) return Error(*node, "a sub-register without a number");
    SubRegOperation::Part part{Register(), static_cast<uint32_t>(index->ZExtValue()), 0};
    if (!is_extract) {
      const absl::StatusOr<Register> reg = GetRegister(node->operand(i));
      if (!reg.ok()) return reg.status();
      part.reg = *reg;
    }
    parts.push_back(part);
  }
  return absl::OkStatus();
}

absl::Status InstrEmitter::EmitSubRegNode(SDNode* node) {
  SubRegOperation operation{.opcode = node->machine_opcode(), .result = {}, .whole = {}, .parts = {}, .debug_loc = 0};
  absl::InlinedVector<SubRegOperation::Part, 4> parts;
  const absl::Status status = CollectParts(node, operation, parts);
  if (!status.ok()) return status;
  const RegClassId reg_class = RefinedClass(kNoRegClass, node->value_type(0), node->is_divergent());
  if (reg_class == kNoRegClass) return Error(*node, "no register class for the result's type");
  Register result = RegisterOfCopyToReg({node, 0}, reg_class);
  if (!result.is_valid()) result = CreateRegister(reg_class);
  operation.result = result;
  operation.parts = parts;
  operation.debug_loc = node->debug_loc();
  MachineInstr* instr =
      hooks_.insert_sub_register != nullptr ? hooks_.insert_sub_register(block_, nullptr, operation) : nullptr;
  if (instr == nullptr) return Error(*node, "the target has no such sub-register");
  instrs_[static_cast<size_t>(node->node_id())] = instr->id();
  SetRegister({node, 0}, result);
  const bool is_extract = operation.opcode == generic::kExtractSubreg;
  Record(instr, node, is_extract ? operation.whole : Register(), result,
         EmitResultRecord::kCopy | (IsOwn(result) ? EmitResultRecord::kOwnResult : 0), is_extract ? parts[0].index : 0);
  return absl::OkStatus();
}

}  // namespace ptxmir::sdag
