// SPDX-License-Identifier: Apache-2.0

// Rematerialization by measured profit, which -nv-remat-measured runs instead of cicc's algorithm.
//
// Each round has these steps. Collect the values that are live through points over the target and can be
// recomputed. Make a plan for each (block_remat_plan.h), and score it by the units over the target that it saves
// relative to the executed instructions that it adds. Take plans in the order of their scores, and replan each
// with the pressure that the earlier ones leave. Drop the plans that are not needed for the peak that is reached.
// Apply the rest and let machine-rpa measure. If the function did not get closer to its target, the round is
// undone, as AMDGPU's scheduler undoes rematerialization that does not raise occupancy.
//
// If the target is a hard limit, each register on the way to it counts, because ptxas spills the registers above
// it. Without a limit, the target is the pressure at which all warps that an SM holds can be resident (or
// -nv-remat-default-max-reg), and only steps of the register file's allocation granularity count: each of them is
// the goal of a round. The executed instructions may grow by at most -nv-remat-max-growth percent, according to
// block frequencies. Without a limit, they may grow by more, since only whole steps of occupancy are bought, but in no
// loop by more than -nv-remat-max-loop-growth percent (block_remat_allowance.h).
//
// Predicates have a target of their own, seven (-pred-target-adjust), and their own search after that of the registers.
// ptxas copies predicates beyond the seven to registers and back, so each of them counts, as under a hard limit. No
// range of a register is extended for it.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_PEAKS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_PEAKS_H_

#include <cstdint>

#include "analysis/pressure/register_budget.h"
#include "passes/pass_context.h"
#include "passes/remat/block_remat_pressure.h"

namespace ptxmir {

struct RematTarget {
  RegisterFile file = RegisterFile::kRegisters;
  uint32_t units = 0;
  bool is_hard = false;
  uint32_t granularity = 1;
  const ReconfiguredRegisters* reconfigured = nullptr;  // null: setmaxnreg does not count
};

struct RematResult {
  bool changed = false;
  uint32_t max_live_before = 0;
  uint32_t max_live = 0;
  uint32_t num_values = 0;
  uint32_t num_clones = 0;
  uint32_t num_erased = 0;
};

RematResult RematerializeAtPeaks(MachineFunction& function, PassContext& context, const RematTarget& target);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_PEAKS_H_
