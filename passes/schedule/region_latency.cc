// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/region_latency.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "passes/schedule/cycle_estimate.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/instr_region.h"
#include "passes/schedule/latency_order.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The percentage of a hard limit that an order may use if the old one needs less. ptxas hoists loads itself, up to the
// limit, and spills what it then has no room for (docs/tried-and-lost.md).
constexpr uint32_t kUsablePercent = 75;

class RegionScheduler {
 public:
  RegionScheduler(MachineFunction& function, PassContext& context, RegisterLimit limit)
      : function_(function),
        context_(context),
        model_(ptx::MachineModel::For(context.analyses.inputs().subtarget)),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        builder_(function, context.analyses.Get<MemoryDependence>(), model_),
        scheduler_(function, model_),
        live_(function),
        trial_(function) {
    const ptx::Subtarget* const subtarget = context.analyses.inputs().subtarget;
    const ptx::SmLimits& limits = subtarget == nullptr ? ptx::FindSm("sm_80")->limits : subtarget->limits();
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    const uint32_t units = pressure_.MaxUnits();
    options_.mode = context.knobs.scheduling_mode();
    const unsigned warps = ptx::ComputeOccupancy(limits, ResourcesOf(budget, units, limits)).warps;
    options_.warps = std::max(1u, warps / model_.num_schedulers());
    if (limit == RegisterLimit::kFunction) limit_ = units;
    if (!budget.is_hard) return;
    hard_limit_ = budget.registers;
    limit_ = std::min(limit_, budget.registers * kUsablePercent / 100);
  }

  bool Run() {
    for (MachineBasicBlock& block : function_) ScheduleBlock(block);
    context_.AddStatistic("regions scheduled", num_scheduled_);
    context_.AddStatistic("estimated cycles of these regions before", cycles_before_);
    context_.AddStatistic("estimated cycles of these regions after", cycles_after_);
    return num_scheduled_ != 0;
  }

 private:
  // Schedules the regions of a block from the last to the first, with the registers that are live below each.
  void ScheduleBlock(MachineBasicBlock& block) {
    live_.Clear();
    for (const uint32_t reg : pressure_.LiveOuts(block)) live_.Add(reg);
    VisitUpwards(
        block, [&](MachineInstr& boundary) { live_.StepUp(boundary); },
        [&](const InstrRegion& region) {
          trial_.CopyFrom(live_);
          const uint32_t peak = PeakOf(region, trial_);
          if (region.instrs.size() >= 3) ScheduleOne(region, peak);
          std::swap(live_, trial_);
        });
  }

  // `live_` is the set of registers live below the region.
  void ScheduleOne(const InstrRegion& region, uint32_t old_peak) {
    builder_.Build(region.instrs, dag_);
    options_.limit = std::max(limit_, old_peak);
    if (old_peak > hard_limit_) return;
    const ScheduleRegion::Order order = scheduler_.Schedule(dag_, live_, options_);
    if (order.peak > options_.limit) return;
    std::vector<const MachineInstr*> instrs(region.instrs.begin(), region.instrs.end());
    const uint32_t before = CyclesOf(instrs, model_, options_.warps);
    for (size_t i = 0; i < instrs.size(); ++i) instrs[i] = region.instrs[order.sequence[i]];
    const uint32_t after = CyclesOf(instrs, model_, options_.warps);
    if (after >= before) return;
    Report(region, before, after);
    ++num_scheduled_;
    cycles_before_ += before;
    cycles_after_ += after;
    Reorder(region, order.sequence);
  }

  void Report(const InstrRegion& region, uint32_t before, uint32_t after) {
    const MachineInstr& first = *region.instrs.front();
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Scheduled", first.debug_loc(), *first.parent())
             << "put " << RemarkArg("NumInstrs", region.instrs.size())
             << " instructions in another order: " << RemarkArg("Cycles", after) << " cycles, not "
             << RemarkArg("OldCycles", before);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const ptx::MachineModel& model_;
  MachineRegisterPressure& pressure_;
  ScheduleDagBuilder builder_;
  ScheduleDag dag_;
  LatencyScheduler scheduler_;
  LatencyOptions options_;
  uint32_t hard_limit_ = ~uint32_t{0};
  uint32_t limit_ = 0;  // at least that many registers may be live
  LiveUnits live_;
  LiveUnits trial_;
  uint64_t num_scheduled_ = 0;
  uint64_t cycles_before_ = 0;
  uint64_t cycles_after_ = 0;
};

}  // namespace

bool ScheduleForLatency(MachineFunction& function, PassContext& context, RegisterLimit limit) {
  return RegionScheduler(function, context, limit).Run();
}

}  // namespace ptxmir
