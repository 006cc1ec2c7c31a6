// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/post_ra_scheduler.h"

#include "analysis/liveness/live_variables.h"
#include "passes/schedule/region_latency.h"

namespace ptxmir {
namespace {

PassResult Run(MachineFunction& function, PassContext& context, RegisterLimit limit) {
  if (!ScheduleForLatency(function, context, limit)) return {};
  // The last uses have changed.
  context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace

PassResult RunPostRaScheduler(MachineFunction& function, PassContext& context) {
  return Run(function, context, RegisterLimit::kRegion);
}

PassResult RunPostMachineScheduler(MachineFunction& function, PassContext& context) {
  return Run(function, context, RegisterLimit::kFunction);
}

}  // namespace ptxmir
