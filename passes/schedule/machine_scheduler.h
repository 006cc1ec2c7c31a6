// SPDX-License-Identifier: Apache-2.0

// machine-scheduler: puts the instructions of blocks in an order that keeps fewer registers live.
//
// What cicc calls nvptx-sched4reg. ptxas schedules anew, for latency; what an order in PTX can do is to bring down what
// it has to begin with where that is far too much, as where an unrolled loop has all its loads at the top. So only
// those regions of a block (schedule_region.h; the code between calls, barriers, inline asm and other fixed points) are
// touched in which more is live than the register target (register_budget.h), and only if some order has a lower peak:
// of those that meet the target the one that is nearest to the old order, or if none does the one that finishes first
// what it began last (ScheduleTie::kLatest). With -nvptx-sched4reg all regions are, by the order with the lowest peak.
// Without either knob (-enable-misched, -nvptx-sched4reg; in cicc both are off) it runs under a hard budget, where
// ptxas spills less for it; without a limit what ptxas makes of it is as often worse as better (docs/performance.md).
// -autotune tries it.
//
// Between phi-node-elimination and allocation; SSA form is not needed. Debug instructions stay behind the instruction
// that they followed, and behind the definition that they speak of; where that has become impossible because the
// register was overwritten since, the variable is said to have no value.

#ifndef PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_
#define PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_

#include <cstdint>

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMachineScheduler(MachineFunction& function, PassContext& context);

// Whether the pass would find orders in which at most `target` 32-bit registers are live at once. Changes nothing.
bool CanBeScheduledInto(uint32_t target, MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_MACHINE_SCHEDULER_H_
