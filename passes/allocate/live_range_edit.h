// SPDX-License-Identifier: Apache-2.0

// What spilling and splitting do to live ranges: new registers that take over parts of old ones, instructions that are
// computed again, and instructions that nobody needs any more.
//
// As LLVM's LiveRangeEdit. An instruction can be computed again at a place if its result depends on nothing but
// registers that hold the same values there as where it stood: value numbers of their live ranges are compared. What
// its results and memory are to be is asked of the instruction tables. Loads of kernel parameters, which nothing
// changes, count as computed. Operands must have had one definition before anything was split: of others the register
// checker does not follow what was computed from them.

#ifndef PTXMIR_PASSES_ALLOCATE_LIVE_RANGE_EDIT_H_
#define PTXMIR_PASSES_ALLOCATE_LIVE_RANGE_EDIT_H_

#include <vector>

#include "passes/allocate/reg_alloc_advisors.h"

namespace ptxmir {

class LiveRangeEdit {
 public:
  explicit LiveRangeEdit(AllocationState& state);

  AllocationState& state() { return state_; }

  // A register of the same class and original, with an empty interval.
  Register CreateFrom(Register reg);
  // Gives each component of the interval but the first a register of its own, with the stage of the first.
  void SplitComponents(Register reg, std::vector<Register>& created);

  // Whether the instruction may be executed again elsewhere, and costs less than a load from memory.
  static bool IsRematerializable(const MachineInstr& def);
  // Whether in front of `at` all that it reads is what it was.
  bool CanRematerializeAt(const MachineInstr& def, const MachineInstr& at) const;
  // A copy of `def` that defines `target`, put in and indexed before `before`.
  MachineInstr* Rematerialize(const MachineInstr& def, Register target, MachineInstr& before);
  // The same in place of a copy, with its target.
  void RematerializeInPlaceOf(MachineInstr& copy, const MachineInstr& def);

  // Where code that `instr` needs can be put: before it, and before all terminators if it is one.
  static MachineInstr& PlaceBefore(MachineInstr& instr) {
    return instr.is_terminator() ? *instr.parent()->FirstTerminator() : instr;
  }
  // Whether it may go when nobody reads its results.
  static bool IsDeletable(const MachineInstr& instr);

  // Takes the instruction out. Ranges of what it read are too long until Settle is called.
  void Erase(MachineInstr& instr);
  // Puts `instr`, which is in the block already, in the place of `old_instr`, which is erased.
  void Replace(MachineInstr& old_instr, MachineInstr& instr);
  // The register is read less than before.
  void NoteFewerUses(Register reg) { fewer_uses_.push_back(reg); }
  // Shrinks the ranges of what erased instructions read, erases what is not needed after that, and so on. Registers
  // that come of ranges in several parts are appended to `created` unless they are assigned like what they were part
  // of.
  void Settle(std::vector<Register>& created);

 private:
  MachineInstr* CloneBefore(const MachineInstr& def, Register target, MachineInstr& before);
  bool ReadsTheSame(const MachineOperand& operand, SlotIndex def, SlotIndex at) const;

  AllocationState& state_;
  std::vector<bool> has_one_def_;  // by virtual register, before anything was split
  std::vector<Register> fewer_uses_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_LIVE_RANGE_EDIT_H_
