// SPDX-License-Identifier: Apache-2.0

// regalloc-evict and regalloc-priority: what the greedy allocator asks when it has to choose.
//
// Both are policies that can be replaced (SetPolicy), with LLVM's as the defaults:
//
//   priority  in which order intervals are assigned. Those that live across blocks first, long before short, since they
//             are the hardest to place; then those within a block, in the order of the code; what has been split and
//             did not fit comes last. A preferred register raises it.
//   eviction  whether an interval may take the place of others that are assigned: of lighter ones; and when it cannot
//             be spilled itself, of any that can. Cascade numbers make that end: who was evicted gets the number of
//             the one that evicted it, and may evict only what has a smaller one.
//
// Where we differ: without a register file there is no register whose occupants would be evicted together. An interval
// interferes where the pressure would exceed a limit (live_reg_matrix.h), and anything that is live there and counts
// towards that limit can make room. So the eviction advisor also chooses: at the place where most is missing the
// cheapest by weight and by units it frees, then again, until the interval fits; and it keeps those after all that
// the others have made room for.

#ifndef PTXMIR_PASSES_ALLOCATE_REG_ALLOC_ADVISORS_H_
#define PTXMIR_PASSES_ALLOCATE_REG_ALLOC_ADVISORS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "analysis/analysis_manager.h"
#include "analysis/live_intervals.h"
#include "mir/code/machine_function.h"
#include "passes/allocate/live_reg_matrix.h"
#include "passes/allocate/virt_reg_map.h"

namespace ptxmir {

// How far allocation has come with an interval, in the order in which it goes on.
enum class LiveRangeStage : uint8_t {
  kNew,     // not seen yet
  kAssign,  // tried to be assigned, and to evict others
  kSplit,   // to be split when it does not fit
  kSplit2,  // split, to be split in smaller pieces if that does not help
  kSpill,   // to be spilled
  kMemory,  // spilled; a register would still be welcome
  kDone,    // of spill code: neither split nor spilled nor evicted
};

// Stages and cascade numbers, by virtual register. LLVM's ExtraRegInfo.
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
  // The number that it has, or would get.
  uint32_t CascadeOrNext(Register reg) const { return Cascade(reg) == kNoCascade ? next_cascade_ : Cascade(reg); }
  // Gives it one if it has none.
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

// What policies may look at.
struct AllocationState {
  MachineFunction& function;
  LiveIntervals& intervals;
  LiveRegMatrix& matrix;
  VirtRegMap& map;
  AllocationProgress& progress;
};

// What evicting costs: broken hints first, then the weight of the heaviest victim.
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
  // Whether `interval` may evict `victim`; adds to `cost` what that costs.
  virtual bool MayEvict(const AllocationState& state, const LiveInterval& interval, const LiveInterval& victim,
                        EvictionCost& cost) const = 0;
};

// LLVM's default.
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
  // The higher, the earlier it is assigned.
  virtual uint32_t Priority(const AllocationState& state, const LiveInterval& interval) const = 0;
};

// LLVM's default: from the top, a bit for what is not deferred, one for a hint, one for what lives across blocks, then
// 24 bits of size or of distance to the end.
class DefaultPriorityPolicy : public PriorityPolicy {
 public:
  std::string_view name() const override { return "default"; }
  uint32_t Priority(const AllocationState& state, const LiveInterval& interval) const override;
};

// LLVM's "dummy": in the order of register numbers, for tests and for telling what the order is worth.
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
  // More victims than that are not worth looking at (LLVM's cutoff).
  static constexpr size_t kMaxVictims = 10;

  RegAllocEvictionAdvisor(MachineFunction& function, AnalysisManager& analyses);

  AllocationState& state() { return state_; }
  AllocationProgress& progress() { return progress_; }
  const EvictionPolicy& policy() const { return *policy_; }
  void SetPolicy(std::unique_ptr<EvictionPolicy> policy) { policy_ = std::move(policy); }

  // Makes room for the interval, which is not assigned, when that costs less than `max_cost`: then the victims are
  // unassigned, have the interval's cascade number and are appended to `victims`. Else nothing has changed. True when
  // the interval fits already.
  bool TryEvict(const LiveInterval& interval, const EvictionCost& max_cost, std::vector<Register>& victims);

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis&) const override { return ""; }

 private:
  // The victim that is to go first among those that make room for what is missing; invalid when none may be evicted.
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

  // Stages are those of the eviction advisor.
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

#endif  // PTXMIR_PASSES_ALLOCATE_REG_ALLOC_ADVISORS_H_
