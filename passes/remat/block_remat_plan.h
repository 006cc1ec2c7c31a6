// SPDX-License-Identifier: Apache-2.0

// Plans the best way to remove one value from the points over the target, for nvptx-remat-block with measurements.
//
// If the value is live through a point over the target without being read there, its later uses read clones of the
// computation. A forward walk over the blocks in which the value is live finds those uses. This is partial
// rematerialization per use: uses that are reached only on paths without excess pressure keep the original. Uses
// in one block with no point over the target between them share a clone. Uses in a loop that is below the target
// throughout share a clone before the loop.
//
// A clone is computed from values that are live at its place anyway. An operand that is not live there is cloned
// as well (a chain of at most 12 instructions, or -nv-remat-block-map-size-limit). An operand that cannot be
// cloned has its live range extended to the clone, which counts against the plan. The result lists the points at
// which registers are no longer live or are live in addition, and the increase in executed instructions.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "passes/remat/block_remat_points.h"
#include "passes/remat/block_remat_values.h"

namespace ptxmir {

// The amount of executed code, in sixteenths of one execution per function entry. Frequencies are cut off where sums
// over a function could overflow.
using RematCost = int64_t;

// A clone of a value, and the uses that read it.
struct RematClone {
  PointInBlock place;
  MachineInstr* before = nullptr;  // null: at the end of the block
  absl::InlinedVector<MachineOperand*, 2> uses;
  absl::InlinedVector<Register, 4> chain;  // the registers that it computes: operands first, the value itself last
};

struct RematPlan {
  // Units that are live in addition, or no longer if negative, at the points of some of `ranges`.
  struct Change {
    uint32_t first_range = 0;
    uint32_t end_range = 0;
    int32_t units = 0;
  };

  Register reg;
  std::vector<RematClone> clones;
  std::vector<PointRange> ranges;
  std::vector<Change> changes;
  std::vector<Register> leaves;  // the registers that the clones read; their current liveness is assumed
  int64_t gain = 0;              // units over the target that are saved, summed over all points
  RematCost cost = 0;            // weighted increase in executed code; negative if less is executed
  RematCost added = 0;           // increase in executed instructions
  bool removes_original = false;

  absl::Span<const PointRange> Ranges(const Change& change) const {
    return absl::MakeConstSpan(ranges).subspan(change.first_range, change.end_range - change.first_range);
  }
  // Empties the plan, but keeps its memory.
  void Reset(Register value);
};

// The pressure that a plan is made for.
enum class RematStage : uint8_t {
  kStart,  // the pressure before any plan of the round was taken
  kNow,    // the pressure that the plans taken so far leave
};

class RematPlanner {
 public:
  RematPlanner(MachineFunction& function, PassContext& context, RematValues& values, const RematPoints& points,
               const MachineRegisterPressure& pressure);

  // Estimates the plan for a value at the start of the round, without looking for chains: no plan gains more than
  // plan.gain, and none costs less than plan.cost. Returns false if there is nothing to gain. Overwrites `plan`.
  bool Estimate(Register reg, RematPlan& plan);
  // Plans the rematerialization of a value. Returns false if there is nothing to gain. Overwrites `plan`.
  bool Plan(Register reg, RematStage stage, RematPlan& plan);
  // Adds the units of the value that was estimated last to `relief` at the points at which it is live without being
  // read. `relief` holds differences between points.
  void AddRelief(absl::Span<int32_t> relief);
  // Returns true if the value that was estimated last is live at the point without being read there.
  bool IsThroughPoint(PointInBlock at);
  // Mark values whose liveness has changed, so that no plan may rely on it, and values on whose liveness plans
  // rely.
  void MarkGone(Register reg) { gone_[reg.virtual_index()] = true; }
  void MarkLeaf(Register reg) { is_leaf_[reg.virtual_index()] = true; }
  bool IsTaken(Register reg) const { return gone_[reg.virtual_index()] || is_leaf_[reg.virtual_index()]; }

  RematCost Executions(BlockNumber block) const { return executions_[block]; }

 private:
  struct Use {
    PointInBlock at;
    MachineOperand* operand;
  };
  struct BlockState {
    uint32_t stamp = 0;
    uint32_t live_until = 0;  // one past the last live point
    bool is_live_in = false;
    bool is_tainted = false;  // at its beginning: the value was live through a point over the target
    bool is_live_out = false;
    uint32_t first_use = 0;  // index into uses_
    uint32_t num_uses = 0;
  };

  bool IsHot(uint32_t first, uint32_t last) const {
    return stage_ == RematStage::kStart ? points_.WasHot(first, last) : points_.IsHot(first, last);
  }
  bool IsGone(Register reg) const { return stage_ == RematStage::kNow && gone_[reg.virtual_index()]; }
  bool IsBelowTarget(Register reg) const;
  bool CollectUses(Register reg);
  BlockState& State(BlockNumber block);
  void FindLiveBlocks();
  void AddLiveOut(BlockNumber block);
  void AppendLiveRanges(PointInBlock from, absl::Span<const PointInBlock> uses, RematPlan& plan);
  template <typename Visit>
  bool ForEachGap(BlockNumber block, Visit visit);
  bool FindPeaks(BlockNumber block);
  bool SpreadTaint();
  void MakeClones(RematPlan& plan);
  void AddToClone(const Use& use, bool shares_block, RematPlan& plan);
  CycleId ColdLoopAround(BlockNumber block) const;
  void HoistClone(CycleId loop, RematClone& clone) const;
  bool MoveUses(Register reg, RematPlan& plan);
  void AddChange(uint32_t first_range, int32_t units, RematPlan& plan) const;
  bool BuildChains(RematPlan& plan);
  bool GainsNothing(PointInBlock at, RematPlan& plan);
  bool AddOperand(Register reg, RematClone& clone, RematPlan& plan);
  bool AddToChain(Register reg, RematClone& clone, RematPlan& plan);
  bool IsAvailable(Register reg, PointInBlock at);
  bool ExtendTo(Register reg, PointInBlock at, RematPlan& plan);
  bool RemovesOriginal(Register reg) const;

  MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  RematValues& values_;
  const RematPoints& points_;
  const MachineRegisterPressure& pressure_;
  const MachineLoops& loops_;
  const uint32_t max_chain_;
  std::vector<RematCost> executions_;  // by block
  std::vector<bool> gone_, is_leaf_;   // by register
  // By register: the block that was asked for last, plus 1, and the point up to which the register can be read there
  // without being live for longer.
  struct Availability {
    BlockNumber block_after = 0;
    uint32_t until = 0;
  };
  std::vector<Availability> available_;

  // State for the current value.
  RematStage stage_ = RematStage::kStart;
  PointInBlock definition_;
  int32_t units_ = 0;
  std::vector<Use> uses_;  // sorted by point
  std::vector<BlockNumber> live_blocks_;
  std::vector<BlockNumber> taint_worklist_;
  std::vector<BlockState> states_;  // by block
  uint32_t stamp_ = 0;
  std::vector<uint32_t> hot_loops_;  // by loop: the stamp of the last value that has a point over the target in it
  std::vector<std::pair<CycleId, uint32_t>> clone_of_loop_;
  std::vector<PointInBlock> kept_uses_, clone_uses_;

  // State for the current chain.
  uint32_t visits_ = 0;
  bool is_useless_ = false;  // however it goes on, there is nothing to gain
  // An operand that the chain is being extended by. If that fails, the operand's live range will be extended instead.
  struct OperandInQuestion {
    Register reg;
    int64_t gain;           // of the plan before the chain was extended
    bool may_gain = false;  // there is a gain left if the live range is extended instead
  };
  std::vector<OperandInQuestion> in_question_;
  size_t num_gainless_ = 0;  // of the first ones it is known that nothing would be left

  // State of a walk that computes live ranges.
  std::vector<uint32_t> range_stamp_, range_end_;  // by block
  uint32_t range_number_ = 0;
  std::vector<BlockNumber> range_blocks_;
  std::vector<PointInBlock> extension_worklist_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_
