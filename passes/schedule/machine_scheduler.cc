// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/machine_scheduler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/reconfigured_registers.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/instr_region.h"
#include "passes/schedule/region_latency.h"
#include "passes/schedule/schedule_region.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/occupancy.h"

namespace ptxmir {
namespace {

// A target that no order meets.
constexpr uint32_t kLowest = 0;

struct ScheduleCounts {
  uint64_t num_scheduled = 0;
  uint64_t num_kept = 0;
  uint64_t num_saved = 0;
  uint64_t num_shuffled = 0;
};

class PressureScheduler {
 public:
  // `reconfigured` may be null.
  PressureScheduler(MachineFunction& function, PassContext& context, uint32_t target,
                    const ReconfiguredRegisters* reconfigured = nullptr)
      : function_(function),
        context_(context),
        function_target_(target),
        reconfigured_(reconfigured),
        target_(target),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        graph_(function, context.analyses.Get<MemoryDependence>(),
               ptx::MachineModel::For(context.analyses.inputs().subtarget)),
        live_(function),
        trial_(function) {}

  // Returns true if there are orders that meet the target. Moves nothing.
  bool CanMeetTarget() {
    applies_ = false;
    for (MachineBasicBlock& block : function_) {
      if (pressure_.Block(block).peak.units > function_target_) ScheduleBlock(block);
      if (peak_ > function_target_) return false;
    }
    return true;
  }

  bool Run() {
    for (MachineBasicBlock& block : function_) {
      if (pressure_.Block(block).peak.units > LowestTargetIn(block)) ScheduleBlock(block);
    }
    context_.AddStatistic("regions scheduled", counts_.num_scheduled);
    context_.AddStatistic("regions over the target left as they are", counts_.num_kept);
    context_.AddStatistic("fewer registers at the peaks of regions", counts_.num_saved);
    context_.AddStatistic("regions in a random order", counts_.num_shuffled);
    return counts_.num_scheduled + counts_.num_shuffled != 0;
  }

 private:
  // Returns the target where setmaxnreg has taken registers away.
  uint32_t TargetWithout(int32_t taken) const {
    return function_target_ == kLowest ? kLowest
                                       : static_cast<uint32_t>(std::max<int64_t>(int64_t{function_target_} - taken, 1));
  }

  uint32_t LowestTargetIn(const MachineBasicBlock& block) {
    if (reconfigured_ == nullptr) return function_target_;
    reconfigured_->TakenAtInstrs(block, taken_);
    return taken_.empty() ? function_target_ : TargetWithout(*std::max_element(taken_.begin(), taken_.end()));
  }

  // Schedules the regions of a block from the last to the first, with the registers that are live below each.
  void ScheduleBlock(MachineBasicBlock& block) {
    live_.Clear();
    for (const uint32_t reg : pressure_.LiveOuts(block)) live_.Add(reg);
    is_target_known_ = reconfigured_ == nullptr;
    VisitUpwards(
        block,
        [&](MachineInstr& boundary) {
          peak_ = std::max(peak_, live_.StepUp(boundary));
          if (reconfigured_ != nullptr && ReconfiguredRegisters::IsChange(boundary)) is_target_known_ = false;
        },
        [&](const InstrRegion& region) { ScheduleOne(region); });
  }

  // Schedules a region. Before, live_ is the set of registers live below it, afterwards of those live above it.
  void ScheduleOne(const InstrRegion& region) {
    if (!is_target_known_) target_ = TargetWithout(reconfigured_->TakenBefore(*region.instrs.front()));
    is_target_known_ = true;
    trial_.CopyFrom(live_);
    const uint32_t old_peak = PeakOf(region, trial_);
    if (old_peak <= target_ || region.instrs.size() < 3) {
      peak_ = std::max(peak_, old_peak);
      std::swap(live_, trial_);
      return;
    }
    graph_.Build(region.instrs);
    if (applies_ && context_.knobs.sched_stress() == ScheduleStress::kShuffle) {
      Reorder(region, graph_.Shuffle(random_, live_).sequence);
      ++counts_.num_shuffled;
      return;
    }
    ScheduleRegion::Order best;
    best.peak = old_peak;
    for (const ScheduleTie tie : kScheduleTies) {
      trial_.CopyFrom(live_);
      ScheduleRegion::Order order = graph_.Schedule(tie, trial_);
      if (order.peak < best.peak && IsGoodFor(tie, order.peak)) best = std::move(order);
      if (best.peak <= target_) break;
    }
    std::swap(live_, trial_);
    peak_ = std::max(peak_, best.peak);
    if (!applies_) return;
    if (best.sequence.empty()) {
      ++counts_.num_kept;
      return;
    }
    Report(region, old_peak, best.peak);
    ++counts_.num_scheduled;
    counts_.num_saved += old_peak - best.peak;
    Reorder(region, best.sequence);
  }

  // Among orders over the target, those that finish what was begun cause the least spilling in ptxas. Others reach
  // lower peaks by keeping more registers live elsewhere.
  bool IsGoodFor(ScheduleTie tie, uint32_t peak) const {
    return tie == ScheduleTie::kLatest || peak <= target_ || target_ == kLowest;
  }

  void Report(const InstrRegion& region, uint32_t old_peak, uint32_t peak) {
    const MachineInstr& first = *region.instrs.front();
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Scheduled", first.debug_loc(), *first.parent())
             << "put " << RemarkArg("NumInstrs", region.instrs.size())
             << " instructions in another order: " << RemarkArg("Peak", peak) << " registers live at once, not "
             << RemarkArg("OldPeak", old_peak);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const uint32_t function_target_;
  const ReconfiguredRegisters* const reconfigured_;
  uint32_t target_;  // of the region
  bool is_target_known_ = true;
  std::vector<int32_t> taken_;
  bool applies_ = true;
  uint32_t peak_ = 0;  // the most units live in the new orders of the regions visited
  MachineRegisterPressure& pressure_;
  ScheduleRegion graph_;
  LiveUnits live_;
  LiveUnits trial_;
  SplitMix64 random_{1};
  ScheduleCounts counts_;
};

}  // namespace

bool CanBeScheduledInto(uint32_t target, MachineFunction& function, PassContext& context) {
  return context.analyses.Get<MachineRegisterPressure>().MaxUnits() <= target ||
         PressureScheduler(function, context, target).CanMeetTarget();
}

namespace {

// Returns the registers with the highest occupancy that some order reaches, or nothing if no order reaches more than
// there is.
std::optional<uint32_t> OccupancyTarget(const RegisterBudget& budget, MachineFunction& function, PassContext& context) {
  const ptx::Subtarget* const subtarget = context.analyses.inputs().subtarget;
  const ptx::SmLimits& limits = subtarget == nullptr ? ptx::FindSm("sm_80")->limits : subtarget->limits();
  const unsigned units = context.analyses.Get<MachineRegisterPressure>().MaxUnits();
  const ptx::KernelResources kernel = ResourcesOf(budget, units, limits);
  const ptx::Occupancy now = ptx::ComputeOccupancy(limits, kernel);
  for (const ptx::OccupancyStep& step : ptx::OccupancySteps(limits, kernel)) {
    if (step.occupancy.ctas <= now.ctas) break;
    if (CanBeScheduledInto(step.registers, function, context)) return step.registers;
  }
  return std::nullopt;
}

// Returns the registers into which regions are scheduled, or nothing if the pass has nothing to do.
std::optional<uint32_t> TargetOf(const RegisterBudget& budget, MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  const bool is_shuffled = knobs.sched_stress() == ScheduleStress::kShuffle;
  if (knobs.nvptx_sched4reg() || is_shuffled) return kLowest;
  const bool is_asked_for = knobs.enable_misched().value_or(false);
  const bool is_automatic = !knobs.enable_misched().has_value() && context.opt_level != 0;
  if (!is_asked_for && !is_automatic && !knobs.sched_occupancy()) return std::nullopt;
  if (knobs.sched_occupancy()) {
    const std::optional<uint32_t> target = OccupancyTarget(budget, function, context);
    if (target.has_value()) return target;
  }
  if (is_asked_for || (is_automatic && budget.is_hard)) return budget.registers;
  return std::nullopt;
}

bool ScheduleForPressure(MachineFunction& function, PassContext& context) {
  const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
  const std::optional<uint32_t> target = TargetOf(budget, function, context);
  if (!target.has_value()) return false;
  std::optional<ReconfiguredRegisters> reconfigured;
  if (context.knobs.cta_reconfig_aware_rpa()) reconfigured = ReconfiguredRegisters::Of(function, budget);
  if (reconfigured.has_value()) return PressureScheduler(function, context, *target, &*reconfigured).Run();
  return context.analyses.Get<MachineRegisterPressure>().MaxUnits() > *target &&
         PressureScheduler(function, context, *target).Run();
}

}  // namespace

PassResult RunMachineScheduler(MachineFunction& function, PassContext& context) {
  bool changed = ScheduleForPressure(function, context);
  if (changed) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  if (context.knobs.sched_latency()) {
    const bool reordered = ScheduleForLatency(function, context, RegisterLimit::kFunction);
    if (reordered) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
    changed |= reordered;
  }
  if (!changed) return {};
  // The last uses have changed.
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
