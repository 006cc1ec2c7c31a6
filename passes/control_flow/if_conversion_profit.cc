// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/if_conversion_profit.h"

#include <algorithm>

#include "analysis/pressure/register_budget.h"
#include "passes/support/block_ending.h"

namespace ptxmir {
namespace {

constexpr uint64_t kHundred = 100;
constexpr uint64_t kWarpSize = 32;

ptx::InstrCost SelectCost(const ptx::MachineModel& model) { return model.CostOf(ptx::LatencyClass::kAlu); }
ptx::InstrCost BranchCost(const ptx::MachineModel& model) { return model.CostOf(ptx::LatencyClass::kBranch); }

}  // namespace

IfConversionProfit::IfConversionProfit(MachineFunction& function, PassContext& context)
    : function_(function),
      model_(ptx::MachineModel::For(context.analyses.inputs().subtarget)),
      probabilities_(context.analyses.Get<MachineBranchProbabilities>()),
      uniformity_(context.analyses.Get<Uniformity>()),
      pressure_(context.analyses.Get<MachineRegisterPressure>()),
      traces_(context.analyses.Get<MachineTraceMetrics>().ensemble()) {
  const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
  max_units_ = std::max<uint32_t>(pressure_.MaxUnits(), std::min(budget.registers, budget.full));
  max_predicates_ = std::max<uint32_t>(pressure_.MaxPredicates(), budget.predicates);
}

uint64_t IfConversionProfit::IssueOf(const MachineBasicBlock* side) const {
  uint64_t issue = 0;
  if (side == nullptr) return issue;
  for (const MachineInstr& instr : *side) {
    if (!instr.is_terminator() && !TraceEnsemble::IsTransient(instr)) issue += model_.CostOf(instr).issue;
  }
  return issue;
}

uint64_t IfConversionProfit::ShareOf(const IfRegion& region, const MachineBasicBlock* side, bool is_uniform) const {
  if (side == nullptr) return 0;
  const uint64_t share = Scale(kHundred, probabilities_.Probability(*region.head, *side));
  return is_uniform ? share : std::min(kHundred, share * kWarpSize);
}

IfConversionProfit::Verdict IfConversionProfit::Judge(const IfRegion& region, absl::Span<const IfSelect> selects) {
  Verdict verdict;
  verdict.is_uniform = uniformity_.HasUniformBranch(*region.head);
  const uint64_t branch = BranchCost(model_).issue;
  // A divergent branch also marks the place where the threads meet, and waits there.
  verdict.before = kHundred * branch * (verdict.is_uniform ? 1 : 2);
  for (const MachineBasicBlock* side : {region.taken, region.other}) {
    const uint64_t issue = IssueOf(side);
    const uint64_t jump = side != nullptr && EndingOf(*side).jump != nullptr ? branch : 0;
    verdict.before += ShareOf(region, side, verdict.is_uniform) * (issue + jump);
    verdict.after += kHundred * issue;
  }
  for (const IfSelect& select : selects) verdict.after += kHundred * select.num_instrs * SelectCost(model_).issue;
  if (verdict.after > verdict.before) {
    verdict.refusal = "it would issue more instructions than the branch saves";
  } else if (DelaysTail(region, selects, verdict)) {
    verdict.refusal = "the code after it would wait for a side that is not executed";
  } else if (!FitsRegisters(region, selects)) {
    verdict.refusal = "it would need too many registers";
  }
  return verdict;
}

bool IfConversionProfit::DelaysTail(const IfRegion& region, absl::Span<const IfSelect> selects,
                                    const Verdict& verdict) {
  const uint32_t latency = BranchCost(model_).latency;
  const uint32_t resolved = traces_.Cycles(*region.branch).depth + latency * (verdict.is_uniform ? 1 : 2);
  for (const IfSelect& select : selects) {
    if (select.num_instrs == 0) continue;
    const uint32_t latest = traces_.Cycles(*select.phi).depth + traces_.Slack(*select.phi);
    const uint32_t limit = std::max(latest, resolved) + latency / 2;
    for (const MachineBasicBlock* side : {region.taken, region.other}) {
      if (side == nullptr || ShareOf(region, side, verdict.is_uniform) >= kHundred) continue;
      if (traces_.PhiDepth(*select.phi, *side) + SelectCost(model_).latency > limit) return true;
    }
  }
  return false;
}

bool IfConversionProfit::FitsRegisters(const IfRegion& region, absl::Span<const IfSelect> selects) const {
  const auto growth = [&](const MachineBasicBlock* side, bool is_predicates) -> uint32_t {
    if (side == nullptr) return 0;
    const BlockPressure block = pressure_.Block(*side);
    const uint32_t peak = is_predicates ? block.peak.predicates() : block.peak.units;
    const uint32_t entry = is_predicates ? block.entry.predicates() : block.entry.units();
    return peak - std::min(peak, entry);
  };
  // The results of the first side are live through the second. The condition is live up to the selects.
  uint32_t units = 0, predicates = 1;
  for (const IfSelect& select : selects) {
    if (select.num_instrs == 0) continue;
    const uint32_t weight = PressureUnitsOf(function_, select.phi->operand(0).reg());
    units += weight;
    predicates += weight == 0 ? std::min(select.num_instrs, 3u) : 0;
  }
  const RegisterPressure exit = pressure_.Block(*region.head).exit;
  units += exit.units() + std::max(growth(region.taken, false), growth(region.other, false));
  predicates += exit.predicates() + std::max(growth(region.taken, true), growth(region.other, true));
  return units <= max_units_ && predicates <= max_predicates_;
}

}  // namespace ptxmir
