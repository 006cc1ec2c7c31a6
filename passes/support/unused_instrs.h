// SPDX-License-Identifier: Apache-2.0

// Shared helpers for passes that replace and move computations in SSA form. UnusedInstrs erases the instructions
// that such a pass has left without uses, together with the computations that only they used.

#ifndef PTXMIR_PASSES_SUPPORT_UNUSED_INSTRS_H_
#define PTXMIR_PASSES_SUPPORT_UNUSED_INSTRS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if the instruction does nothing but compute its results, so that it may be erased, repeated, or
// moved to any place where its operands are available.
bool IsPlainComputation(const MachineInstr& instr);

// Returns true if the instruction may be erased once nothing reads its results.
bool IsDeletableIfUnused(const MachineInstr& instr);

// Makes the debug instructions that read a register undefined. The register is about to lose its definition.
void DropDebugUses(MachineRegisterInfo& reg_info, Register reg);

// Clears the kill flags of registers that may be read later than these flags say. `registers` may contain
// duplicates.
void ClearKillFlags(MachineRegisterInfo& reg_info, std::vector<Register> registers);

class UnusedInstrs {
 public:
  explicit UnusedInstrs(MachineFunction& function) : reg_info_(function.reg_info()) {}

  // Adds a register that has lost a use.
  void Add(Register reg) {
    if (reg.is_virtual()) registers_.push_back(reg);
  }
  // Adds a PHI that may have no uses except, through other instructions, by itself.
  void AddPhi(Register reg) { phis_.push_back(reg); }
  // Erases the unused instructions and returns their number.
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
