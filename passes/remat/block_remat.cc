// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat.h"

#include <algorithm>
#include <optional>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/reconfigured_registers.h"
#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "passes/remat/block_remat_live_outs.h"
#include "passes/remat/block_remat_peaks.h"
#include "ptx/isa/register_classes.h"

namespace ptxmir {
namespace {

bool IsSwitchedOff(const Knobs& knobs) { return knobs.nv_remat_block() == 0 || (knobs.nv_remat_block() & 1) != 0; }

bool IsListed(const MachineFunction& function, const Knobs& knobs) {
  return std::find(knobs.no_mi_remat().begin(), knobs.no_mi_remat().end(), function.name()) !=
         knobs.no_mi_remat().end();
}

// Returns the limit on registers that the search meets first, or the default target.
RematTarget TargetOf(const RegisterBudget& budget, const ReconfiguredRegisters* reconfigured) {
  return {.units = budget.registers,
          .is_hard = budget.is_hard,
          .granularity = budget.granularity,
          .reconfigured = reconfigured};
}

// Returns the target of the search that goes for full occupancy as far as it can and keeps only the steps that it
// reaches.
RematTarget FullOccupancy(const RegisterBudget& budget) {
  return {.units = std::min(budget.registers, budget.full), .is_hard = false, .granularity = budget.granularity};
}

// Returns true if the function may have more registers live than the target. This is cheaper than the pressure.
bool MayExceed(const MachineFunction& function, const RematTarget& target) {
  if (target.reconfigured != nullptr) return true;
  const MachineRegisterInfo& reg_info = function.reg_info();
  if (target.file == RegisterFile::kRegisters) return reg_info.num_virtual_registers() * 2 > target.units;
  uint32_t num_predicates = 0;
  for (uint32_t i = 0; i < reg_info.num_virtual_registers(); ++i) {
    num_predicates += reg_info.reg_class(Register::Virtual(i)) == ptx::reg_class::kB1;
  }
  return num_predicates > target.units;
}

std::string_view NameOf(const RematTarget& target) {
  if (target.reconfigured != nullptr) return "max-live with the registers that setmaxnreg takes away ";
  return target.file == RegisterFile::kPredicates ? "predicates: max-live " : "max-live ";
}

MachineRemark DoneRemark(const MachineFunction& function, std::string_view pass_name, const RematTarget& target,
                         const RematResult& result) {
  return MachineRemark(RemarkKind::kPassed, pass_name, "Rematerialized", function)
         << RemarkArg("NumValues", result.num_values) << " values are rematerialized by "
         << RemarkArg("NumClones", result.num_clones) << " instructions: " << NameOf(target)
         << RemarkArg("MaxLiveBefore", result.max_live_before) << " became " << RemarkArg("MaxLive", result.max_live)
         << ", target " << RemarkArg("Target", target.units);
}

MachineRemark MissedRemark(const MachineFunction& function, std::string_view pass_name, const RematTarget& target,
                           const RematResult& result) {
  return MachineRemark(RemarkKind::kMissed, pass_name, "OverTarget", function)
         << NameOf(target) << "is " << RemarkArg("MaxLive", result.max_live) << ", target "
         << RemarkArg("Target", target.units) << ", and no value that could be rematerialized brings it closer";
}

void Report(const MachineFunction& function, PassContext& context, const RematTarget& target,
            const RematResult& result) {
  context.AddStatistic("values rematerialized", result.num_values);
  context.AddStatistic("instructions cloned", result.num_clones);
  context.AddStatistic("instructions removed", result.num_erased);
  auto& remarks = context.analyses.Get<MachineOptRemarkEmitter>();
  if (result.num_values > 0) remarks.Emit([&] { return DoneRemark(function, context.pass_name, target, result); });
  if (result.num_values == 0 && result.max_live > target.units) {
    remarks.Emit([&] { return MissedRemark(function, context.pass_name, target, result); });
  }
}

}  // namespace

PassResult RunBlockRemat(MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  if (IsSwitchedOff(knobs) || function.empty() || !function.HasProperty(FunctionProperty::kIsSsa)) return {};
  // The instructions of a bundle must stay together.
  if (function.MayContain(generic::kBundle)) return {};
  if (IsListed(function, knobs)) {
    StrAppend(&context.log, "\tSkip machine-instruction rematerialization on ", function.name(), "\n");
    return {};
  }
  if (knobs.nv_dump_remat_block()) StrAppend(&context.log, "\nProcessing: ", function.name(), "\n");
  const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
  std::optional<ReconfiguredRegisters> reconfigured;
  if (knobs.cta_reconfig_aware_mrpa()) reconfigured = ReconfiguredRegisters::Of(function, budget);
  bool changed = false;
  const auto run = [&](const RematTarget& target, auto rematerialize) {
    const RematResult result = rematerialize(function, context, target);
    Report(function, context, target, result);
    changed |= result.changed;
  };
  const bool is_open = knobs.nv_remat_measured() && !knobs.nv_remat_default_max_reg().has_value();
  if (budget.is_hard || !is_open) {
    const RematTarget limit = TargetOf(budget, reconfigured.has_value() ? &*reconfigured : nullptr);
    if (knobs.nv_dump_remat_block() || MayExceed(function, limit)) {
      run(limit, knobs.nv_remat_measured() ? RematerializeAtPeaks : RematerializeLiveOuts);
    }
  }
  // A limit says how many warps are resident at least. And where it was not met, steps towards it may be found that the
  // first search had too little growth for.
  if (is_open && MayExceed(function, FullOccupancy(budget))) run(FullOccupancy(budget), RematerializeAtPeaks);
  if (knobs.nv_remat_measured() && knobs.nv_remat_predicates()) {
    const RematTarget predicates = {.file = RegisterFile::kPredicates, .units = budget.predicates, .is_hard = true};
    if (MayExceed(function, predicates)) run(predicates, RematerializeAtPeaks);
  }
  if (!changed) return {};
  return {.changed = true,
          .preserved = PreservedAnalyses::ControlFlow().Preserve(AnalysisKind::kMachineRegisterPressure)};
}

}  // namespace ptxmir
