// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/early_if_conversion.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/values/memory_dependence.h"
#include "passes/control_flow/if_conversion_profit.h"
#include "passes/control_flow/if_region.h"

namespace ptxmir {
namespace {

// A round converts the innermost regions. Sides are short, so that few are nested in each other.
constexpr int kMaxRounds = 8;

class EarlyIfConverter {
 public:
  EarlyIfConverter(MachineFunction& function, PassContext& context)
      : function_(function),
        context_(context),
        is_forced_(context.knobs.stress_early_ifcvt()),
        max_instrs_(is_forced_ ? std::numeric_limits<uint32_t>::max()
                               : static_cast<uint32_t>(context.knobs.early_ifcvt_limit())),
        is_reported_(function.block_number_bound(), false) {}

  bool Run() {
    bool changed = false;
    for (int round = 0; round < kMaxRounds && RunRound(); ++round) changed = true;
    context_.AddStatistic("triangles converted", num_triangles_);
    context_.AddStatistic("diamonds converted", num_diamonds_);
    context_.AddStatistic("selects inserted", num_selects_);
    return changed;
  }

 private:
  bool RunRound() {
    CollectCandidates();
    if (candidates_.empty()) return false;
    std::optional<IfConversionProfit> profit;
    if (!is_forced_) profit.emplace(function_, context_);
    std::erase_if(candidates_, [&](const IfRegion& region) { return !IsWanted(region, profit); });
    if (candidates_.empty()) return false;
    for (const IfRegion& region : candidates_) Convert(*region.head);
    context_.analyses.Invalidate(PreservedAnalyses::None());
    return true;
  }

  // Collects the regions that may be converted. A head comes before the heads from which control comes to it, so that
  // it is still there when its turn comes: it may be the tail of another region.
  void CollectCandidates() {
    candidates_.clear();
    const DepthFirstOrder order(function_);
    const auto& memory = context_.analyses.Get<MemoryDependence>();
    for (auto it = order.reverse_postorder.rbegin(); it != order.reverse_postorder.rend(); ++it) {
      const IfRegion region = FindIfRegion(**it);
      if (region.head == nullptr) continue;
      const IfObstacle obstacle = FindObstacle(region, memory, max_instrs_);
      if (obstacle.reason.empty()) {
        candidates_.push_back(region);
      } else {
        ReportMissed(region, obstacle.reason, *obstacle.instr);
      }
    }
  }

  bool IsWanted(const IfRegion& region, std::optional<IfConversionProfit>& profit) {
    if (!profit.has_value()) return true;
    FindSelects(region, selects_);
    const IfConversionProfit::Verdict verdict = profit->Judge(region, selects_);
    if (!verdict.refusal.empty()) ReportMissed(region, verdict.refusal, *region.branch);
    return verdict.refusal.empty();
  }

  void Convert(MachineBasicBlock& head) {
    // Its blocks may have changed since: its tail has taken in another block, or is the head of what was converted.
    const IfRegion region = FindIfRegion(head);
    if (region.head == nullptr) return;
    FindSelects(region, selects_);
    uint32_t num_selects = 0;
    for (const IfSelect& select : selects_) num_selects += select.num_instrs;
    ReportConverted(region, num_selects);
    num_selects_ += num_selects;
    ++(region.is_diamond() ? num_diamonds_ : num_triangles_);
    ConvertIfRegion(region, selects_);
  }

  void ReportConverted(const IfRegion& region, uint32_t num_selects) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "IfConversion", *region.branch)
             << "performed if-conversion on branch: " << RemarkArg("NumSelects", num_selects) << " instructions select "
             << RemarkArg("NumValues", selects_.size()) << " values";
    });
  }

  void ReportMissed(const IfRegion& region, std::string_view reason, const MachineInstr& at) {
    if (is_reported_[region.head->number()]) return;
    is_reported_[region.head->number()] = true;
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context_.pass_name, "IfConversion", at)
             << "did not if-convert branch: " << RemarkArg("Reason", reason);
    });
  }

  MachineFunction& function_;
  PassContext& context_;
  const bool is_forced_;
  const uint32_t max_instrs_;
  std::vector<bool> is_reported_;  // by the number of the head
  std::vector<IfRegion> candidates_;
  std::vector<IfSelect> selects_;
  uint64_t num_triangles_ = 0;
  uint64_t num_diamonds_ = 0;
  uint64_t num_selects_ = 0;
};

}  // namespace

PassResult RunEarlyIfConversion(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.num_blocks() < 3) return {.changed = false};
  return {.changed = EarlyIfConverter(function, context).Run()};
}

}  // namespace ptxmir
