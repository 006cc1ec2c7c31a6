// SPDX-License-Identifier: Apache-2.0

#include "passes/report/occupancy_remarks.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/pressure_profile.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr size_t kMaxValuesNamed = 8;

unsigned WarpsOf(const ptx::SmInfo& sm, const ptx::KernelResources& kernel) {
  return ptx::ComputeOccupancy(sm.limits, kernel).warps;
}

}  // namespace

OccupancyRemarks::OccupancyRemarks(MachineFunction& function, AnalysisManager& analyses, const ptx::SmInfo& sm)
    : function_(function),
      analyses_(analyses),
      sm_(sm),
      budget_(ComputeRegisterBudget(function, analyses.knobs(), sm)),
      last_(Measure()) {}

ptx::KernelResources OccupancyRemarks::Resources(uint32_t units) const {
  return ResourcesOf(budget_, units, sm_.limits);
}

OccupancyRemarks::Step OccupancyRemarks::Measure() {
  const auto& pressure = analyses_.Get<MachineRegisterPressure>();
  Step step;
  step.units = pressure.MaxUnits();
  step.ctas = ptx::ComputeOccupancy(sm_.limits, Resources(step.units)).ctas;
  for (const MachineBasicBlock& block : function_) {
    if (pressure.Block(block).peak.units != step.units) continue;
    for (const Register reg : pressure.LiveAtPeak(block).live) step.live.push_back(reg);
    break;
  }
  std::sort(step.live.begin(), step.live.end(),
            [](Register a, Register b) { return a.virtual_index() < b.virtual_index(); });
  return step;
}

// Returns a text like "%12, %40 and 3 more" with the values that are live at the peak now but were not at the last
// one.
std::string OccupancyRemarks::ValuesOf(const Step& now) const {
  std::vector<Register> more;
  std::set_difference(now.live.begin(), now.live.end(), last_.live.begin(), last_.live.end(), std::back_inserter(more),
                      [](Register a, Register b) { return a.virtual_index() < b.virtual_index(); });
  std::string values;
  for (size_t i = 0; i < std::min(more.size(), kMaxValuesNamed); ++i) {
    StrAppend(&values, i == 0 ? "" : ", ", RegisterName(function_, more[i]));
  }
  if (more.size() > kMaxValuesNamed) StrAppend(&values, " and ", more.size() - kMaxValuesNamed, " more");
  return values.empty() ? "none" : values;
}

void OccupancyRemarks::NotePass(std::string_view pass) {
  Step now = Measure();
  if (now.ctas < last_.ctas) falls_.push_back({pass, last_.units, now.units, last_.ctas, ValuesOf(now)});
  last_ = std::move(now);
}

void OccupancyRemarks::EmitFall(const Fall& fall) {
  analyses_.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kMissed, kOccupancyRemarks, "OccupancyLowered", function_)
           << RemarkArg("Pass", fall.pass) << " raised the number of live registers from "
           << RemarkArg("UnitsBefore", fall.units_before) << " to " << RemarkArg("Units", fall.units_after)
           << " registers: " << RemarkArg("Warps", WarpsOf(sm_, Resources(fall.units_after)))
           << " warps fit on an SM instead of " << RemarkArg("WarpsBefore", WarpsOf(sm_, Resources(fall.units_before)))
           << "; live at the peak, and not before: " << RemarkArg("Values", fall.values);
  });
}

void OccupancyRemarks::EmitLimit() {
  const ptx::KernelResources kernel = Resources(last_.units);
  if (!ptx::NextStepUp(sm_.limits, kernel).has_value()) return;
  analyses_.Get<MachineOptRemarkEmitter>().Emit([&] {
    const PressureProfile profile = ComputePressureProfile(function_, analyses_);
    uint32_t units[static_cast<size_t>(PressureRemedy::kNone) + 1] = {};
    for (const LiveValue& value : profile.live) units[static_cast<size_t>(value.remedy)] += value.units;
    const auto units_of = [&](PressureRemedy remedy) { return units[static_cast<size_t>(remedy)]; };
    return MachineRemark(RemarkKind::kAnalysis, kOccupancyRemarks, "OccupancyLimited", function_)
           << RemarkArg("Occupancy", ptx::DescribeOccupancy(sm_.limits, kernel)) << "; at the peak, '"
           << RemarkArg("Peak", profile.peak_instr) << "', "
           << RemarkArg("NumRematerializable", units_of(PressureRemedy::kRematerialize))
           << " registers could be rematerialized, " << RemarkArg("NumSinkable", units_of(PressureRemedy::kSink))
           << " be moved down, " << RemarkArg("NumSpillable", units_of(PressureRemedy::kSpillAroundLoop))
           << " wait in memory while a loop runs, and " << RemarkArg("NumNeeded", units_of(PressureRemedy::kNone))
           << " are needed";
  });
}

// A reduction that a later pass undid is not reported.
void OccupancyRemarks::Emit() {
  for (const Fall& fall : falls_) {
    if (last_.ctas < fall.ctas_before) EmitFall(fall);
  }
  EmitLimit();
}

}  // namespace ptxmir
