// SPDX-License-Identifier: Apache-2.0

// Rematerialization by measured profit: what -nv-remat-measured puts in place of the reference's algorithm.
//
// In rounds: collect the values that live through points over the target and can be computed again; make a plan for
// each (block_remat_plan.h) and score it by units over the target saved for what it adds to what is executed; take
// plans in the order of their scores, each made anew with the pressure as those before it leave it; take those back
// that the peak reached does not need; apply the rest; have machine-rpa measure. What did not bring the function
// nearer to its target is undone, as AMDGPU's scheduler does with rematerialization that does not raise occupancy.
// A target that is somebody's limit is worth each register on the way, since ptxas spills what is over it. Without a
// limit the target is what lets all the warps that an SM holds be resident (-nv-remat-default-max-reg: another), and
// only steps of the register file's allocation granularity on the way there count: each is a round's goal. At most
// -nv-remat-max-growth percent more is executed, by block frequencies.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_PEAKS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_PEAKS_H_

#include <cstdint>

#include "analysis/register_budget.h"
#include "passes/pass.h"

namespace ptxmir {

struct RematTarget {
  uint32_t units = 0;
  bool is_hard = false;
  uint32_t granularity = 1;
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
