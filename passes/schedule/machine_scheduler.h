// SPDX-License-Identifier: Apache-2.0

// machine-scheduler reorders the instructions of blocks so that fewer registers are live. cicc calls it
// nvptx-sched4reg.
//
// ptxas reschedules for latency anyway. The order in PTX can only lower the pressure that ptxas starts with where
// that is far too high, for example where an unrolled loop has all its loads at the top. The pass therefore works
// on regions (schedule_region.h: the code between calls, barriers, inline assembly and other fixed points) in
// which more registers are live than the register target (register_budget.h). It reorders a region only if some
// order has a lower peak. Among the orders that meet the target, it takes the one closest to the old order. If
// none meets the target, it takes the one that finishes first what it began last (ScheduleTie::kLatest). With
// -nvptx-sched4reg it reorders all regions, with the order that has the lowest peak.
//
// Where setmaxnreg takes registers away from a thread, the target of a region is lower by them
// (-cta-reconfig-aware-rpa).
//
// If neither knob is given (-enable-misched, -nvptx-sched4reg; both are off in cicc), the pass runs only under a
// hard budget, where it makes ptxas spill less. Without a limit, the result after ptxas is as often worse as
// better (docs/performance.md). -autotune tries it.
//
// Two more modes are off unless they are asked for:
//
//   -sched-occupancy  The target is the number of registers with the highest occupancy of the SM that some order of
//   each
//                     region reaches, if that is higher than the occupancy now. Regions within it stay as they are, and
//                     if no order reaches a higher occupancy, all do.
//   -sched-latency    Afterwards, regions are put in orders that let fewer cycles pass (region_latency.h), with as many
//                     registers as are live elsewhere in the function.
//
// The pass runs between phi-node-elimination and allocation; SSA form is not required. Debug instructions stay
// after the instruction that they followed and after the definition that they describe. If that is impossible
// because the register has been overwritten since, the variable becomes undefined.

#ifndef PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_
#define PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_

#include <cstdint>

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachineScheduler(MachineFunction& function, PassContext& context);

// Returns true if the pass would find orders in which at most `target` 32-bit registers are live at once. Changes
// nothing.
bool CanBeScheduledInto(uint32_t target, MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_
