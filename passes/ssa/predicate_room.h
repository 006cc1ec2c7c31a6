// SPDX-License-Identifier: Apache-2.0

// The room for predicates in each block, for machine-cse. An earlier predicate that stands for a later one stays live
// up to there, and in each block on the way one more is live. machine-rpa would have to follow each edit to tell how
// many they are. Here they are counted up in the blocks on the way, which gives bounds; machine-rpa is asked again when
// the bounds leave no room.

#ifndef PTXMIR_PASSES_SSA_PREDICATE_ROOM_H_
#define PTXMIR_PASSES_SSA_PREDICATE_ROOM_H_

#include <cstdint>
#include <vector>

#include "analysis/pressure/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

class PredicateRoom {
 public:
  // At most `limit` predicates are to be live at a point of the function.
  PredicateRoom(const MachineFunction& function, uint32_t limit) : function_(function), limit_(limit) {}

  // Keeps a predicate with one definition live up to an instruction, which that dominates, if there is room in all
  // blocks where it was not live. Returns false if there is none.
  bool Keep(Register predicate, const MachineInstr& until, const MachineRegisterPressure& pressure);

 private:
  void Count(const MachineRegisterPressure& pressure);
  bool KeepIfKnown(Register predicate, const MachineInstr& until, const MachineRegisterPressure& pressure);
  // Finds the blocks in which the predicate becomes live. Returns false once one of them has no room.
  bool FindBlocks(Register predicate, const MachineInstr& until, const MachineRegisterPressure& pressure);

  const MachineFunction& function_;
  const uint32_t limit_;
  std::vector<uint32_t> most_;  // by block: a bound of the predicates live at a point; empty before the first question
  bool is_exact_ = false;       // the bounds are the peaks of the blocks
  std::vector<bool> is_found_;  // by block
  std::vector<const MachineBasicBlock*> found_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_PREDICATE_ROOM_H_
