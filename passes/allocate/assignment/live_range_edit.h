// SPDX-License-Identifier: Apache-2.0

// Edits live ranges for spilling and splitting: creates registers that take over parts of existing ones,
// rematerializes instructions, and erases instructions that are no longer needed.
//
// This corresponds to LLVM's LiveRangeEdit. An instruction can be rematerialized at a place if its result depends
// only on registers that hold the same values there as at the original instruction; the value numbers of their
// live ranges are compared. The instruction tables say whether its results and memory accesses allow it. Loads of
// kernel parameters, which never change, count as computations. Operands must have had a single definition before
// anything was split, because the register checker does not follow values computed from other registers.

#ifndef PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_RANGE_EDIT_H_
#define PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_RANGE_EDIT_H_

#include <vector>

#include "passes/allocate/assignment/reg_alloc_advisors.h"

namespace ptxmir {

class LiveRangeEdit {
 public:
  explicit LiveRangeEdit(AllocationState& state);

  AllocationState& state() { return state_; }

  // Creates a register with the same class and original as `reg` and an empty interval.
  Register CreateFrom(Register reg);
  // Gives each connected component of the interval except the first its own register, with the stage of the first.
  void SplitComponents(Register reg, std::vector<Register>& created);

  // Returns true if the instruction may be executed again elsewhere and costs less than a load from memory.
  static bool IsRematerializable(const MachineInstr& def);
  // Returns true if all operands of `def` have the same values before `at` as at `def`.
  bool CanRematerializeAt(const MachineInstr& def, const MachineInstr& at) const;
  // Inserts a copy of `def` that defines `target` before `before`, and indexes it.
  MachineInstr* Rematerialize(const MachineInstr& def, Register target, MachineInstr& before);
  // Replaces a copy by a clone of `def` that defines the copy's target.
  void RematerializeInPlaceOf(MachineInstr& copy, const MachineInstr& def);

  // Returns the instruction before which code that `instr` needs can be inserted: `instr` itself, or the first
  // terminator if `instr` is a terminator.
  static MachineInstr& PlaceBefore(MachineInstr& instr) {
    return instr.is_terminator() ? *instr.parent()->FirstTerminator() : instr;
  }

  // Erases the instruction. The ranges of the registers that it read are too long until Settle is called.
  void Erase(MachineInstr& instr);
  // Puts `instr`, which is already in the block, in the place of `old_instr`, which is erased.
  void Replace(MachineInstr& old_instr, MachineInstr& instr);
  // Records that the register has lost a use.
  void NoteFewerUses(Register reg) { fewer_uses_.push_back(reg); }
  // Shrinks the ranges of registers that have lost uses, erases instructions that are then no longer needed, and
  // repeats until nothing changes. If a range falls into several parts, the new registers are appended to
  // `created`, unless the old one was assigned; the parts are then assigned as well.
  void Settle(std::vector<Register>& created);

 private:
  MachineInstr* CloneBefore(const MachineInstr& def, Register target, MachineInstr& before);
  bool ReadsTheSame(const MachineOperand& operand, SlotIndex def, SlotIndex at) const;

  AllocationState& state_;
  std::vector<bool> has_one_def_;  // by virtual register, before anything was split
  std::vector<Register> fewer_uses_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_RANGE_EDIT_H_
