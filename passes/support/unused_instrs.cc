// SPDX-License-Identifier: Apache-2.0

#include "passes/support/unused_instrs.h"

#include <algorithm>
#include <utility>

#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

bool IsPlainComputation(const MachineInstr& instr) {
  if (instr.num_operands() == 0 || !instr.operand(0).is_def()) return false;
  if (instr.is_copy()) return instr.operand(1).is_reg() && instr.operand(1).reg().is_virtual();
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  return info.is_pure() && !info.is_collective() && info.is_deletable_if_unused();
}

bool IsDeletableIfUnused(const MachineInstr& instr) {
  if (instr.is_copy() || instr.is_implicit_def()) return true;
  if (instr.is_inline_asm() || instr.is_terminator() || instr.is_call()) return false;
  return ptx::InstrInfo(instr.opcode()).is_deletable_if_unused() && !ptx::IsOrderedAccess(instr);
}

void DropDebugUses(MachineRegisterInfo& reg_info, Register reg) {
  const auto uses = reg_info.Uses(reg);
  for (auto it = uses.begin(); it != uses.end();) {
    MachineOperand& use = *it++;
    if (use.is_debug()) use.SetReg(Register());
  }
}

void ClearKillFlags(MachineRegisterInfo& reg_info, std::vector<Register> registers) {
  std::sort(registers.begin(), registers.end());
  registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
  for (const Register reg : registers) reg_info.ClearKillFlags(reg);
}

void UnusedInstrs::EraseOne(MachineInstr& instr) {
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_use()) Add(operand.reg());
    if (operand.is_def()) DropDebugUses(reg_info_, operand.reg());
  }
  instr.EraseFromParent();
  ++num_erased_;
}

void UnusedInstrs::EraseIfUnused(MachineInstr& instr) {
  if (!instr.is_phi() && !IsPlainComputation(instr)) return;
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_def()) continue;
    if (!operand.reg().is_virtual() || !reg_info_.NonDebugUses(operand.reg()).empty()) return;
  }
  EraseOne(instr);
}

void UnusedInstrs::EraseCycleIfUnused(MachineInstr& phi) {
  constexpr size_t kMaxCycle = 8;
  std::vector<MachineInstr*> cycle = {&phi};
  for (size_t i = 0; i < cycle.size(); ++i) {
    for (const MachineOperand& use : reg_info_.NonDebugUses(cycle[i]->operand(0).reg())) {
      MachineInstr* user = use.parent();
      if (std::find(cycle.begin(), cycle.end(), user) != cycle.end()) continue;
      if (!IsPlainComputation(*user) || user->num_explicit_defs() != 1 || cycle.size() == kMaxCycle) return;
      cycle.push_back(user);
    }
  }
  for (MachineInstr* instr : cycle) EraseOne(*instr);
}

void UnusedInstrs::EraseRegisters() {
  while (!registers_.empty()) {
    const Register reg = registers_.back();
    registers_.pop_back();
    if (MachineInstr* def = reg_info_.UniqueDef(reg); def != nullptr) EraseIfUnused(*def);
  }
}

uint64_t UnusedInstrs::Erase() {
  EraseRegisters();
  for (const Register reg : std::exchange(phis_, {})) {
    if (MachineInstr* def = reg_info_.UniqueDef(reg); def != nullptr && def->is_phi()) EraseCycleIfUnused(*def);
  }
  EraseRegisters();
  return std::exchange(num_erased_, 0);
}

}  // namespace ptxmir
