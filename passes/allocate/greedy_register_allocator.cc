// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/greedy_register_allocator.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/live_variables.h"
#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/register_budget.h"
#include "base/split_mix64.h"
#include "passes/allocate/inline_spiller.h"
#include "passes/allocate/region_splitter.h"
#include "passes/allocate/shared_spill_room.h"
#include "passes/schedule/machine_scheduler.h"
#include "passes/support/frame_registers.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// LLVM's bias: a range of few instructions must not outweigh one of this many instructions.
constexpr double kSizeBias = 25;
// The factor on the weight of a register that can be rematerialized instead of reloaded.
constexpr double kRematerializationDiscount = 0.5;

class GreedyAllocator {
 public:
  GreedyAllocator(MachineFunction& function, PassContext& context, const RegisterLimits& limits)
      : function_(function),
        context_(context),
        evictions_(context.analyses.Get<RegAllocEvictionAdvisor>()),
        priorities_(context.analyses.Get<RegAllocPriorityAdvisor>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        state_(evictions_.state()),
        edit_(state_),
        spiller_(edit_),
        splitter_(edit_, context.analyses, SplitEffort()),
        limits_(limits) {
    options_.use_memory = limits.uses_memory;
    eviction_effort_left_ = splitter_effort_;
    insertions_before_refresh_ = std::max<uint64_t>(kMinInsertionsBeforeRefresh, num_instrs_ / 16);
  }

  void Run();
  void Stress(RegisterStress stress);
  void Report();
  bool has_changed() const { return spiller_.counts().spilled + splitter_.num_splits() > 0; }

 private:
  static constexpr uint64_t kMinInsertionsBeforeRefresh = 64;
  static constexpr uint64_t kMaxStressGrowth = 2;

  uint64_t SplitEffort() {
    num_instrs_ = function_.CountInstrs();
    splitter_effort_ = (num_instrs_ + function_.num_blocks()) * static_cast<uint64_t>(context_.knobs.ra_split_effort());
    return splitter_effort_;
  }
  void SetWeight(LiveInterval& interval);
  bool IsWorthTrying(const LiveInterval& interval) const;
  void Enqueue(Register reg);
  void EnqueueAll(std::vector<Register>& registers);
  void Allocate(LiveInterval& interval);
  uint64_t CountLiveBlocks() const;
  bool TryEvict(const LiveInterval& interval);
  bool TrySplit(const LiveInterval& interval);
  bool TrySpill(const LiveInterval& interval);
  void RefreshIfWorthIt();

  MachineFunction& function_;
  PassContext& context_;
  RegAllocEvictionAdvisor& evictions_;
  RegAllocPriorityAdvisor& priorities_;
  const MachineBlockFrequencies& frequencies_;
  AllocationState& state_;
  LiveRangeEdit edit_;
  uint64_t num_instrs_ = 0;
  uint64_t splitter_effort_ = 0;
  InlineSpiller spiller_;
  RegionSplitter splitter_;
  RegisterLimits limits_;
  SpillOptions options_;
  uint64_t eviction_effort_left_ = 0;
  uint64_t insertions_before_refresh_ = 0;
  uint64_t insertions_at_refresh_ = 0;
  uint64_t num_evictions_ = 0;
  uint64_t num_over_budget_ = 0;
  // Ordered by priority; among equals, the register with the smaller number comes first.
  std::priority_queue<std::pair<uint32_t, uint32_t>> queue_;
};

// Without memory, only registers that can be rematerialized are worth trying.
bool GreedyAllocator::IsWorthTrying(const LiveInterval& interval) const {
  if (!InlineSpiller::CanSpill(function_, interval.reg())) return false;
  if (options_.use_memory) return true;
  for (ValueId value = 0; value < interval.num_values(); ++value) {
    if (interval.IsUnused(value)) continue;
    const MachineInstr* def = state_.intervals.DefiningInstr(interval, value);
    if (def == nullptr || !LiveRangeEdit::IsRematerializable(*def)) return false;
  }
  return true;
}

void GreedyAllocator::SetWeight(LiveInterval& interval) {
  const Register reg = interval.reg();
  if (state_.progress.Stage(reg) == LiveRangeStage::kDone || !IsWorthTrying(interval)) {
    interval.MarkUnspillable();
    state_.progress.SetStage(reg, LiveRangeStage::kDone);
    return;
  }
  const double entry = static_cast<double>(std::max<uint64_t>(frequencies_.EntryFrequency(), 1));
  double frequency = 0;
  bool is_rematerializable = true;
  for (const MachineOperand& operand : function_.reg_info().Operands(reg)) {
    const MachineInstr& instr = *operand.parent();
    if (instr.is_debug()) continue;
    frequency += static_cast<double>(frequencies_.Frequency(*instr.parent())) / entry;
    if (operand.is_def()) is_rematerializable &= LiveRangeEdit::IsRematerializable(instr);
  }
  if (is_rematerializable) frequency *= kRematerializationDiscount;
  const double size = static_cast<double>(state_.intervals.indexes().ApproximateInstrs(interval.Size()));
  interval.set_weight(static_cast<float>(frequency / (size + kSizeBias)));
}

void GreedyAllocator::Enqueue(Register reg) {
  const LiveInterval& interval = state_.intervals.Interval(reg);
  if (interval.empty() || state_.matrix.IsAssigned(reg)) return;
  state_.progress.SetStageIfNew(reg, LiveRangeStage::kAssign);
  queue_.push({priorities_.Priority(interval), ~reg.virtual_index()});
}

void GreedyAllocator::EnqueueAll(std::vector<Register>& registers) {
  for (const Register reg : registers) {
    SetWeight(state_.intervals.Interval(reg));
    Enqueue(reg);
  }
  registers.clear();
}

void GreedyAllocator::RefreshIfWorthIt() {
  const InlineSpillerCounts& counts = spiller_.counts();
  const uint64_t insertions = counts.stores + counts.reloads + counts.rematerialized + splitter_.num_copies();
  if (insertions < insertions_at_refresh_ + insertions_before_refresh_) return;
  insertions_at_refresh_ = insertions;
  state_.matrix.Refresh();
}

bool GreedyAllocator::TryEvict(const LiveInterval& interval) {
  if (eviction_effort_left_ == 0) return false;
  // A search visits the intervals that are live at one point after another.
  const auto live = static_cast<uint64_t>(state_.matrix.MaxPressure(PressureKind::Total(), interval));
  eviction_effort_left_ -= std::min(eviction_effort_left_, live + 1);
  std::vector<Register> victims;
  if (!evictions_.TryEvict(interval, EvictionCost::Max(), victims)) return false;
  num_evictions_ += victims.size();
  for (const Register victim : victims) Enqueue(victim);
  return true;
}

bool GreedyAllocator::TrySplit(const LiveInterval& interval) {
  const Register reg = interval.reg();
  std::vector<Register> created;
  if (!splitter_.TrySplit(interval, created)) return false;
  // The remainder of the old register is outside the regions that were found.
  for (const Register part : created) {
    if (state_.progress.Stage(part) < LiveRangeStage::kSplit2) {
      state_.progress.SetStage(part, LiveRangeStage::kSplit2);
    }
  }
  state_.progress.SetStage(reg, LiveRangeStage::kSpill);
  created.push_back(reg);
  EnqueueAll(created);
  return true;
}

bool GreedyAllocator::TrySpill(const LiveInterval& interval) {
  std::vector<Register> created;
  if (!spiller_.Spill(interval.reg(), options_, created)) return false;
  EnqueueAll(created);
  RefreshIfWorthIt();
  return true;
}

void GreedyAllocator::Allocate(LiveInterval& interval) {
  const Register reg = interval.reg();
  const LiveRangeStage stage = state_.progress.Stage(reg);
  const bool fits = !state_.matrix.FindInterference(interval).has_value();
  if (!fits) {
    if (stage != LiveRangeStage::kSplit && TryEvict(interval)) {
      state_.matrix.Assign(interval);
      return;
    }
    if (interval.is_spillable()) {
      if (stage < LiveRangeStage::kSplit) {
        // The other intervals come first: their evictions, splits and spills may make room.
        state_.progress.SetStage(reg, LiveRangeStage::kSplit);
        Enqueue(reg);
        return;
      }
      if (stage == LiveRangeStage::kSplit && TrySplit(interval)) return;
      if (TrySpill(interval)) return;
    }
    ++num_over_budget_;
  }
  state_.matrix.Assign(interval);
}

void GreedyAllocator::Run() {
  state_.matrix.SetLimit(PressureKind::Total(), std::max(limits_.units - limits_.base_units, 1));
  state_.matrix.SetLimit(PressureKind::Class(ptx::reg_class::kB1), limits_.predicates);
  for (uint32_t i = 0; i < state_.intervals.num_intervals(); ++i) {
    LiveInterval& interval = state_.intervals.Interval(Register::Virtual(i));
    if (interval.empty()) continue;
    SetWeight(interval);
    Enqueue(interval.reg());
  }
  while (!queue_.empty()) {
    const Register reg = Register::Virtual(~queue_.top().second);
    queue_.pop();
    LiveInterval& interval = state_.intervals.Interval(reg);
    if (interval.empty() || state_.matrix.IsAssigned(reg)) continue;
    Allocate(interval);
  }
}

// Returns the number of blocks in which each register is live, summed over all registers.
uint64_t GreedyAllocator::CountLiveBlocks() const {
  const SlotIndexes& indexes = state_.intervals.indexes();
  std::vector<uint64_t> position(function_.block_number_bound());
  uint64_t next = 0;
  for (const MachineBasicBlock& block : function_) position[block.number()] = ++next;
  uint64_t count = 0;
  for (uint32_t i = 0; i < state_.intervals.num_intervals(); ++i) {
    uint64_t seen = 0;  // the position of the last block that was counted
    for (const LiveSegment& segment : state_.intervals.Interval(Register::Virtual(i)).segments()) {
      const uint64_t first = position[indexes.BlockAt(segment.start)->number()];
      const uint64_t last = position[indexes.BlockAt(segment.end.Previous())->number()];
      count += last + 1 - std::max(first, std::min(last, seen) + 1);
      seen = last;
    }
  }
  return count;
}

// Splits or spills every register, whether it fits or not. For tests.
void GreedyAllocator::Stress(RegisterStress stress) {
  const uint32_t count = state_.intervals.num_intervals();
  SplitMix64 random(function_.number());
  options_.share = stress != RegisterStress::kSpillAll;
  // A split adds copies to the blocks in which the register is live. If thousands of registers are live
  // everywhere, these are their number times the number of blocks. In that case only some registers are split, so
  // that the function grows in proportion to its size.
  const uint64_t growth = stress == RegisterStress::kSplit ? CountLiveBlocks() : 0;
  const uint64_t most_growth = kMaxStressGrowth * (num_instrs_ + function_.num_blocks());
  for (uint32_t i = 0; i < count; ++i) {
    const Register reg = Register::Virtual(i);
    if (state_.intervals.Interval(reg).empty() || !InlineSpiller::CanSpill(function_, reg)) continue;
    std::vector<Register> parts = {reg};
    const bool is_chosen = growth <= most_growth || random.Next() % growth < most_growth;
    if (stress == RegisterStress::kSplit && is_chosen) {
      splitter_.SplitAtRandom(state_.intervals.Interval(reg), random.Next(), parts);
    }
    for (const Register part : parts) {
      std::vector<Register> created;
      if (state_.intervals.Interval(part).empty()) continue;
      if (stress == RegisterStress::kSpillAll || random.Next() % 2 == 0) spiller_.Spill(part, options_, created);
      // Spill some of the products again.
      if (stress != RegisterStress::kSplit) continue;
      for (const Register again : created) {
        std::vector<Register> pieces;
        if (state_.progress.Stage(again) == LiveRangeStage::kDone || state_.intervals.Interval(again).empty()) continue;
        if (random.Next() % 2 == 0) spiller_.Spill(again, options_, pieces);
      }
    }
  }
}

void GreedyAllocator::Report() {
  const InlineSpillerCounts& counts = spiller_.counts();
  context_.AddStatistic("registers evicted", num_evictions_);
  context_.AddStatistic("registers split by region", splitter_.num_splits());
  context_.AddStatistic("registers spilled", counts.spilled);
  context_.AddStatistic("spill stores inserted", counts.stores);
  context_.AddStatistic("spill stores of unchanged values avoided", counts.stores_avoided);
  context_.AddStatistic("reloads inserted", counts.reloads);
  context_.AddStatistic("instructions rematerialized", counts.rematerialized);
  context_.AddStatistic("registers let in over the budget", num_over_budget_);
  MachineOptRemarkEmitter& remarks = context_.analyses.Get<MachineOptRemarkEmitter>();
  if (has_changed()) {
    remarks.Emit([&] {
      return MachineRemark(RemarkKind::kPassed, context_.pass_name, "FitToBudget", function_)
             << RemarkArg("NumSpilled", counts.spilled) << " registers spilled, with "
             << RemarkArg("NumStores", counts.stores) << " stores, " << RemarkArg("NumReloads", counts.reloads)
             << " reloads and " << RemarkArg("NumRemats", counts.rematerialized) << " rematerialized";
    });
  }
  const auto excess = state_.matrix.FindExcess();
  if (!excess.has_value()) return;
  remarks.Emit([&] {
    std::vector<Register> live;
    state_.matrix.CollectLiveAt(excess->at, excess->kind, live);
    const bool all_fixed = std::none_of(live.begin(), live.end(),
                                        [&](Register reg) { return state_.intervals.Interval(reg).is_spillable(); });
    const MachineInstr* instr = state_.intervals.indexes().InstrAt(excess->at.Base());
    const char* reason = !options_.use_memory ? "not everything that is live there can be rematerialized"
                         : all_fixed          ? "the operands of one instruction alone exceed it"
                                              : "what is live there cannot be spilled";
    MachineRemark remark = instr != nullptr
                               ? MachineRemark(RemarkKind::kMissed, context_.pass_name, "BudgetNotMet", *instr)
                               : MachineRemark(RemarkKind::kMissed, context_.pass_name, "BudgetNotMet", function_);
    return std::move(remark << "needs " << RemarkArg("Needed", static_cast<uint64_t>(excess->pressure))
                            << (excess->kind.is_total() ? " registers of " : " predicates of ")
                            << RemarkArg("Limit", static_cast<uint64_t>(excess->limit)) << ": " << reason);
  });
}

}  // namespace

bool HasFinalFrame(const MachineFunction& function) {
  return !function.reg_info().Defs(FrameRegistersOf(function).local).empty();
}

bool FitsInto(const RegisterLimits& limits, PassContext& context) {
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  return pressure.MaxUnits() <= static_cast<uint32_t>(limits.units) &&
         pressure.MaxPredicates() <= static_cast<uint32_t>(limits.predicates);
}

namespace {

// Returns true if spilled values will go to shared memory, from which ptxas does not promote them back into
// registers.
bool SpillsToShared(const MachineFunction& function, const PassContext& context) {
  const Knobs& knobs = context.knobs;
  const ptx::Subtarget* subtarget = context.analyses.inputs().subtarget;
  return context.opt_level > 0 && knobs.ra_spill_space() == SpillSpace::kShared && subtarget != nullptr &&
         FindSharedSpillRoom(function, knobs, subtarget->sm()).words > 0;
}

// The percentage of the registers live at the peak that must be in values of 64 bits or more for the peak to count
// as wide.
constexpr uint32_t kWidePercent = 75;

bool IsWideAtPeak(const MachineFunction& function, const MachineRegisterPressure& pressure) {
  for (const MachineBasicBlock& block : function) {
    if (pressure.Block(block).peak.units < pressure.MaxUnits()) continue;
    uint32_t units = 0, wide_units = 0;
    for (const Register reg : pressure.LiveAtPeak(block).live) {
      const uint32_t own = PressureUnitsOf(function, reg);
      units += own;
      if (own > 1) wide_units += own;
    }
    return uint64_t{wide_units} * 100 >= uint64_t{units} * kWidePercent;
  }
  return false;
}

// Decides for -ra-spill=auto, if -ra-spill-excess was given, whether to spill here. Otherwise spilling is left to
// ptxas, which costs no more on average over many kernels (docs/performance.md). ptxas reorders instructions
// before it allocates, so the pressure of a good order counts, not the pressure of the present one. 64-bit values
// need aligned pairs of its registers; it is for these that ptxas sometimes spills far more than we would.
bool SpillingPays(uint32_t registers, MachineFunction& function, PassContext& context) {
  const auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  const uint64_t excess = uint64_t{registers} * static_cast<uint32_t>(context.knobs.ra_spill_excess()) / 100;
  return pressure.MaxUnits() > excess && IsWideAtPeak(function, pressure) &&
         !CanBeScheduledInto(static_cast<uint32_t>(excess), function, context);
}

}  // namespace

std::optional<RegisterLimits> RegisterLimitsOf(MachineFunction& function, PassContext& context) {
  const Knobs& knobs = context.knobs;
  if (function.empty()) return std::nullopt;
  const bool can_spill = knobs.ra_spill() != SpillPolicy::kNever && !HasFinalFrame(function);
  const bool to_shared = can_spill && SpillsToShared(function, context);
  RegisterLimits limits;
  limits.uses_memory = can_spill && (knobs.ra_spill() == SpillPolicy::kAlways || to_shared);
  limits.base_units = to_shared ? 1 : 0;
  const bool may_pay =
      can_spill && !limits.uses_memory && knobs.ra_limit() == 0 && context.opt_level > 0 && knobs.ra_spill_excess() > 0;
  if (!limits.uses_memory && !may_pay && !knobs.ra_remat()) return std::nullopt;
  if (knobs.ra_limit() > 0) {
    limits.units = knobs.ra_limit();
    limits.predicates = std::min<int32_t>(knobs.ra_limit(), kPredicateRegisters);
  } else {
    const RegisterBudget budget = ComputeRegisterBudget(function, context.analyses.inputs());
    if (!budget.is_hard) return std::nullopt;
    limits.units = static_cast<int32_t>(budget.registers);
    limits.predicates = static_cast<int32_t>(budget.predicates);
    if (may_pay) limits.uses_memory = SpillingPays(budget.registers, function, context);
  }
  if (!limits.uses_memory && !knobs.ra_remat()) return std::nullopt;
  return limits;
}

PassResult RunGreedyRegisterAllocator(MachineFunction& function, PassContext& context) {
  const std::optional<RegisterLimits> limits = RegisterLimitsOf(function, context);
  const RegisterStress stress = context.knobs.ra_stress();
  const bool is_stressed = stress != RegisterStress::kNone && !function.empty() && !HasFinalFrame(function);
  if (!is_stressed && (!limits.has_value() || FitsInto(*limits, context))) return {.changed = false};
  bool changed = false;
  {
    GreedyAllocator allocator(function, context, is_stressed ? RegisterLimits{.uses_memory = true} : *limits);
    if (is_stressed) {
      allocator.Stress(stress);
    } else {
      allocator.Run();
    }
    allocator.Report();
    changed = allocator.has_changed();
  }
  if (!changed) return {.changed = false};
  function.SetProperty(FunctionProperty::kIsSsa, false);
  context.analyses.Clear();
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
