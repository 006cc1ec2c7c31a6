// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/regalloc_fast.h"

#include <optional>
#include <vector>

#include "analysis/liveness/live_variables.h"
#include "passes/allocate/register_limits.h"
#include "passes/allocate/spill/inline_spiller.h"

namespace ptxmir {
namespace {

// Spills the registers that are live across block boundaries, leaves all others alone, and returns the counts.
InlineSpillerCounts SpillWhatCrossesBlocks(MachineFunction& function, AnalysisManager& analyses) {
  AllocationState& state = analyses.Get<RegAllocEvictionAdvisor>().state();
  LiveRangeEdit edit(state);
  InlineSpiller spiller(edit);
  const uint32_t count = state.intervals.num_intervals();
  for (uint32_t i = 0; i < count; ++i) {
    const Register reg = Register::Virtual(i);
    const LiveInterval& interval = state.intervals.Interval(reg);
    if (interval.empty() || state.intervals.OnlyBlock(interval) != nullptr) continue;
    if (!InlineSpiller::CanSpill(function, reg)) continue;
    std::vector<Register> created;
    spiller.Spill(reg, {.rematerialize = false}, created);
  }
  return spiller.counts();
}

}  // namespace

PassResult RunFastRegisterAllocator(MachineFunction& function, PassContext& context) {
  const std::optional<RegisterLimits> limits = RegisterLimitsOf(function, context);
  if (!limits.has_value() || !limits->uses_memory || FitsInto(*limits, context)) return {.changed = false};
  const InlineSpillerCounts counts = SpillWhatCrossesBlocks(function, context.analyses);
  context.AddStatistic("registers spilled", counts.spilled);
  context.AddStatistic("spill stores inserted", counts.stores);
  context.AddStatistic("reloads inserted", counts.reloads);
  if (counts.spilled == 0) return {.changed = false};
  function.SetProperty(FunctionProperty::kIsSsa, false);
  context.analyses.Clear();
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
