// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/machine_scheduler.h"

#include <algorithm>
#include <optional>
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

// The instructions between two boundaries, without debug instructions.
struct Region {
  MachineBasicBlock& block;
  MachineInstr* below;                      // null at the end of the block
  std::vector<MachineInstr*> instrs;        // in program order
  std::vector<MachineInstr*> debug_instrs;  // the debug instructions between them, in program order
};

// Collects the region whose last instruction is `last`, and sets `last` to the instruction above the region.
Region RegionAbove(MachineBasicBlock& block, MachineInstr*& last) {
  Region region = {.block = block, .below = last->next(), .instrs = {}, .debug_instrs = {}};
  for (; last != nullptr && !last->is_phi(); last = last->previous()) {
    if (last->is_debug()) {
      region.debug_instrs.push_back(last);
    } else if (IsSchedulingBoundary(*last)) {
      break;
    } else {
      region.instrs.push_back(last);
    }
  }
  std::reverse(region.instrs.begin(), region.instrs.end());
  std::reverse(region.debug_instrs.begin(), region.debug_instrs.end());
  return region;
}

// Steps over the region from below. Returns the most units that are live in it.
uint32_t PeakOf(const Region& region, LiveUnits& live) {
  uint32_t peak = 0;
  for (size_t i = region.instrs.size(); i-- > 0;) peak = std::max(peak, live.StepUp(*region.instrs[i]));
  return peak;
}

// Puts debug instructions after the same values as before.
class DebugInstrPlacement {
 public:
  // To be made before the region is put in the new order, `sequence`.
  DebugInstrPlacement(const Region& region, const std::vector<uint32_t>& sequence)
      : region_(region), sequence_(sequence), new_position_(sequence.size()) {
    for (uint32_t i = 0; i < region.instrs.size(); ++i) old_position_[region.instrs[i]] = static_cast<int32_t>(i);
    for (uint32_t i = 0; i < sequence.size(); ++i) new_position_[sequence[i]] = static_cast<int32_t>(i);
    for (MachineInstr* const debug : region.debug_instrs) {
      const MachineInstr* before = debug->previous();
      while (before != nullptr && before->is_debug()) before = before->previous();
      const auto found = old_position_.find(before);
      behind_.push_back(found == old_position_.end() ? -1 : found->second);
    }
  }

  // Inserts them into the region, which is in the new order.
  void Insert() const {
    // Last first, so that debug instructions after the same instruction keep their order.
    for (size_t i = behind_.size(); i-- > 0;) Place(*region_.debug_instrs[i], behind_[i]);
  }

 private:
  void Place(MachineInstr& debug, int32_t behind) const {
    int32_t place = behind < 0 ? -1 : new_position_[static_cast<size_t>(behind)];
    for (const MachineOperand& operand : debug.operands()) {
      const int32_t def = operand.is_reg() ? LastDefinition(operand.reg(), behind, /*in_new_order=*/false) : -1;
      if (def >= 0) place = std::max(place, new_position_[static_cast<size_t>(def)]);
    }
    for (MachineOperand& operand : debug.operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const int32_t then = LastDefinition(operand.reg(), behind, /*in_new_order=*/false);
      const int32_t now = LastDefinition(operand.reg(), place, /*in_new_order=*/true);
      if (then != now) operand.SetReg(Register());
    }
    MachineInstr* const next =
        place < 0 ? region_.instrs[sequence_.front()] : region_.instrs[sequence_[static_cast<size_t>(place)]]->next();
    region_.block.Insert(next, &debug);
  }

  // Returns the last definition of the register in the region at or above a position, as its position in the old
  // order, or -1 if there is none.
  int32_t LastDefinition(Register reg, int32_t place, bool in_new_order) const {
    int32_t last = -1, last_place = -1;
    if (!reg.is_virtual()) return last;
    for (const MachineOperand& def : region_.block.function().reg_info().Defs(reg)) {
      const auto found = old_position_.find(def.parent());
      if (found == old_position_.end()) continue;
      const int32_t at = in_new_order ? new_position_[static_cast<size_t>(found->second)] : found->second;
      if (at > place || at <= last_place) continue;
      last = found->second;
      last_place = at;
    }
    return last;
  }

  const Region& region_;
  const std::vector<uint32_t>& sequence_;
  absl::flat_hash_map<const MachineInstr*, int32_t> old_position_;
  std::vector<int32_t> new_position_;  // by position in the old order
  std::vector<int32_t> behind_;        // by debug instruction: the position that it followed in the old order, or -1
};

void Reorder(const Region& region, const std::vector<uint32_t>& sequence) {
  std::optional<DebugInstrPlacement> placement;
  if (!region.debug_instrs.empty()) placement.emplace(region, sequence);
  for (MachineInstr* const debug : region.debug_instrs) region.block.Remove(debug);
  for (MachineInstr* const instr : region.instrs) region.block.Remove(instr);
  for (const uint32_t i : sequence) region.block.Insert(region.below, region.instrs[i]);
  if (placement.has_value()) placement->Insert();
}

struct ScheduleCounts {
  uint64_t num_scheduled = 0;
  uint64_t num_kept = 0;
  uint64_t num_saved = 0;
  uint64_t num_shuffled = 0;
};

class PressureScheduler {
 public:
  PressureScheduler(MachineFunction& function, PassContext& context, uint32_t target)
      : function_(function),
        context_(context),
        target_(target),
        pressure_(context.analyses.Get<MachineRegisterPressure>()),
        graph_(function, context.analyses.Get<MemoryDependence>()),
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
    context_.AddStatistic("regions scheduled", counts_.num_scheduled);
    context_.AddStatistic("regions over the target left as they are", counts_.num_kept);
    context_.AddStatistic("fewer registers at the peaks of regions", counts_.num_saved);
    context_.AddStatistic("regions in a random order", counts_.num_shuffled);
    return counts_.num_scheduled + counts_.num_shuffled != 0;
  }

 private:
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
      ScheduleOne(RegionAbove(block, instr));
    }
  }

  // Schedules a region. Before, live_ is the set of registers live below it, afterwards of those live above it.
  void ScheduleOne(const Region& region) {
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

  void Report(const Region& region, uint32_t old_peak, uint32_t peak) {
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
  const uint32_t target_;
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
