// SPDX-License-Identifier: Apache-2.0

// Puts the regions of a function in orders that let fewer cycles pass: the latency mode of machine-scheduler and the
// schedulers after allocation.
//
// Each region is ordered by LatencyScheduler (latency_order.h). The order is kept if it needs no more registers than
// allowed and if the estimate (cycle_estimate.h) says that it takes fewer cycles, for the warps that are resident with
// the registers that are live in the function.
//
// Loads that are hoisted make ptxas spill where registers are short. Under a hard limit, a region that exceeds it keeps
// its order, and in others an order may take no more than three quarters of it, unless the old one does.

#ifndef PTXMIR_PASSES_SCHEDULE_REGION_LATENCY_H_
#define PTXMIR_PASSES_SCHEDULE_REGION_LATENCY_H_

#include <cstdint>

#include "passes/pass_context.h"

namespace ptxmir {

// The registers that orders may need, if the region does not need more as it is.
enum class RegisterLimit : uint8_t {
  kRegion,    // as many as are live at once in the region as it is
  kFunction,  // as many as are live at once anywhere in the function
};

// Returns true if a region was reordered. Kill flags are then out of date.
bool ScheduleForLatency(MachineFunction& function, PassContext& context, RegisterLimit limit);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_REGION_LATENCY_H_
