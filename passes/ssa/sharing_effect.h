// SPDX-License-Identifier: Apache-2.0

// The effect on the pressure of reading an earlier result in place of a later one, told from the uses of the registers
// in one block.
//
// machine-rpa can try out such an edit, but that takes the time of the edit. Most questions need only this: the
// earlier result is live at the later instruction anyway, so nothing is live longer; or it is not, and between its last
// use and the later instruction it is live in addition, while operands that only the later instruction reads are live
// no more. Both lie within the block of the later instruction if the earlier result is live there or is computed there.

#ifndef PTXMIR_PASSES_SSA_SHARING_EFFECT_H_
#define PTXMIR_PASSES_SSA_SHARING_EFFECT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class SharingEffect {
 public:
  SharingEffect(const MachineFunction& function, const MachineDominatorTree& dominators)
      : function_(function), dominators_(dominators) {}

  // Returns true if more is live at some point once the uses of `from` read `to` and the instruction that defines
  // `from` is erased: more units, or for predicates, more predicates. That instruction has no other result that is
  // used, and `to` is computed before it. Returns nothing if it would take more than a look at the block to tell.
  // Instructions of a block may be erased between two questions, but none may be added to it.
  std::optional<bool> RaisesPressure(Register from, Register to, const MachineRegisterPressure& pressure);

  // Returns true if `result`, which `earlier` defines, is live where the block of `later` begins, or is computed there.
  static bool IsLiveAround(Register result, const MachineInstr& earlier, const MachineInstr& later,
                           const MachineRegisterPressure& pressure) {
    return earlier.parent() == later.parent() || pressure.IsLiveIn(*later.parent(), result);
  }

 private:
  // Points of a block, in order: each instruction first reads, then writes.
  using Point = uint32_t;
  struct Life {
    bool goes_on = false;  // the register is live where the instruction reads
    Point dead_from = 0;   // otherwise: the point from which on it is dead
  };

  void Number(const MachineBasicBlock& block);
  Point ReadsOf(const MachineInstr& instr) const { return 2 * positions_[instr.id()]; }
  // Return the life of a register that is live into the block of an instruction, or defined there before the
  // instruction. LifeWithout is that of an operand of the instruction once that no longer reads it.
  std::optional<Life> LifeOf(Register reg, const MachineInstr& instr, const MachineRegisterPressure& pressure) const;
  std::optional<Life> LifeWithout(Register reg, const MachineInstr& instr,
                                  const MachineRegisterPressure& pressure) const;
  struct Reads;
  Reads FindReads(Register reg, const MachineInstr& instr) const;
  // Returns the weight of a register in the kind of pressure to which `like` belongs.
  uint32_t WeightOf(Register reg, Register like) const;

  const MachineFunction& function_;
  const MachineDominatorTree& dominators_;
  const MachineBasicBlock* numbered_ = nullptr;
  std::vector<uint32_t> positions_;  // by the id of an instruction of the numbered block
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_SHARING_EFFECT_H_
