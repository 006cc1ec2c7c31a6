// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/machine_scheduler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/pressure/register_budget.h"
#include "analysis/values/memory_dependence.h"
#include "passes/schedule/schedule_region.h"

namespace ptxmir {
namespace {

// A target that no order meets.
constexpr uint32_t kLowest = 0;

class PressureScheduler {
 public:
  PressureScheduler(MachineFunction& function, PassContext& context, uint32_t target)
      : function_(function),
        context_(context),
        target_(target),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        region_(function, context.analyses.Get<MemoryDependence>()),
        live_(function),
        trial_(function) {}

  // Returns true if there are orders that meet the target. Moves nothing.
  bool CanMeetTarget() {
    applies_ = false;
    for (MachineBasicBlock& block : function_) {
      if (pressure_.Block(block).peak.units > target_) ScheduleBlock(block);
      if (peak_ > target_) return false;
    }
    return true;
  }

  bool Run() {
    for (MachineBasicBlock& block : function_) {
      if (pressure_.Block(block).peak.units > target_) ScheduleBlock(block);
    }
    context_.AddStatistic("regions scheduled", num_scheduled_);
    context_.AddStatistic("regions over the target left as they are", num_kept_);
    context_.AddStatistic("fewer registers at the peaks of regions", num_saved_);
    context_.AddStatistic("regions in a random order", num_shuffled_);
    return num_scheduled_ + num_shuffled_ != 0;
  }

 private:
  struct DebugInstr {
    MachineInstr* instr;
    int32_t behind = -1;  // the instruction of the region that it followed in the old order, or -1
  };

  // Schedules the regions of a block from the last to the first, with the registers that are live below each.
  void ScheduleBlock(MachineBasicBlock& block) {
    live_.Clear();
    for (const uint32_t reg : pressure_.LiveOuts(block)) live_.Add(reg);
    MachineInstr* instr = block.back();
    while (instr != nullptr && !instr->is_phi()) {
      if (instr->is_debug() || IsSchedulingBoundary(*instr)) {
        if (!instr->is_debug()) peak_ = std::max(peak_, live_.StepUp(*instr));
        instr = instr->previous();
        continue;
      }
      region_instrs_.clear();
      debug_instrs_.clear();
      MachineInstr* const below = instr->next();
      for (; instr != nullptr && !instr->is_phi(); instr = instr->previous()) {
        if (instr->is_debug()) {
          debug_instrs_.push_back({instr});
        } else if (IsSchedulingBoundary(*instr)) {
          break;
        } else {
          region_instrs_.push_back(instr);
        }
      }
      std::reverse(region_instrs_.begin(), region_instrs_.end());
      ScheduleRegionAbove(block, below);
    }
  }

  // Schedules the region in region_instrs_. Afterwards live_ is the set of registers live above it.
  void ScheduleRegionAbove(MachineBasicBlock& block, MachineInstr* below) {
    trial_.CopyFrom(live_);
    const uint32_t old_peak = PeakOfRegion(trial_);
    if (old_peak <= target_ || region_instrs_.size() < 3) {
      peak_ = std::max(peak_, old_peak);
      std::swap(live_, trial_);
      return;
    }
    region_.Build(region_instrs_);
    if (applies_ && context_.knobs.sched_stress() == ScheduleStress::kShuffle) {
      Apply(block, below, region_.Shuffle(random_, live_).sequence);
      ++num_shuffled_;
      return;
    }
    ScheduleRegion::Order best;
    best.peak = old_peak;
    for (const ScheduleTie tie : kScheduleTies) {
      trial_.CopyFrom(live_);
      ScheduleRegion::Order order = region_.Schedule(tie, trial_);
      if (order.peak < best.peak && IsGoodFor(tie, order.peak)) best = std::move(order);
      if (best.peak <= target_) break;
    }
    std::swap(live_, trial_);
    peak_ = std::max(peak_, best.peak);
    if (!applies_) return;
    if (best.sequence.empty()) {
      ++num_kept_;
      return;
    }
    Report(*region_instrs_.front(), old_peak, best.peak);
    ++num_scheduled_;
    num_saved_ += old_peak - best.peak;
    Apply(block, below, best.sequence);
  }

  // Among orders over the target, those that finish what was begun cause the least spilling in ptxas. Others reach
  // lower peaks by keeping more registers live elsewhere.
  bool IsGoodFor(ScheduleTie tie, uint32_t peak) const {
    return tie == ScheduleTie::kLatest || peak <= target_ || target_ == kLowest;
  }

  uint32_t PeakOfRegion(LiveUnits& live) const {
    uint32_t peak = 0;
    for (size_t i = region_instrs_.size(); i-- > 0;) peak = std::max(peak, live.StepUp(*region_instrs_[i]));
    return peak;
  }

  void Report(const MachineInstr& first, uint32_t old_peak, uint32_t peak) {
    context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "Scheduled", first.debug_loc(), *first.parent())
             << "put " << RemarkArg("NumInstrs", region_instrs_.size())
             << " instructions in another order: " << RemarkArg("Peak", peak) << " registers live at once, not "
             << RemarkArg("OldPeak", old_peak);
    });
  }

  // Inserts the instructions in the new order before `below` (null: at the end).
  void Apply(MachineBasicBlock& block, MachineInstr* below, const std::vector<uint32_t>& sequence) {
    CollectDebugInstrs();
    for (const DebugInstr& debug : debug_instrs_) block.Remove(debug.instr);
    for (MachineInstr* const instr : region_instrs_) block.Remove(instr);
    for (const uint32_t i : sequence) block.Insert(below, region_instrs_[i]);
    if (debug_instrs_.empty()) return;
    new_position_.resize(sequence.size());
    for (uint32_t i = 0; i < sequence.size(); ++i) new_position_[sequence[i]] = static_cast<int32_t>(i);
    // Last first, so that debug instructions after the same instruction keep their order.
    for (size_t i = debug_instrs_.size(); i-- > 0;) PlaceDebugInstr(block, debug_instrs_[i], sequence);
  }

  // Records the position of each debug instruction in the old order.
  void CollectDebugInstrs() {
    old_position_.clear();
    if (debug_instrs_.empty()) return;
    std::reverse(debug_instrs_.begin(), debug_instrs_.end());
    for (uint32_t i = 0; i < region_instrs_.size(); ++i) old_position_[region_instrs_[i]] = static_cast<int32_t>(i);
    for (DebugInstr& debug : debug_instrs_) {
      const MachineInstr* before = debug.instr->previous();
      while (before != nullptr && before->is_debug()) before = before->previous();
      const auto found = old_position_.find(before);
      debug.behind = found == old_position_.end() ? -1 : found->second;
    }
  }

  void PlaceDebugInstr(MachineBasicBlock& block, const DebugInstr& debug, const std::vector<uint32_t>& sequence) {
    int32_t place = debug.behind < 0 ? -1 : new_position_[debug.behind];
    for (const MachineOperand& operand : debug.instr->operands()) {
      const int32_t def = operand.is_reg() ? LastDefinition(operand.reg(), debug.behind, /*in_new_order=*/false) : -1;
      if (def >= 0) place = std::max(place, new_position_[def]);
    }
    for (MachineOperand& operand : debug.instr->operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const int32_t then = LastDefinition(operand.reg(), debug.behind, /*in_new_order=*/false);
      const int32_t now = LastDefinition(operand.reg(), place, /*in_new_order=*/true);
      if (then != now) operand.SetReg(Register());
    }
    MachineInstr* const next =
        place < 0 ? region_instrs_[sequence.front()] : region_instrs_[sequence[static_cast<size_t>(place)]]->next();
    block.Insert(next, debug.instr);
  }

  // Returns the last definition of the register in the region at or above a position, as its position in the old
  // order, or -1 if there is none.
  int32_t LastDefinition(Register reg, int32_t place, bool in_new_order) const {
    int32_t last = -1, last_place = -1;
    if (!reg.is_virtual()) return last;
    for (const MachineOperand& def : function_.reg_info().Defs(reg)) {
      const auto found = old_position_.find(def.parent());
      if (found == old_position_.end()) continue;
      const int32_t at = in_new_order ? new_position_[found->second] : found->second;
      if (at > place || at <= last_place) continue;
      last = found->second;
      last_place = at;
    }
    return last;
  }

  MachineFunction& function_;
  PassContext& context_;
  const uint32_t target_;
  bool applies_ = true;
  uint32_t peak_ = 0;  // the most units live in the new orders of the regions visited
  MachineRegisterPressure& pressure_;
  ScheduleRegion region_;
  LiveUnits live_;
  LiveUnits trial_;
  std::vector<MachineInstr*> region_instrs_;
  std::vector<DebugInstr> debug_instrs_;  // the debug instructions in the region
  // For the instructions of a region that has debug instructions: the position in the old order, and, indexed by
  // that, the position in the new one.
  absl::flat_hash_map<const MachineInstr*, int32_t> old_position_;
  std::vector<int32_t> new_position_;
  SplitMix64 random_{1};
  uint64_t num_scheduled_ = 0;
  uint64_t num_kept_ = 0;
  uint64_t num_saved_ = 0;
  uint64_t num_shuffled_ = 0;
};

}  // namespace

bool CanBeScheduledInto(uint32_t target, MachineFunction& function, PassContext& context) {
  return context.analyses.Get<MachineRegisterPressure>().MaxUnits() <= target ||
         PressureScheduler(function, context, target).CanMeetTarget();
}

PassResult RunMachineScheduler(MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  const bool is_shuffled = knobs.sched_stress() == ScheduleStress::kShuffle;
  const bool is_asked_for = knobs.nvptx_sched4reg() || knobs.enable_misched().value_or(false) || is_shuffled;
  if (!is_asked_for && (knobs.enable_misched().has_value() || context.opt_level == 0)) return {};
  const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
  if (!is_asked_for && !budget.is_hard) return {};
  const uint32_t target = knobs.nvptx_sched4reg() || is_shuffled ? kLowest : budget.registers;
  if (context.analyses.Get<MachineRegisterPressure>().MaxUnits() <= target) return {};
  if (!PressureScheduler(function, context, target).Run()) return {};
  // The last uses have changed.
  context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
