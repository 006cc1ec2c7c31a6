// SPDX-License-Identifier: Apache-2.0

// The edits of machine-cse. machine-rpa follows them from the first question for the pressure on. Most functions have
// no common subexpressions, and for them nobody asks.

#ifndef PTXMIR_PASSES_SSA_CSE_EDITOR_H_
#define PTXMIR_PASSES_SSA_CSE_EDITOR_H_

#include <cstdint>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "passes/pass_context.h"

namespace ptxmir {

class CseEditor {
 public:
  // If it keeps the pressure, machine-rpa stays valid.
  CseEditor(MachineFunction& function, PassContext& context, bool keeps_pressure)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        pressure_(keeps_pressure ? context.analyses.GetCached<MachineRegisterPressure>() : nullptr) {}

  // Returns the register pressure, which it computes if that was not done yet. The editor must keep it.
  const MachineRegisterPressure& Pressure() {
    if (pressure_ == nullptr) pressure_ = &context_.analyses.Get<MachineRegisterPressure>();
    return *pressure_;
  }

  // Makes the instruction read the sources of COPYs instead of their results, where the source has the same class and a
  // single definition. Erases COPYs that are no longer used. Returns true if it changed anything.
  bool LookThroughCopies(MachineInstr& instr);

  // Erases the instruction; its users read the results of `earlier` instead, which computes the same.
  void Replace(MachineInstr& instr, MachineInstr& earlier);

  // Inserts a clone of an instruction with a single result before the terminators of the block. The clone has a new
  // result. It either stays (Keep) or is erased again (Withdraw).
  MachineInstr& InsertClone(const MachineInstr& instr, MachineBasicBlock& block);
  void Keep(const MachineInstr& clone);
  void Withdraw(MachineInstr& clone);

  uint64_t num_eliminated() const { return num_eliminated_; }
  uint64_t num_hoisted() const { return num_hoisted_; }  // clones that stay
  uint64_t num_copies() const { return num_copies_; }    // operands
  // A clone that was withdrawn leaves a register behind, so it counts as a change.
  bool has_changed() const { return num_eliminated_ + num_hoisted_ + num_withdrawn_ + num_copies_ != 0; }

 private:
  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  MachineRegisterPressure* pressure_;  // is told of each edit; null: not computed yet, or not kept
  std::vector<Register> replaced_;     // scratch space
  uint64_t num_eliminated_ = 0;
  uint64_t num_hoisted_ = 0;
  uint64_t num_withdrawn_ = 0;
  uint64_t num_copies_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_CSE_EDITOR_H_
