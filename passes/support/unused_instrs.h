// SPDX-License-Identifier: Apache-2.0

// What passes that replace and move computations in SSA form have in common. UnusedInstrs erases instructions that such
// a pass has left without use, with what only served them.

#ifndef PTXMIR_PASSES_SUPPORT_UNUSED_INSTRS_H_
#define PTXMIR_PASSES_SUPPORT_UNUSED_INSTRS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Whether the instruction does nothing but compute its results, so that it may go, be repeated and be moved to where
// its operands are available.
bool IsPlainComputation(const MachineInstr& instr);

// Makes the debug instructions that read a register, which is about to have no definition, say that they know nothing.
void DropDebugUses(MachineRegisterInfo& reg_info, Register reg);

// Of registers, each as often as you like, that may be read later than their kill flags say.
void ClearKillFlags(MachineRegisterInfo& reg_info, std::vector<Register> registers);

class UnusedInstrs {
 public:
  explicit UnusedInstrs(MachineFunction& function) : reg_info_(function.reg_info()) {}

  // Registers that have lost a use.
  void Add(Register reg) {
    if (reg.is_virtual()) registers_.push_back(reg);
  }
  // PHIs that may be used by nobody but, through other instructions, by themselves.
  void AddPhi(Register reg) { phis_.push_back(reg); }
  // Returns how many instructions went.
  uint64_t Erase();

 private:
  void EraseRegisters();
  void EraseIfUnused(MachineInstr& instr);
  void EraseCycleIfUnused(MachineInstr& phi);
  void EraseOne(MachineInstr& instr);

  MachineRegisterInfo& reg_info_;
  std::vector<Register> registers_;
  std::vector<Register> phis_;
  uint64_t num_erased_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_UNUSED_INSTRS_H_
