// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/cse_editor.h"

#include "passes/ssa/expression_table.h"

namespace ptxmir {
namespace {

// Returns the COPY that the operand reads if its source can be read instead, that is, if the source has the same
// class and a single definition. Returns null otherwise.
MachineInstr* CopyToLookThrough(const MachineRegisterInfo& reg_info, const MachineOperand& operand) {
  if (!operand.is_use() || !operand.reg().is_virtual()) return nullptr;
  MachineInstr* const copy = reg_info.UniqueDef(operand.reg());
  if (copy == nullptr || !copy->is_copy() || !copy->operand(1).reads_reg()) return nullptr;
  const Register source = copy->operand(1).reg();
  if (!source.is_virtual() || reg_info.reg_class(source) != reg_info.reg_class(operand.reg()) ||
      reg_info.UniqueDef(source) == nullptr) {
    return nullptr;
  }
  return copy;
}

}  // namespace

bool CseEditor::LookThroughCopies(MachineInstr& instr) {
  const uint64_t before = num_copies_;
  for (MachineOperand& operand : instr.operands()) {
    MachineInstr* const copy = CopyToLookThrough(reg_info_, operand);
    if (copy == nullptr) continue;
    const Register result = operand.reg();
    const Register source = copy->operand(1).reg();
    if (pressure_ != nullptr) pressure_->WillChange(instr);
    operand.SetReg(source);
    if (pressure_ != nullptr) pressure_->DidChange(instr);
    reg_info_.ClearKillFlags(source);
    ++num_copies_;
    if (!reg_info_.NonDebugUses(result).empty()) continue;
    if (pressure_ != nullptr) pressure_->WillErase(*copy);
    copy->EraseFromParent();
    reg_info_.ReplaceRegister(result, source);  // in debug instructions
  }
  return num_copies_ != before;
}

void CseEditor::Replace(MachineInstr& instr, MachineInstr& earlier) {
  ReplaceBySame(instr, earlier, replaced_, pressure_);
  ++num_eliminated_;
  if (pressure_ == nullptr) return;
  if (!context_.knobs.incremental_update_mcse()) pressure_->Recompute();
  if (context_.knobs.verify_update_mcse()) {
    pressure_->VerifyUpdate(context_.knobs.print_verify(), context_.diagnostics);
  }
}

MachineInstr& CseEditor::InsertClone(const MachineInstr& instr, MachineBasicBlock& block) {
  MachineInstr* const clone = function_.CloneInstr(instr);
  clone->operand(0).SetReg(reg_info_.CreateVirtualRegister(reg_info_.reg_class(instr.operand(0).reg())));
  block.Insert(block.FirstTerminator(), clone);
  if (pressure_ != nullptr) pressure_->DidInsert(*clone);
  return *clone;
}

void CseEditor::Keep(const MachineInstr& clone) {
  for (const MachineOperand& operand : clone.operands()) {
    if (operand.is_use() && operand.reg().is_virtual()) reg_info_.ClearKillFlags(operand.reg());
  }
  ++num_hoisted_;
}

void CseEditor::Withdraw(MachineInstr& clone) {
  if (pressure_ != nullptr) pressure_->WillErase(clone);
  clone.EraseFromParent();
  ++num_withdrawn_;
}

}  // namespace ptxmir
