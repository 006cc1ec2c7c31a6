// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/greedy_register_allocator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/liveness/live_variables.h"
#include "passes/allocate/allocation_stress.h"
#include "passes/allocate/last_chance_recoloring.h"
#include "passes/allocate/register_limits.h"
#include "passes/allocate/spill/inline_spiller.h"
#include "passes/allocate/split/region_splitter.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// LLVM's bias: a range of few instructions must not outweigh one of this many instructions.
constexpr double kSizeBias = 25;
// The factor on the weight of a register that can be rematerialized instead of reloaded.
constexpr double kRematerializationDiscount = 0.5;

// ---- Facts about an interval.

// Returns true if splitting or spilling the register may lower the pressure. Without memory, only registers that can
// be rematerialized are worth trying.
bool IsWorthTrying(const AllocationState& state, const LiveInterval& interval, const SpillOptions& options) {
  if (!InlineSpiller::CanSpill(state.function, interval.reg())) return false;
  if (options.use_memory) return true;
  for (ValueId value = 0; value < interval.num_values(); ++value) {
    if (interval.IsUnused(value)) continue;
    const MachineInstr* def = state.intervals.DefiningInstr(interval, value);
    if (def == nullptr || !LiveRangeEdit::IsRematerializable(*def)) return false;
  }
  return true;
}

// Returns the expected cost of spilling the register, for each instruction that it would no longer be live at.
float SpillWeight(const AllocationState& state, const MachineBlockFrequencies& frequencies,
                  const LiveInterval& interval) {
  const double entry = static_cast<double>(std::max<uint64_t>(frequencies.EntryFrequency(), 1));
  double frequency = 0;
  bool is_rematerializable = true;
  for (const MachineOperand& operand : state.function.reg_info().Operands(interval.reg())) {
    const MachineInstr& instr = *operand.parent();
    if (instr.is_debug()) continue;
    frequency += static_cast<double>(frequencies.Frequency(*instr.parent())) / entry;
    if (operand.is_def()) is_rematerializable &= LiveRangeEdit::IsRematerializable(instr);
  }
  if (is_rematerializable) frequency *= kRematerializationDiscount;
  const double size = static_cast<double>(state.intervals.indexes().ApproximateInstrs(interval.Size()));
  return static_cast<float>(frequency / (size + kSizeBias));
}

// ---- What is left to do, and how much of it may be done.

// The registers that have no place yet, by priority. Among equals, the register with the smaller number comes first.
class AllocationQueue {
 public:
  bool empty() const { return queue_.empty(); }
  void Push(Register reg, uint32_t priority) { queue_.push({priority, ~reg.virtual_index()}); }
  Register Pop() {
    const Register reg = Register::Virtual(~queue_.top().second);
    queue_.pop();
    return reg;
  }

 private:
  std::priority_queue<std::pair<uint32_t, uint32_t>> queue_;
};

// Bounds the work on a function by its size.
class EffortLimits {
 public:
  EffortLimits(const MachineFunction& function, const Knobs& knobs) {
    const uint64_t num_instrs = function.CountInstrs();
    splitting_ = (num_instrs + function.num_blocks()) * static_cast<uint64_t>(knobs.ra_split_effort());
    evicting_ = splitting_;
    insertions_between_refreshes_ = std::max<uint64_t>(kMinInsertionsBetweenRefreshes, num_instrs / 16);
  }

  // The number of blocks that region splitting may visit.
  uint64_t splitting() const { return splitting_; }
  // The number of intervals that last-chance recoloring may visit.
  uint64_t recoloring() const { return splitting_; }
  // Returns true if another search for intervals to evict may begin.
  bool CanEvict() const { return evicting_ > 0; }
  // Counts a search that visits `intervals` intervals at most.
  void NoteEviction(uint64_t intervals) { evicting_ -= std::min(evicting_, intervals); }
  // Returns true if so much code was inserted since the last time that the matrix is worth refreshing.
  bool TakeRefresh(uint64_t insertions) {
    if (insertions < insertions_at_refresh_ + insertions_between_refreshes_) return false;
    insertions_at_refresh_ = insertions;
    return true;
  }
  // Returns true if any code was inserted since the last time, a few times for a function.
  bool TakeLastChanceRefresh(uint64_t insertions) {
    if (insertions == insertions_at_refresh_ || last_chance_refreshes_ == 0) return false;
    insertions_at_refresh_ = insertions;
    --last_chance_refreshes_;
    return true;
  }

 private:
  static constexpr uint64_t kMinInsertionsBetweenRefreshes = 64;
  static constexpr uint64_t kLastChanceRefreshes = 16;

  uint64_t splitting_ = 0;
  uint64_t evicting_ = 0;
  uint64_t last_chance_refreshes_ = kLastChanceRefreshes;
  uint64_t insertions_between_refreshes_ = 0;
  uint64_t insertions_at_refresh_ = 0;
};

// ---- The allocator.

// Counts for -stats and remarks.
struct AllocationCounts {
  uint64_t evictions = 0;
  uint64_t last_chances = 0;                                      // registers that had to leave as a last chance
  uint64_t over_budget = 0;                                       // in all
  std::array<uint64_t, ptx::reg_class::kCount> over_its_limit{};  // by class, over the limit of the class
  uint64_t region_splits = 0;
  InlineSpillerCounts spilling;

  bool has_changed() const { return spilling.spilled + region_splits > 0; }
};

class GreedyAllocator {
 public:
  GreedyAllocator(MachineFunction& function, PassContext& context, const SpillOptions& options)
      : evictions_(context.analyses.Get<RegAllocEvictionAdvisor>()),
        priorities_(context.analyses.Get<RegAllocPriorityAdvisor>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        state_(evictions_.state()),
        options_(options),
        effort_(function, context.knobs),
        edit_(state_),
        spiller_(edit_),
        splitter_(edit_, context.analyses, effort_.splitting()),
        last_chance_(state_, spiller_, options, context.knobs, effort_.recoloring()) {}

  // Finds a place for every register.
  void FitInto(const RegisterLimits& limits);
  void Stress(RegisterStress stress) { StressAllocation(state_.function, state_, stress, splitter_, spiller_); }

  const AllocationState& state() const { return state_; }
  AllocationCounts counts() const {
    AllocationCounts counts = counts_;
    counts.region_splits = splitter_.num_splits();
    counts.spilling = spiller_.counts();
    return counts;
  }

 private:
  // The number of instructions that were inserted so far.
  uint64_t NumInsertions() const {
    const InlineSpillerCounts& counts = spiller_.counts();
    return counts.stores + counts.reloads + counts.rematerialized + splitter_.num_copies();
  }
  void SetWeight(LiveInterval& interval);
  void Enqueue(Register reg);
  void EnqueueAll(const std::vector<Register>& registers);
  void AllocateQueued();
  void Allocate(LiveInterval& interval);
  void LetIn(const LiveInterval& interval);
  bool TryEvict(const LiveInterval& interval);
  bool TrySplit(const LiveInterval& interval);
  bool TrySpill(const LiveInterval& interval);
  bool RefreshForLastChance();
  bool TryLastChance(const LiveInterval& interval);
  bool RelieveWhatIsOver();
  void TakeOut(std::vector<Register>& registers, uint32_t depth, const LiveInterval* interval);

  RegAllocEvictionAdvisor& evictions_;
  RegAllocPriorityAdvisor& priorities_;
  const MachineBlockFrequencies& frequencies_;
  AllocationState& state_;
  const SpillOptions options_;
  EffortLimits effort_;
  LiveRangeEdit edit_;
  InlineSpiller spiller_;
  RegionSplitter splitter_;
  LastChanceRecoloring last_chance_;
  AllocationQueue queue_;
  uint32_t depth_ = 0;  // of what is created now; see LastChanceRecoloring::Depth
  AllocationCounts counts_;
};

void GreedyAllocator::SetWeight(LiveInterval& interval) {
  const Register reg = interval.reg();
  if (state_.progress.Stage(reg) == LiveRangeStage::kDone || !IsWorthTrying(state_, interval, options_)) {
    interval.MarkUnspillable();
    state_.progress.SetStage(reg, LiveRangeStage::kDone);
    return;
  }
  interval.set_weight(SpillWeight(state_, frequencies_, interval));
}

void GreedyAllocator::Enqueue(Register reg) {
  const LiveInterval& interval = state_.intervals.Interval(reg);
  if (interval.empty() || state_.matrix.IsAssigned(reg)) return;
  state_.progress.SetStageIfNew(reg, LiveRangeStage::kAssign);
  queue_.Push(reg, priorities_.Priority(interval));
}

void GreedyAllocator::EnqueueAll(const std::vector<Register>& registers) {
  for (const Register reg : registers) {
    last_chance_.SetDepth(reg, depth_);
    SetWeight(state_.intervals.Interval(reg));
    Enqueue(reg);
  }
}

bool GreedyAllocator::TryEvict(const LiveInterval& interval) {
  if (!effort_.CanEvict()) return false;
  // A search visits the intervals that are live at one point after another.
  effort_.NoteEviction(static_cast<uint64_t>(state_.matrix.MaxPressure(PressureKind::Total(), interval)) + 1);
  std::vector<Register> victims;
  if (!evictions_.TryEvict(interval, EvictionCost::Max(), victims)) return false;
  counts_.evictions += victims.size();
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
  if (effort_.TakeRefresh(NumInsertions())) state_.matrix.Refresh();
  return true;
}

// Returns true if the matrix counted inserted instructions with others, and no longer does.
bool GreedyAllocator::RefreshForLastChance() {
  if (!effort_.TakeLastChanceRefresh(NumInsertions())) return false;
  state_.matrix.Refresh();
  return true;
}

// Splits or spills the assigned registers, and assigns `interval`, unless it is null, before that. Registers for which
// the others make room stay.
void GreedyAllocator::TakeOut(std::vector<Register>& registers, uint32_t depth, const LiveInterval* interval) {
  for (const Register reg : registers) state_.matrix.Unassign(state_.intervals.Interval(reg));
  if (interval != nullptr) state_.matrix.Assign(*interval);
  std::stable_sort(registers.begin(), registers.end(), [this](Register a, Register b) {
    return state_.intervals.Interval(a).weight() > state_.intervals.Interval(b).weight();
  });
  std::erase_if(registers, [this](Register reg) {
    const LiveInterval& candidate = state_.intervals.Interval(reg);
    if (state_.matrix.FindInterference(candidate).has_value()) return false;
    state_.matrix.Assign(candidate);
    return true;
  });
  for (const Register reg : registers) {
    LiveInterval& leaving = state_.intervals.Interval(reg);
    if (leaving.empty() || state_.matrix.IsAssigned(reg)) continue;
    depth_ = std::max(depth, last_chance_.Depth(reg) + 1);
    ++counts_.last_chances;
    if (state_.progress.Stage(reg) <= LiveRangeStage::kSplit && TrySplit(leaving)) continue;
    if (!TrySpill(leaving)) LetIn(leaving);
  }
}

// Makes room for an interval that nothing else made room for, and assigns it.
bool GreedyAllocator::TryLastChance(const LiveInterval& interval) {
  if (RefreshForLastChance() && !state_.matrix.FindInterference(interval).has_value()) {
    state_.matrix.Assign(interval);
    return true;
  }
  std::vector<Register> leaving;
  if (!last_chance_.MakeRoomFor(interval, leaving)) return false;
  TakeOut(leaving, last_chance_.Depth(interval.reg()) + 1, &interval);
  return true;
}

// Takes registers out where the limits are exceeded although everything has its place. Returns false if there are none.
bool GreedyAllocator::RelieveWhatIsOver() {
  if (!state_.matrix.FindExcess().has_value()) return false;
  RefreshForLastChance();
  std::vector<Register> leaving;
  if (!last_chance_.Relieve(leaving)) return false;
  TakeOut(leaving, 1, nullptr);
  return true;
}

// Assigns the interval although it exceeds a limit.
void GreedyAllocator::LetIn(const LiveInterval& interval) {
  ++counts_.over_budget;
  const auto excess = state_.matrix.FindInterference(interval);
  if (excess.has_value() && !excess->kind.is_total()) ++counts_.over_its_limit[excess->kind.reg_class()];
  state_.matrix.Assign(interval);
}

void GreedyAllocator::Allocate(LiveInterval& interval) {
  const Register reg = interval.reg();
  depth_ = last_chance_.Depth(reg);
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
    if (!TryLastChance(interval)) LetIn(interval);
    return;
  }
  state_.matrix.Assign(interval);
}

void GreedyAllocator::AllocateQueued() {
  while (!queue_.empty()) {
    const Register reg = queue_.Pop();
    LiveInterval& interval = state_.intervals.Interval(reg);
    if (interval.empty() || state_.matrix.IsAssigned(reg)) continue;
    Allocate(interval);
  }
}

void GreedyAllocator::FitInto(const RegisterLimits& limits) {
  if (limits.units != RegisterLimits::kNone) {
    state_.matrix.SetLimit(PressureKind::Total(), std::max(limits.units - limits.base_units, 1));
  }
  for (const RegClassId reg_class : ptx::kVirtualRegisterClasses) {
    state_.matrix.SetLimit(PressureKind::Class(reg_class), limits.classes[reg_class]);
  }
  for (uint32_t i = 0; i < state_.intervals.num_intervals(); ++i) {
    LiveInterval& interval = state_.intervals.Interval(Register::Virtual(i));
    if (interval.empty()) continue;
    SetWeight(interval);
    Enqueue(interval.reg());
  }
  AllocateQueued();
  for (uint32_t i = 0; i < last_chance_.max_depth() && RelieveWhatIsOver(); ++i) AllocateQueued();
}

// ---- Statistics and remarks.

// The names of the counters of each class, in the order of the classes.
constexpr std::array<std::string_view, ptx::reg_class::kCount> kOverItsLimit = {
    "b1 registers let in over their limit",
    "b16 registers let in over their limit",
    "",
    "b32 registers let in over their limit",
    "",
    "b64 registers let in over their limit",
    "b128 registers let in over their limit"};

void AddStatistics(const AllocationCounts& counts, PassContext& context) {
  context.AddStatistic("registers evicted", counts.evictions);
  context.AddStatistic("registers that left as a last chance", counts.last_chances);
  context.AddStatistic("registers split by region", counts.region_splits);
  context.AddStatistic("registers spilled", counts.spilling.spilled);
  context.AddStatistic("spill stores inserted", counts.spilling.stores);
  context.AddStatistic("spill stores of unchanged values avoided", counts.spilling.stores_avoided);
  context.AddStatistic("reloads inserted", counts.spilling.reloads);
  context.AddStatistic("instructions rematerialized", counts.spilling.rematerialized);
  context.AddStatistic("registers let in over the budget", counts.over_budget);
  for (const RegClassId reg_class : ptx::kVirtualRegisterClasses) {
    context.AddStatistic(kOverItsLimit[reg_class], counts.over_its_limit[reg_class]);
  }
}

void RemarkOnSpilling(const MachineFunction& function, const InlineSpillerCounts& counts, PassContext& context) {
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "FitToBudget", function)
           << RemarkArg("NumSpilled", counts.spilled) << " registers spilled, with "
           << RemarkArg("NumStores", counts.stores) << " stores, " << RemarkArg("NumReloads", counts.reloads)
           << " reloads and " << RemarkArg("NumRemats", counts.rematerialized) << " rematerialized";
  });
}

// Says where the limits are exceeded, and why.
void RemarkOnExcess(const AllocationState& state, bool uses_memory, PassContext& context) {
  const auto excess = state.matrix.FindExcess();
  if (!excess.has_value()) return;
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    std::vector<Register> live;
    state.matrix.CollectLiveAt(excess->at, excess->kind, live);
    const bool all_fixed = std::none_of(live.begin(), live.end(),
                                        [&](Register reg) { return state.intervals.Interval(reg).is_spillable(); });
    const MachineInstr* instr = state.intervals.indexes().InstrAt(excess->at.Base());
    const char* reason = !uses_memory ? "not everything that is live there can be rematerialized"
                         : all_fixed  ? "the operands of one instruction alone exceed it"
                                      : "not enough of what is live there can be spilled";
    MachineRemark remark = instr != nullptr
                               ? MachineRemark(RemarkKind::kMissed, context.pass_name, "BudgetNotMet", *instr)
                               : MachineRemark(RemarkKind::kMissed, context.pass_name, "BudgetNotMet", state.function);
    remark << "needs " << RemarkArg("Needed", static_cast<uint64_t>(excess->pressure)) << " ";
    if (!excess->kind.is_total()) {
      remark << RemarkArg("Class", ptx::kRegisterClasses[excess->kind.reg_class()].mir_name) << " ";
    }
    return std::move(remark << "registers of " << RemarkArg("Limit", static_cast<uint64_t>(excess->limit)) << ": "
                            << reason);
  });
}

}  // namespace

PassResult RunGreedyRegisterAllocator(MachineFunction& function, PassContext& context) {
  const std::optional<RegisterLimits> limits = RegisterLimitsOf(function, context);
  const RegisterStress stress = context.knobs.ra_stress();
  const bool is_stressed = stress != RegisterStress::kNone && !function.empty() && !HasFinalFrame(function);
  if (!is_stressed && (!limits.has_value() || FitsInto(*limits, context))) return {.changed = false};
  bool changed = false;
  {
    const bool uses_memory = is_stressed || limits->uses_memory;
    GreedyAllocator allocator(function, context, SpillOptions{.use_memory = uses_memory});
    if (is_stressed) {
      allocator.Stress(stress);
    } else {
      allocator.FitInto(*limits);
    }
    const AllocationCounts counts = allocator.counts();
    changed = counts.has_changed();
    AddStatistics(counts, context);
    if (changed) RemarkOnSpilling(function, counts.spilling, context);
    RemarkOnExcess(allocator.state(), uses_memory, context);
  }
  if (!changed) return {.changed = false};
  function.SetProperty(FunctionProperty::kIsSsa, false);
  context.analyses.Clear();
  context.analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  return {.changed = true};
}

}  // namespace ptxmir
