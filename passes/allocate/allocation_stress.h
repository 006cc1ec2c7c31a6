// SPDX-License-Identifier: Apache-2.0

// -ra-stress: splits and spills registers whether they fit or not, so that tests meet code which budgets rarely ask
// for.

#ifndef PTXMIR_PASSES_ALLOCATE_ALLOCATION_STRESS_H_
#define PTXMIR_PASSES_ALLOCATE_ALLOCATION_STRESS_H_

#include "options/knobs.h"
#include "passes/allocate/assignment/reg_alloc_advisors.h"
#include "passes/allocate/spill/inline_spiller.h"
#include "passes/allocate/split/region_splitter.h"

namespace ptxmir {

// Splits or spills the registers of the function, as `stress` says. The choices are random, and the same in every run.
void StressAllocation(MachineFunction& function, const AllocationState& state, RegisterStress stress,
                      RegionSplitter& splitter, InlineSpiller& spiller);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_ALLOCATION_STRESS_H_
