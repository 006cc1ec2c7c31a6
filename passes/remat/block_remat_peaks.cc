// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_peaks.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"
#include "passes/remat/block_remat_allowance.h"
#include "passes/remat/block_remat_editor.h"
#include "passes/remat/block_remat_plan.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// A value with its plan at the start of a round, or with bounds that no such plan exceeds.
struct PeakCandidate {
  Register reg;
  bool is_estimate;
  bool is_through_peak;  // live at the highest point without being read there
  int64_t gain;
  RematCost cost;
};

// -nv-remat-max-growth, if it is not set. Chosen by registers and spill bytes at ptxas and by executed instructions
// (docs/tried-and-lost.md).
constexpr int32_t kMaxGrowthUnderLimit = 4;
constexpr int32_t kMaxGrowthForOccupancy = 8;

// Compares the units saved relative to the additional execution cost. Candidates without cost come first. An estimate
// comes no later than the plan itself would.
bool IsBetter(const PeakCandidate& a, const PeakCandidate& b) {
  const bool a_is_free = a.cost <= 0, b_is_free = b.cost <= 0;
  if (a_is_free != b_is_free) return a_is_free;
  if (a_is_free) return a.gain != b.gain ? a.gain > b.gain : a.reg.virtual_index() < b.reg.virtual_index();
  const auto left = static_cast<__int128>(a.gain) * b.cost, right = static_cast<__int128>(b.gain) * a.cost;
  return left != right ? left > right : a.reg.virtual_index() < b.reg.virtual_index();
}

struct IsWorse {
  bool operator()(const PeakCandidate& a, const PeakCandidate& b) const { return IsBetter(b, a); }
};
using CandidateQueue = std::priority_queue<PeakCandidate, std::vector<PeakCandidate>, IsWorse>;

class PeakRemat {
 public:
  PeakRemat(MachineFunction& function, PassContext& context, const RematTarget& target)
      : function_(function),
        context_(context),
        reg_info_(function.reg_info()),
        target_(target),
        dump_(context.knobs.nv_dump_remat_block() && target.file == RegisterFile::kRegisters),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        in_file_(pressure_, target.file, target.reconfigured),
        values_(function, context, target.file),
        editor_(function, &pressure_) {}

  RematResult Run() {
    result_.max_live = result_.max_live_before = in_file_.Max();
    max_units_ = pressure_.MaxUnits();
    for (int32_t round = 0; round < context_.knobs.nv_remat_max_times(); ++round) {
      if (dump_) {
        const size_t num_blocks = in_file_.BlocksOver(target_.units).size();
        StrAppend(&context_.log, "Max-Live-Function(", num_blocks, ") = ", result_.max_live, "\n");
      }
      if (result_.max_live <= target_.units) break;
      SetGoal();
      if (!RunRound()) break;
    }
    if (target_.file == RegisterFile::kRegisters && result_.max_live > target_.units) ReportValuesKept();
    return result_;
  }

 private:
  // Says for each value that is still live at the peak why it is.
  void ReportValuesKept() {
    auto& remarks = context_.analyses.Get<MachineOptRemarkEmitter>();
    if (!remarks.AllowsExtraAnalysis(context_.pass_name)) return;
    const std::vector<MachineBasicBlock*> blocks = in_file_.BlocksOver(result_.max_live - 1);
    if (blocks.empty()) return;
    for (const Register reg : pressure_.LiveAtPeak(*blocks.front()).live) {
      const MachineInstr* const instr = reg_info_.UniqueDef(reg);
      if (instr == nullptr || values_.Units(reg) == 0) continue;
      remarks.Emit([&] {
        return MachineRemark(RemarkKind::kMissed, context_.pass_name, "ValueKept", instr->debug_loc(), *instr->parent())
               << RemarkArg("Register", RegisterName(function_, reg))
               << " is not rematerialized: " << RemarkArg("Reason", ReasonToKeep(reg));
      });
    }
  }

  std::string ReasonToKeep(Register reg) {
    const MachineInstr* const definition = values_.Definition(reg);
    if (definition == nullptr) return "what defines it cannot be executed again elsewhere";
    if (IsLocalLoad(*definition)) return "it is loaded in the block that uses it, and ptxas moves such loads";
    const uint32_t index = reg.virtual_index();
    if (index < hopeless_.size() && hopeless_[index]) {
      return StrCat("no register would be saved where more than ", goal_, " are live");
    }
    if (std::find(too_expensive_.begin(), too_expensive_.end(), reg) != too_expensive_.end()) {
      const std::string limit = StrCat("more would be executed than -nv-remat-max-growth=", MaxGrowth());
      if (MaxGrowthInLoop() == RematAllowance::kNoLimit) return limit + " allows";
      return StrCat(limit, " or -nv-remat-max-loop-growth=", MaxGrowthInLoop(), " allows");
    }
    return StrCat("with all values that could be, more than ", goal_, " registers stay live");
  }

  // A hard limit is the goal at once. On the way to a default target, each step counts on its own, so the
  // additional executed instructions are spent where they bring the next step closest.
  void SetGoal() {
    const uint32_t next_step = (StepsOf(result_.max_live) - 1) * target_.granularity;
    const uint32_t goal = target_.is_hard ? target_.units : std::max(target_.units, next_step);
    if (goal != goal_) hopeless_.clear();
    goal_ = goal;
  }

  uint32_t StepsOf(uint32_t units) const { return (units + target_.granularity - 1) / target_.granularity; }

  // Returns the distance from the target: summed over all blocks for a hard limit, in steps of the granularity for
  // a default target.
  uint64_t Distance() const {
    if (!target_.is_hard) return StepsOf(in_file_.Max());
    uint64_t sum = 0;
    for (const MachineBasicBlock* block : in_file_.BlocksOver(target_.units)) {
      sum += in_file_.Peak(*block) - target_.units;
    }
    return sum;
  }

  // Returns true if fewer predicates were bought with more registers.
  bool CostsRegisters() const { return target_.file == RegisterFile::kPredicates && pressure_.MaxUnits() > max_units_; }

  bool RunRound() {
    const uint64_t distance = Distance();
    RematPoints points(function_, in_file_, goal_);
    RematPlanner planner(function_, context_, values_, points, pressure_);
    if (!allowance_.has_value()) {
      allowance_.emplace(function_, planner, context_.analyses.Get<MachineLoops>(), MaxGrowth(), MaxGrowthInLoop());
    }
    std::vector<int32_t> relief(points.num_points() + 1);
    std::vector<PeakCandidate> candidates = EstimatePlans(points, planner, relief);
    // On the way to a default target, a step that is not reached does not count.
    if (!target_.is_hard && (!CanReachGoal(points, relief) || !CanLowerPeak(points, planner, relief, candidates))) {
      return false;
    }
    std::vector<RematPlan> plans = ChoosePlans(std::move(candidates), points, planner);
    if (!target_.is_hard) {
      if (StepsOf(points.MaxUnits()) >= distance) return false;
      DropNeedless(points, plans);
    }
    if (plans.empty()) return false;
    for (const RematPlan& plan : plans) Apply(plan);
    result_.changed = true;
    if (Distance() >= distance || CostsRegisters()) {
      editor_.Undo();
      pressure_.Recompute();
      return false;
    }
    Commit(plans);
    return true;
  }

  // Returns the percentage by which the executed instructions may grow.
  int32_t MaxGrowth() const {
    return context_.knobs.nv_remat_max_growth().value_or(target_.is_hard ? kMaxGrowthUnderLimit
                                                                         : kMaxGrowthForOccupancy);
  }
  // Returns the same for each loop by itself. Under a hard limit there is none.
  int32_t MaxGrowthInLoop() const {
    return target_.is_hard ? RematAllowance::kNoLimit : context_.knobs.nv_remat_max_loop_growth();
  }

  // Returns true if the instruction is a load that is used only in its own block. Its position there is up to
  // ptxas, which moves loads as far before their uses as it has registers. Cloned next to their uses, such loads
  // cost more than they save.
  bool IsLocalLoad(const MachineInstr& instr) const {
    if (!ptx::InstrInfo(instr.opcode()).reads_memory()) return false;
    const auto uses = reg_info_.NonDebugUses(instr.operand(0).reg());
    return std::all_of(uses.begin(), uses.end(), [&](const MachineOperand& use) {
      return use.parent()->parent() == instr.parent() && !use.parent()->is_phi();
    });
  }

  // Returns the values that are live into a block over the round's goal, or defined in it.
  std::vector<Register> CollectValues() {
    std::vector<bool> seen(reg_info_.num_virtual_registers());
    std::vector<Register> registers;
    const auto consider = [&](Register reg) {
      if (seen[reg.virtual_index()]) return;
      seen[reg.virtual_index()] = true;
      const MachineInstr* const definition = values_.Units(reg) > 0 ? values_.Definition(reg) : nullptr;
      if (definition != nullptr && !IsLocalLoad(*definition)) registers.push_back(reg);
    };
    for (const MachineBasicBlock* block : in_file_.BlocksOver(goal_)) {
      for (const uint32_t index : pressure_.LiveIns(*block)) consider(Register::Virtual(index));
      for (const MachineInstr& instr : *block) {
        for (const MachineOperand& def : VirtualDefs(instr)) consider(def.reg());
      }
    }
    return registers;
  }

  // Estimates the plans for all values that may have one. `relief` receives the units that they may save at each
  // point.
  std::vector<PeakCandidate> EstimatePlans(const RematPoints& points, RematPlanner& planner,
                                           std::vector<int32_t>& relief) {
    std::vector<PeakCandidate> candidates;
    RematPlan plan;
    hopeless_.resize(reg_info_.num_virtual_registers());
    const PointInBlock peak = points.Peak();
    for (const Register reg : CollectValues()) {
      if (hopeless_[reg.virtual_index()]) continue;
      if (!planner.Estimate(reg, plan)) {
        hopeless_[reg.virtual_index()] = true;
        continue;
      }
      planner.AddRelief(absl::MakeSpan(relief));
      candidates.push_back({reg, /*is_estimate=*/true, planner.IsThroughPoint(peak), plan.gain, plan.cost});
    }
    return candidates;
  }

  // Returns true if all plans together might bring every point down to the round's goal. `relief` holds differences
  // between points.
  static bool CanReachGoal(const RematPoints& points, absl::Span<const int32_t> relief) {
    int64_t at_point = 0;
    for (uint32_t point = 0; point < points.num_points(); ++point) {
      at_point += relief[point];
      if (static_cast<int64_t>(points.ExcessAt(point)) > at_point) return false;
    }
    return true;
  }

  // Plans values that are live through the highest point until those that have a plan might bring it down to the
  // round's goal. Returns false if all of them cannot, which many estimates do not show.
  bool CanLowerPeak(const RematPoints& points, RematPlanner& planner, absl::Span<const int32_t> relief,
                    std::vector<PeakCandidate>& candidates) {
    const uint32_t peak = points.Peak().point;
    const int64_t needed = static_cast<int64_t>(points.ExcessAt(peak));
    int64_t possible = std::accumulate(relief.begin(), relief.begin() + peak + 1, int64_t{0});
    int64_t planned = 0;
    RematPlan plan;
    for (PeakCandidate& candidate : candidates) {
      if (planned >= needed) break;
      if (!candidate.is_through_peak) continue;
      const int64_t units = values_.Units(candidate.reg);
      if (planner.Plan(candidate.reg, RematStage::kStart, plan)) {
        candidate = {candidate.reg, /*is_estimate=*/false, /*is_through_peak=*/true, plan.gain, plan.cost};
        planned += units;
        continue;
      }
      hopeless_[candidate.reg.virtual_index()] = true;
      possible -= units;
      if (possible < needed) return false;
    }
    std::erase_if(candidates, [&](const PeakCandidate& candidate) { return hopeless_[candidate.reg.virtual_index()]; });
    return true;
  }

  // Takes plans in the order of what they were worth at the start of the round. Only the values that come first by
  // their estimates are planned.
  std::vector<RematPlan> ChoosePlans(std::vector<PeakCandidate> candidates, RematPoints& points,
                                     RematPlanner& planner) {
    CandidateQueue queue(IsWorse(), std::move(candidates));
    std::vector<RematPlan> plans;
    RematPlan plan;
    while (!queue.empty() && points.MaxUnits() > goal_) {
      const PeakCandidate candidate = queue.top();
      queue.pop();
      // Earlier plans may have used this value or invalidated its operands.
      if (planner.IsTaken(candidate.reg)) continue;
      if (candidate.is_estimate) {
        if (planner.Plan(candidate.reg, RematStage::kStart, plan)) {
          queue.push({candidate.reg, /*is_estimate=*/false, candidate.is_through_peak, plan.gain, plan.cost});
        } else {
          hopeless_[candidate.reg.virtual_index()] = true;
        }
        continue;
      }
      if (!planner.Plan(candidate.reg, RematStage::kNow, plan)) continue;
      if (!allowance_->Spend(plan)) {
        too_expensive_.push_back(plan.reg);
        continue;
      }
      AddTo(points, plan, 1);
      planner.MarkGone(plan.reg);
      for (const Register leaf : plan.leaves) planner.MarkLeaf(leaf);
      plans.push_back(std::move(plan));
    }
    return plans;
  }

  // Adds the changes of the plan to the points, or takes them back if `sign` is -1.
  static void AddTo(RematPoints& points, const RematPlan& plan, int32_t sign) {
    for (const RematPlan::Change& change : plan.changes) points.Add(plan.Ranges(change), sign * change.units);
  }

  // If the peak stays over the target, plans for lower peaks are useless.
  void DropNeedless(RematPoints& points, std::vector<RematPlan>& plans) {
    const uint32_t reached = std::max(goal_, StepsOf(points.MaxUnits()) * target_.granularity);
    std::vector<RematPlan> needed;
    for (size_t i = plans.size(); i-- > 0;) {
      RematPlan& plan = plans[i];
      AddTo(points, plan, -1);
      if (points.MaxUnits() <= reached) {
        allowance_->Return(plan);
        continue;
      }
      AddTo(points, plan, 1);
      needed.push_back(std::move(plan));
    }
    std::reverse(needed.begin(), needed.end());
    plans = std::move(needed);
  }

  void Apply(const RematPlan& plan) {
    for (const RematClone& clone : plan.clones) {
      MachineBasicBlock& block = *function_.block(clone.place.block);
      RematEditor::Renaming renaming;
      Register value;
      for (const Register reg : clone.chain) {
        value = editor_.Clone(*values_.Definition(reg), reg, block, clone.before, renaming);
        renaming[reg.virtual_index()] = value;
      }
      for (MachineOperand* use : clone.uses) editor_.Rewrite(*use, value);
    }
  }

  void Commit(const std::vector<RematPlan>& plans) {
    if (dump_) {
      RematCost cost = 0;
      for (const RematPlan& plan : plans) cost += plan.cost;
      // Converted to executions of the function.
      StrAppend(&context_.log, "Really Final Pull-in: ", plans.size(), " (", static_cast<int64_t>(cost / 16), ")\n");
      for (uint32_t i = 0; i < editor_.num_rewrites(); ++i) context_.log += "\treplaced\n";
    }
    for (const RematPlan& plan : plans) {
      for (const Register leaf : plan.leaves) ReviveHope(leaf);
      for (const RematClone& clone : plan.clones) {
        for (const Register reg : clone.chain) ReviveHope(reg);
      }
    }
    result_.num_values += static_cast<uint32_t>(plans.size());
    result_.num_clones += editor_.num_clones();
    result_.num_erased += editor_.Keep(values_, &pressure_);
    result_.max_live = in_file_.Max();
  }

  // Allows new plans for `reg` and the values computed from it.
  void ReviveHope(Register reg) {
    hopeless_[reg.virtual_index()] = false;
    for (MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      for (const MachineOperand& result : use.parent()->explicit_defs()) {
        const Register computed = result.reg();
        if (computed.is_virtual() && computed.virtual_index() < hopeless_.size())
          hopeless_[computed.virtual_index()] = false;
      }
    }
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const RematTarget target_;
  uint32_t goal_ = 0;  // the units that the current round aims at
  const bool dump_;
  MachineRegisterPressure& pressure_;
  const RematPressure in_file_;
  uint32_t max_units_ = 0;  // of registers, before anything was done
  RematValues values_;
  RematEditor editor_;
  RematResult result_;
  std::optional<RematAllowance> allowance_;  // measured in the first round
  std::vector<Register> too_expensive_;      // the values whose plans would have exceeded it
  // By virtual register: there was no plan for it with this goal, and since then nothing has changed its operands
  // or uses. Pressure elsewhere only falls, so there would be no plan now either.
  std::vector<bool> hopeless_;
};

}  // namespace

RematResult RematerializeAtPeaks(MachineFunction& function, PassContext& context, const RematTarget& target) {
  return PeakRemat(function, context, target).Run();
}

}  // namespace ptxmir
