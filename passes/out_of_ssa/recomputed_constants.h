// SPDX-License-Identifier: Apache-2.0

// Which constants are better computed again where they are copied than kept in a register that is joined with the
// copies' targets.
//
// Joining saves a `mov`; it keeps the constant in a register from where it is computed to where it is wanted. So it is
// done unless that register would be live in a block whose peak is above the register budget (register_budget.h), and
// nobody but copies needs it there. This is the one decision of coalescing on which pressure depends: elsewhere a
// joined register is live only where one of the two was.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "analysis/live_intervals.h"
#include "analysis/machine_block_frequencies.h"
#include "passes/pass.h"

namespace ptxmir {

class RecomputedConstants {
 public:
  RecomputedConstants(MachineFunction& function, PassContext& context, const LiveIntervals& intervals,
                      const MachineBlockFrequencies& frequencies)
      : function_(function), context_(context), intervals_(intervals), frequencies_(frequencies) {}

  // Of what a PHI or a COPY reads where it is executed `frequency` times. A constant that is computed less often than
  // it is copied is better joined, wherever it lives. Looks at the register's uses once.
  bool IsBetterRecomputed(Register reg, uint64_t frequency);

 private:
  enum class Answer : uint8_t { kUnknown, kNo, kYes };

  // Whether the register holds one constant, and PHIs and COPYs are all that read it.
  bool IsThereForCopies(Register reg) const;
  // Whether it is live in a block that needs more registers than there are to be.
  bool IsLiveInCrowdedBlock(Register reg);
  void FindCrowdedBlocks();

  MachineFunction& function_;
  PassContext& context_;
  const LiveIntervals& intervals_;
  const MachineBlockFrequencies& frequencies_;
  std::vector<Answer> answers_;   // by virtual register
  std::vector<bool> is_crowded_;  // by block; empty: not known yet
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_
