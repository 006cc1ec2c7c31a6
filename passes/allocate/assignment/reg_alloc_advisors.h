// SPDX-License-Identifier: Apache-2.0

// regalloc-evict and regalloc-priority: the decisions that the greedy allocator delegates.
//
// Both are replaceable policies (SetPolicy), with LLVM's as the defaults:
//
//   priority  the order in which intervals are assigned. Global intervals (live across blocks) come first, long ones
//             before short ones, since they are the hardest to place. Intervals within a block follow, in the order of
//             the code. Intervals that were split and did not fit come last. A preferred register raises the priority.
//   eviction  whether an interval may take the place of others that are assigned. It may evict lighter ones and, if it
//             cannot be spilled itself, any that can. Cascade numbers ensure termination: an evicted interval gets
//             the number of the one that evicted it, and may evict only intervals with a smaller number.
//
// Where we differ: without a register file, there is no register whose occupants would be evicted together. An
// interval interferes where the pressure would exceed a limit (live_reg_matrix.h), and any interval that is live
// there and counts towards that limit can make room. The eviction advisor therefore also chooses the victims. At
// the point with the largest excess it takes the cheapest interval by weight and by the units it frees, and
// repeats this until the interval fits. Victims that turn out to fit after all are kept.

#ifndef PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_REG_ALLOC_ADVISORS_H_
#define PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_REG_ALLOC_ADVISORS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/liveness/live_intervals.h"
#include "mir/code/machine_function.h"
#include "passes/allocate/assignment/live_reg_matrix.h"
#include "passes/allocate/assignment/virt_reg_map.h"

namespace ptxmir {

// How far allocation has progressed with an interval. The stages are in the order in which they are reached.
enum class LiveRangeStage : uint8_t {
  kNew,     // not seen yet
  kAssign,  // to be assigned, possibly by evicting others
  kSplit,   // to be split if it does not fit
  kSplit2,  // a product of splitting; to be split into smaller pieces if necessary
  kSpill,   // to be spilled
  kMemory,  // spilled; a register would still be useful
  kDone,    // spill code: neither split nor spilled nor evicted
};

// Stages and cascade numbers, indexed by virtual register. This is LLVM's ExtraRegInfo.
class AllocationProgress {
 public:
  static constexpr uint32_t kNoCascade = 0;

  LiveRangeStage Stage(Register reg) const { return Get(reg).stage; }
  void SetStage(Register reg, LiveRangeStage stage) { Mutable(reg).stage = stage; }
  void SetStageIfNew(Register reg, LiveRangeStage stage) {
    if (Stage(reg) == LiveRangeStage::kNew) SetStage(reg, stage);
  }
  uint32_t Cascade(Register reg) const { return Get(reg).cascade; }
  void SetCascade(Register reg, uint32_t cascade) { Mutable(reg).cascade = cascade; }
  // Returns its number, or the number that it would get.
  uint32_t CascadeOrNext(Register reg) const { return Cascade(reg) == kNoCascade ? next_cascade_ : Cascade(reg); }
  // Returns its number, after giving it one if it has none.
  uint32_t TakeCascade(Register reg) {
    if (Cascade(reg) == kNoCascade) SetCascade(reg, next_cascade_++);
    return Cascade(reg);
  }

 private:
  struct Entry {
    LiveRangeStage stage = LiveRangeStage::kNew;
    uint32_t cascade = kNoCascade;
  };
  const Entry& Get(Register reg) const {
    static constexpr Entry kNothing;
    return reg.virtual_index() < entries_.size() ? entries_[reg.virtual_index()] : kNothing;
  }
  Entry& Mutable(Register reg) {
    if (reg.virtual_index() >= entries_.size()) entries_.resize(reg.virtual_index() + 1);
    return entries_[reg.virtual_index()];
  }
  std::vector<Entry> entries_;
  uint32_t next_cascade_ = 1;
};

// The state that policies may inspect.
struct AllocationState {
  MachineFunction& function;
  LiveIntervals& intervals;
  LiveRegMatrix& matrix;
  VirtRegMap& map;
  AllocationProgress& progress;
};

// The cost of an eviction: broken hints first, then the weight of the heaviest victim.
struct EvictionCost {
  uint32_t broken_hints = 0;
  float max_weight = 0;
  static constexpr EvictionCost Max() { return {~uint32_t{0}, std::numeric_limits<float>::infinity()}; }
  friend std::partial_ordering operator<=>(const EvictionCost&, const EvictionCost&) = default;
};

class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;
  virtual std::string_view name() const = 0;
  // Returns true if `interval` may evict `victim`, and adds the cost to `cost`.
  virtual bool MayEvict(const AllocationState& state, const LiveInterval& interval, const LiveInterval& victim,
                        EvictionCost& cost) const = 0;
};

// LLVM's default policy.
class DefaultEvictionPolicy : public EvictionPolicy {
 public:
  std::string_view name() const override { return "default"; }
  bool MayEvict(const AllocationState& state, const LiveInterval& interval, const LiveInterval& victim,
                EvictionCost& cost) const override;
};

class PriorityPolicy {
 public:
  virtual ~PriorityPolicy() = default;
  virtual std::string_view name() const = 0;
  // Returns the priority. Intervals with a higher priority are assigned earlier.
  virtual uint32_t Priority(const AllocationState& state, const LiveInterval& interval) const = 0;
};

// LLVM's default policy. From the highest bit down: one bit for intervals that are not deferred, one for a hint,
// one for global intervals, then 24 bits of size or of distance to the end.
class DefaultPriorityPolicy : public PriorityPolicy {
 public:
  std::string_view name() const override { return "default"; }
  uint32_t Priority(const AllocationState& state, const LiveInterval& interval) const override;
};

// LLVM's "dummy" policy: the order of register numbers. For tests and for measuring the benefit of the default
// order.
class NumberPriorityPolicy : public PriorityPolicy {
 public:
  std::string_view name() const override { return "number"; }
  uint32_t Priority(const AllocationState&, const LiveInterval& interval) const override {
    return ~interval.reg().virtual_index();
  }
};

class RegAllocEvictionAdvisor : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kRegAllocEvictionAdvisor;
  // The number of victims above which an eviction is not considered (LLVM's cutoff).
  static constexpr size_t kMaxVictims = 10;

  RegAllocEvictionAdvisor(MachineFunction& function, AnalysisManager& analyses);

  AllocationState& state() { return state_; }
  AllocationProgress& progress() { return progress_; }
  const EvictionPolicy& policy() const { return *policy_; }
  void SetPolicy(std::unique_ptr<EvictionPolicy> policy) { policy_ = std::move(policy); }

  // Makes room for the interval, which is not assigned, if that costs less than `max_cost`. The victims are then
  // unassigned, get the interval's cascade number and are appended to `victims`. Returns true if there is room now
  // or the interval fits already. Otherwise nothing has changed.
  bool TryEvict(const LiveInterval& interval, const EvictionCost& max_cost, std::vector<Register>& victims);

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis&) const override { return ""; }

 private:
  // Returns the first victim to evict among those that relieve the excess, or an invalid register if none may be
  // evicted.
  Register Choose(const LiveInterval& interval, const LiveRegMatrix::Excess& excess, const EvictionCost& max_cost,
                  EvictionCost& cost) const;
  void KeepWhatFits(const LiveInterval& interval, std::vector<Register>& victims);

  AllocationProgress progress_;
  AllocationState state_;
  std::unique_ptr<EvictionPolicy> policy_ = std::make_unique<DefaultEvictionPolicy>();
};

class RegAllocPriorityAdvisor : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kRegAllocPriorityAdvisor;

  // Uses the stages of the eviction advisor.
  RegAllocPriorityAdvisor(MachineFunction& function, AnalysisManager& analyses)
      : state_(analyses.Get<RegAllocEvictionAdvisor>().state()), function_(function) {}

  uint32_t Priority(const LiveInterval& interval) const { return policy_->Priority(state_, interval); }
  const PriorityPolicy& policy() const { return *policy_; }
  void SetPolicy(std::unique_ptr<PriorityPolicy> policy) { policy_ = std::move(policy); }

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis&) const override { return ""; }

 private:
  AllocationState& state_;
  MachineFunction& function_;
  std::unique_ptr<PriorityPolicy> policy_ = std::make_unique<DefaultPriorityPolicy>();
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_REG_ALLOC_ADVISORS_H_
