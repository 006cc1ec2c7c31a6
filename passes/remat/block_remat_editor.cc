// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_editor.h"

#include "passes/support/unused_instrs.h"

namespace ptxmir {

void RematEditor::NoteOrigin(Register clone, Register original) {
  if (clone.virtual_index() >= origins_.size()) origins_.resize(clone.virtual_index() + 1);
  origins_[clone.virtual_index()] = original;
}

Register RematEditor::Clone(MachineInstr& definition, Register reg, MachineBasicBlock& block, MachineInstr* before,
                            const Renaming& operands) {
  MachineInstr* const clone = function_.CloneInstr(definition);
  Register result;
  for (MachineOperand& operand : clone->operands()) {
    if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
    const Register original = Origin(operand.reg());
    if (operand.is_def()) {
      const Register fresh = reg_info_.CreateVirtualRegister(reg_info_.reg_class(original));
      operand.SetReg(fresh);
      NoteOrigin(fresh, original);
      const bool is_result = original == Origin(reg);
      operand.set_reg_flag(MachineOperand::kDead, !is_result);
      if (is_result) result = fresh;
      continue;
    }
    const auto renamed = operands.find(original.virtual_index());
    const Register read = renamed == operands.end() ? original : renamed->second;
    if (read != operand.reg()) operand.SetReg(read);
    operand.set_reg_flag(MachineOperand::kKill, false);
    // The register is live up to here now.
    if (read.virtual_index() >= without_kills_.size()) without_kills_.resize(reg_info_.num_virtual_registers());
    if (!without_kills_[read.virtual_index()]) reg_info_.ClearKillFlags(read);
    without_kills_[read.virtual_index()] = true;
  }
  if (const InstrExtra* extra = clone->extra(); extra != nullptr && extra->debug_instr_number != 0) {
    InstrExtra copy = *extra;
    copy.debug_instr_number = 0;  // the number identifies a single instruction
    clone->SetExtra(copy);
  }
  block.Insert(before, clone);
  if (pressure_ != nullptr) pressure_->DidInsert(*clone);
  clones_.push_back(clone);
  return result;
}

void RematEditor::Rewrite(MachineOperand& use, Register to) {
  rewrites_.push_back({&use, use.reg()});
  if (pressure_ != nullptr) pressure_->WillChange(*use.parent());
  use.SetReg(to);
  if (pressure_ != nullptr) pressure_->DidChange(*use.parent());
  use.set_reg_flag(MachineOperand::kKill, false);
}

void RematEditor::Undo() {
  for (size_t i = rewrites_.size(); i-- > 0;) rewrites_[i].operand->SetReg(rewrites_[i].from);
  for (size_t i = clones_.size(); i-- > 0;) clones_[i]->EraseFromParent();
  rewrites_.clear();
  clones_.clear();
  ForgetOrigins();
}

bool RematEditor::IsUnused(const MachineInstr& instr) const {
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_def() && !reg_info_.NonDebugUses(operand.reg()).empty()) return false;
  }
  return true;
}

void RematEditor::EraseUnused(MachineInstr& instr, RematValues& values, MachineRegisterPressure* pressure) {
  for (const MachineOperand& operand : instr.explicit_defs()) {
    DropDebugUses(reg_info_, operand.reg());
    values.Forget(operand.reg());
  }
  if (pressure != nullptr) pressure->WillErase(instr);
  instr.EraseFromParent();
}

uint32_t RematEditor::Keep(RematValues& values, MachineRegisterPressure* pressure) {
  std::vector<Register> unused;
  for (const RewrittenUse& rewrite : rewrites_) unused.push_back(rewrite.from);
  for (const MachineInstr* clone : clones_) {
    for (const MachineOperand& operand : clone->explicit_defs()) unused.push_back(operand.reg());
  }
  uint32_t num_erased = 0;
  while (!unused.empty()) {
    const Register reg = unused.back();
    unused.pop_back();
    MachineInstr* const definition = values.Definition(reg);
    if (definition == nullptr || !IsUnused(*definition)) continue;
    RematValues::ForEachOperand(*definition, [&](Register operand) { unused.push_back(operand); });
    EraseUnused(*definition, values, pressure);
    ++num_erased;
  }
  rewrites_.clear();
  clones_.clear();
  ForgetOrigins();
  return num_erased;
}

}  // namespace ptxmir
