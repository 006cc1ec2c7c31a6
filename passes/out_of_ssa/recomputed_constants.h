// SPDX-License-Identifier: Apache-2.0

// Decides which constants are better recomputed where they are copied than kept in a register that is joined with
// the copies' targets.
//
// Joining saves a `mov`, but it keeps the constant in a register from its definition to its use. Registers are
// therefore joined unless the result would be live in a block whose peak is above the register budget
// (register_budget.h) and only copies need the constant there. This is the only coalescing decision that depends
// on pressure: elsewhere, a joined register is live only where one of the two was.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/liveness/live_intervals.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "passes/pass_context.h"

namespace ptxmir {

class RecomputedConstants {
 public:
  // `pressure` is the pressure in the function as it is, or null if that is not known.
  RecomputedConstants(MachineFunction& function, PassContext& context, const LiveIntervals& intervals,
                      const MachineBlockFrequencies& frequencies, const MachineRegisterPressure* pressure = nullptr)
      : function_(function), context_(context), intervals_(intervals), frequencies_(frequencies), pressure_(pressure) {}

  // Returns true for a register that a PHI or a COPY reads, executed `frequency` times, if its constant is better
  // recomputed. A constant that is computed less often than it is copied is better joined, wherever it is live.
  // Looks at the register's uses once.
  bool IsBetterRecomputed(Register reg, uint64_t frequency);

 private:
  enum class Answer : uint8_t { kUnknown, kNo, kYes };

  // Returns true if the register holds a single constant and only PHIs and COPYs read it.
  bool IsThereForCopies(Register reg) const;
  // Returns true if the register is live in a block that exceeds the register budget.
  bool IsLiveInCrowdedBlock(Register reg);
  void FindCrowdedBlocks();
  void MarkCrowdedBlocks(const MachineRegisterPressure& pressure);

  MachineFunction& function_;
  PassContext& context_;
  const LiveIntervals& intervals_;
  const MachineBlockFrequencies& frequencies_;
  const MachineRegisterPressure* const pressure_;
  std::vector<Answer> answers_;   // by virtual register
  std::vector<bool> is_crowded_;  // by block; empty if not computed yet
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_RECOMPUTED_CONSTANTS_H_
