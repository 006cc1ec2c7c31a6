// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/reg_alloc_advisors.h"

#include <algorithm>

#include "analysis/register_name.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

constexpr uint32_t kNotDeferred = 1u << 31;
constexpr uint32_t kHinted = 1u << 30;
constexpr uint32_t kGlobal = 1u << 29;
constexpr uint64_t kMaxSize = (1u << 24) - 1;
// The cost of violating the order of cascades, in broken hints. It is a last resort.
constexpr uint32_t kBrokenCascade = 10;

// Returns true if the register has a preference whose color is known.
bool HasKnownPreference(const AllocationState& state, Register reg) {
  const Register preferred = state.function.reg_info().preferred(reg);
  return preferred.is_physical() || (preferred.is_virtual() && state.map.HasColor(preferred));
}

bool HasPreferredColor(const AllocationState& state, Register reg) {
  const Register preferred = state.function.reg_info().preferred(reg);
  return preferred.is_virtual() && state.map.HasColor(reg) && state.map.Color(reg) == state.map.Color(preferred);
}

int32_t UnitsOf(const AllocationState& state, Register reg) {
  return state.function.target().reg_classes[state.function.reg_info().reg_class(reg)].pressure_units;
}

// Returns the maximum number of registers of the class, or kNoLimit if there is no limit.
int32_t NumAllocatable(const AllocationState& state, Register reg) {
  const int32_t of_class = state.matrix.Limit(PressureKind::Class(state.function.reg_info().reg_class(reg)));
  const int32_t total = state.matrix.Limit(PressureKind::Total());
  const int32_t units = UnitsOf(state, reg);
  return units == 0 || total == LiveRegMatrix::kNoLimit ? of_class : std::min(of_class, total / units);
}

}  // namespace

bool DefaultEvictionPolicy::MayEvict(const AllocationState& state, const LiveInterval& interval,
                                     const LiveInterval& victim, EvictionCost& cost) const {
  const AllocationProgress& progress = state.progress;
  // The victim can be neither split nor spilled.
  if (progress.Stage(victim.reg()) == LiveRangeStage::kDone) return false;
  const bool urgent = !interval.is_spillable() && victim.is_spillable();
  const uint32_t cascade = progress.CascadeOrNext(interval.reg());
  const uint32_t victim_cascade = progress.Cascade(victim.reg());
  if (victim_cascade == cascade) return false;
  if (victim_cascade > cascade) {
    if (!urgent) return false;
    cost.broken_hints += kBrokenCascade;
  }
  cost.broken_hints += HasPreferredColor(state, victim.reg()) ? 1 : 0;
  cost.max_weight = std::max(cost.max_weight, victim.weight());
  return urgent || interval.weight() > victim.weight();
}

uint32_t DefaultPriorityPolicy::Priority(const AllocationState& state, const LiveInterval& interval) const {
  const SlotIndexes& indexes = state.intervals.indexes();
  const LiveRangeStage stage = state.progress.Stage(interval.reg());
  const uint64_t instrs = indexes.ApproximateInstrs(interval.Size());
  const uint64_t size = std::min(instrs * SlotIndexes::kPrintedDistance, kMaxSize);
  // An interval that was to be split and did not fit waits for all others; one that is in memory waits even
  // longer.
  if (stage == LiveRangeStage::kMemory) return 0;
  if (stage == LiveRangeStage::kSplit) return static_cast<uint32_t>(size);
  uint32_t priority = kNotDeferred | (HasKnownPreference(state, interval.reg()) ? kHinted : 0);
  // Giant ranges within a block are treated like global ones. In the order of the code they would be assigned
  // early and make all later ranges spill.
  const int32_t registers = NumAllocatable(state, interval.reg());
  const bool is_giant =
      registers != LiveRegMatrix::kNoLimit && instrs > 2 * static_cast<uint64_t>(std::max(registers, 0));
  const bool is_local = !interval.empty() && state.intervals.OnlyBlock(interval) != nullptr;
  if (is_local && !is_giant && stage <= LiveRangeStage::kAssign) {
    const uint64_t distance = indexes.ApproximateInstrs(indexes.end().bits() - interval.begin_index().Base().bits());
    return priority | static_cast<uint32_t>(std::min(distance, kMaxSize));
  }
  return priority | kGlobal | static_cast<uint32_t>(size);
}

RegAllocEvictionAdvisor::RegAllocEvictionAdvisor(MachineFunction& function, AnalysisManager& analyses)
    : state_{function, analyses.Get<LiveIntervals>(), analyses.Get<LiveRegMatrix>(), analyses.Get<VirtRegMap>(),
             progress_} {}

Register RegAllocEvictionAdvisor::Choose(const LiveInterval& interval, const LiveRegMatrix::Excess& excess,
                                         const EvictionCost& max_cost, EvictionCost& cost) const {
  std::vector<Register> live;
  state_.matrix.CollectLiveAt(excess.at, excess.kind, live);
  const int32_t missing = excess.pressure - excess.limit;
  Register best;
  EvictionCost best_cost;
  float best_price = 0;
  for (const Register reg : live) {
    const LiveInterval& victim = state_.intervals.Interval(reg);
    EvictionCost with = cost;
    if (!policy_->MayEvict(state_, interval, victim, with) || !(with < max_cost)) continue;
    // Compare the weight per unit of the excess that is freed. Among equals, prefer the longer interval, which
    // makes room elsewhere too.
    const int32_t freed = excess.kind.is_total() ? std::min(UnitsOf(state_, reg), missing) : 1;
    const float price = victim.weight() / static_cast<float>(std::max(freed, 1));
    const bool is_better =
        !best.is_valid() || with.broken_hints < best_cost.broken_hints ||
        (with.broken_hints == best_cost.broken_hints &&
         (price < best_price || (price == best_price && victim.Size() > state_.intervals.Interval(best).Size())));
    if (!is_better) continue;
    best = reg;
    best_cost = with;
    best_price = price;
  }
  if (best.is_valid()) cost = best_cost;
  return best;
}

bool RegAllocEvictionAdvisor::TryEvict(const LiveInterval& interval, const EvictionCost& max_cost,
                                       std::vector<Register>& victims) {
  std::vector<Register> evicted;
  EvictionCost cost;
  while (const auto excess = state_.matrix.FindInterference(interval)) {
    const Register victim = evicted.size() < kMaxVictims ? Choose(interval, *excess, max_cost, cost) : Register();
    if (!victim.is_valid()) {
      for (const Register reg : evicted) state_.matrix.Assign(state_.intervals.Interval(reg));
      return false;
    }
    state_.matrix.Unassign(state_.intervals.Interval(victim));
    evicted.push_back(victim);
  }
  KeepWhatFits(interval, evicted);
  if (!evicted.empty()) {
    const uint32_t cascade = progress_.TakeCascade(interval.reg());
    for (const Register reg : evicted) progress_.SetCascade(reg, cascade);
  }
  victims.insert(victims.end(), evicted.begin(), evicted.end());
  return true;
}

// Reassigns earlier victims for which later ones have made room.
void RegAllocEvictionAdvisor::KeepWhatFits(const LiveInterval& interval, std::vector<Register>& victims) {
  if (victims.size() < 2) return;
  state_.matrix.Assign(interval);
  std::stable_sort(victims.begin(), victims.end(), [this](Register a, Register b) {
    return state_.intervals.Interval(a).weight() > state_.intervals.Interval(b).weight();
  });
  std::erase_if(victims, [this](Register reg) {
    const LiveInterval& victim = state_.intervals.Interval(reg);
    if (state_.matrix.FindInterference(victim).has_value()) return false;
    state_.matrix.Assign(victim);
    return true;
  });
  state_.matrix.Unassign(interval);
}

void RegAllocEvictionAdvisor::Print(std::string& out) const {
  StrAppend(&out, "Eviction advisor of machine function: ", state_.function.name(), ", policy ", policy_->name(), "\n");
  for (uint32_t i = 0; i < state_.intervals.num_intervals(); ++i) {
    const Register reg = Register::Virtual(i);
    if (progress_.Cascade(reg) == AllocationProgress::kNoCascade) continue;
    StrAppend(&out, RegisterName(state_.function, reg), ": cascade ", progress_.Cascade(reg), "\n");
  }
}

void RegAllocPriorityAdvisor::Print(std::string& out) const {
  StrAppend(&out, "Priorities of machine function: ", function_.name(), ", policy ", policy_->name(), "\n");
  for (uint32_t i = 0; i < state_.intervals.num_intervals(); ++i) {
    const LiveInterval& interval = state_.intervals.Interval(Register::Virtual(i));
    if (interval.empty()) continue;
    StrAppend(&out, RegisterName(function_, interval.reg()), ": ", Priority(interval), "\n");
  }
}

}  // namespace ptxmir
