// SPDX-License-Identifier: Apache-2.0

// post-RA-sched and postmisched put the instructions of regions in an order that lets fewer cycles pass, after
// allocation.
//
// Both order regions as region_latency.h says. They differ in the registers that an order may need:
//
//   post-RA-sched   as many as are live at once in the region as it is
//   postmisched     as many as are live at once anywhere in the function, or the hard budget if that is less
//
// -scheduling-mode is for both: simple takes what is ready in program order, full what has the longest path below it.
//
// Allocation in PTX leaves virtual registers, which may have several definitions. ptxas allocates again and schedules
// again, so neither pass runs unless it is asked for (docs/tried-and-lost.md): -disable-post-ra=false, -misched-postra.

#ifndef PTXMIR_PASSES_SCHEDULE_POST_RA_SCHEDULER_H_
#define PTXMIR_PASSES_SCHEDULE_POST_RA_SCHEDULER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPostRaScheduler(MachineFunction& function, PassContext& context);
PassResult RunPostMachineScheduler(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_POST_RA_SCHEDULER_H_
