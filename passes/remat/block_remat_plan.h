// SPDX-License-Identifier: Apache-2.0

// How one value is best taken out of what is over the target: for nvptx-remat-block, measured.
//
// Where the value lives through a point over the target without being read, what reads it later gets clones of the
// computation. A forward walk over the blocks in which it is live finds those reads (partial rematerialization per
// use: what is reached only on ways without pressure keeps the original). Reads in a block with nothing over the
// target between them share a clone; reads in a loop that is below the target throughout share one in front of it.
//
// A clone is computed from values that are live at its place anyway; what is not is cloned with it (a chain, of at
// most 12 instructions or -nv-remat-block-map-size-limit), or, if it cannot be, lives on to there, which counts against
// the plan. The result says at which points which registers are live no more or in addition, and how much more is
// executed.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_

#include <cstdint>
#include <vector>

#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_loops.h"
#include "passes/remat/block_remat_points.h"
#include "passes/remat/block_remat_values.h"

namespace ptxmir {

// What is executed, in 1/16 of once for each entry of the function.
using RematCost = __int128;

// One clone of a value with all that reads it.
struct RematClone {
  PointInBlock place;
  MachineInstr* before = nullptr;  // null: at the end of the block
  std::vector<MachineOperand*> uses;
  std::vector<Register> chain;  // what is computed there: operands first, the value itself last
};

struct RematPlan {
  struct Change {
    std::vector<PointRange> ranges;
    int32_t units = 0;
  };

  Register reg;
  std::vector<RematClone> clones;
  std::vector<Change> changes;
  std::vector<Register> leaves;  // what the clones read, and rely on being live as it is now
  int64_t gain = 0;              // units over the target that go, summed up over points
  RematCost cost = 0;            // of what more is executed; negative when it is less
  RematCost added = 0;           // instructions that more are executed
  bool removes_original = false;
};

class RematPlanner {
 public:
  RematPlanner(MachineFunction& function, PassContext& context, RematValues& values, const RematPoints& points,
               const MachineRegisterPressure& pressure);

  // False when nothing can be won. `plan` is overwritten.
  bool Plan(Register reg, RematPlan& plan);
  // Values whose liveness is no longer what it was, on which no plan may rely, and those on whose liveness others rely.
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
    uint32_t live_until = 0;  // the last point plus one
    bool is_live_in = false;
    bool is_tainted = false;  // at its beginning: it has been live through a point over the target
    bool is_live_out = false;
    uint32_t first_use = 0;  // into uses_
    uint32_t num_uses = 0;
  };

  bool CollectUses(Register reg);
  BlockState& State(BlockNumber block);
  void FindLiveBlocks();
  void AddLiveOut(BlockNumber block);
  std::vector<PointRange> LiveRanges(PointInBlock from, absl::Span<const PointInBlock> uses);
  bool FindPeaks(BlockNumber block);
  void SpreadTaint();
  void MakeClones(RematPlan& plan);
  void AddToClone(const Use& use, bool shares_block, RematPlan& plan);
  CycleId ColdLoopAround(BlockNumber block) const;
  void HoistClone(CycleId loop, RematClone& clone) const;
  bool BuildChains(RematPlan& plan);
  bool AddToChain(Register reg, RematClone& clone, RematPlan& plan);
  bool IsAvailable(Register reg, PointInBlock at) const;
  bool ExtendTo(Register reg, PointInBlock at, RematPlan& plan);
  void Evaluate(RematPlan& plan);

  MachineFunction& function_;
  const MachineRegisterInfo& reg_info_;
  RematValues& values_;
  const RematPoints& points_;
  const MachineRegisterPressure& pressure_;
  const MachineLoops& loops_;
  const uint32_t max_chain_;
  std::vector<RematCost> executions_;  // by block
  std::vector<bool> gone_, is_leaf_;   // by register

  // Of the value at hand.
  PointInBlock definition_;
  std::vector<Use> uses_;  // by point
  std::vector<BlockNumber> live_blocks_;
  std::vector<BlockState> states_;  // by block
  uint32_t stamp_ = 0;
  std::vector<uint32_t> hot_loops_;  // by loop: stamp of the value that has a point over the target in it
  std::vector<std::pair<CycleId, uint32_t>> clone_of_loop_;
  std::vector<PointInBlock> kept_uses_;
  uint32_t visits_ = 0;  // of the chain at hand
  // Of a walk for ranges of liveness.
  std::vector<uint32_t> range_stamp_, range_end_;  // by block
  uint32_t range_number_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_PLAN_H_
