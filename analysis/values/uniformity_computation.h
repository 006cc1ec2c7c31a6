// SPDX-License-Identifier: Apache-2.0

// The algorithm of uniformity.h, for one scope.

#ifndef PTXMIR_ANALYSIS_VALUES_UNIFORMITY_COMPUTATION_H_
#define PTXMIR_ANALYSIS_VALUES_UNIFORMITY_COMPUTATION_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/values/uniformity.h"

namespace ptxmir {

class UniformityComputation {
 public:
  UniformityComputation(const MachineFunction& function, const MachineCycles& cycles,
                        const MachinePostDominatorTree& post_dominators, UniformityScope scope);
  Uniformity::Facts Run();

  static size_t RegisterIndex(const MachineFunction& function, Register reg) {
    return reg.is_virtual() ? function.target().phys_regs.size() + reg.virtual_index() : reg.bits();
  }

 private:
  static constexpr BlockNumber kNoLabel = ~BlockNumber{0};
  // A block that is reached, and the label of the path to it.
  using Arrival = std::pair<BlockNumber, BlockNumber>;

  // Values.
  bool IsSource(const MachineInstr& instr) const;
  bool IsDivergentLoad(const MachineInstr& instr) const;
  bool IsDivergent(Register reg) const { return facts_.divergent_registers[RegisterIndex(function_, reg)]; }
  void MarkRegister(Register reg);
  void MarkDefinitions(const MachineInstr& instr);
  // Marks what follows from a divergent operand of `instr`.
  void FollowDivergentUse(const MachineInstr& instr);

  // Control.
  void MarkBranch(const MachineBasicBlock& block);
  void PropagateLabels(const MachineBasicBlock& branch);
  // Propagates labels from `arrivals` within a cycle (kNoCycle: the function). Returns false if all paths have
  // met. Otherwise `arrivals` is replaced by the exits from the cycle.
  bool PropagateWithin(CycleId cycle, std::vector<Arrival>& arrivals);
  void Arrive(CycleId cycle, BlockNumber block, BlockNumber label, std::vector<Arrival>& exits);
  bool IsInIrreducibleCycle(const MachineBasicBlock& block, CycleId within) const;
  void AddExits(CycleId cycle, bool with_own_labels, std::vector<Arrival>& exits);
  void MarkJoin(const MachineBasicBlock& block);
  void MarkRegion(const MachineBasicBlock& block);
  void MarkCycle(CycleId cycle);
  // Counts steps. When none are left, everything is assumed to be divergent.
  void Spend(uint64_t steps) { steps_left_ -= std::min(steps, steps_left_); }
  void GiveUp();
  void MarkControlDependentBlocks();

  const MachineFunction& function_;
  const MachineCycles& cycles_;
  const MachinePostDominatorTree& post_dominators_;
  const UniformityScope scope_;
  const bool is_kernel_;
  const DepthFirstOrder order_;
  Uniformity::Facts facts_;
  std::vector<const MachineInstr*> worklist_;       // the instructions with an operand that became divergent
  std::vector<const MachineBasicBlock*> branches_;  // the branches whose labels are still to be propagated
  std::vector<bool> joins_, regions_;               // indexed by block
  // The state of one propagation: labels indexed by block, valid where `label_marks_` equals `label_mark_`; and
  // the queue of blocks to continue from.
  std::vector<BlockNumber> labels_;
  std::vector<uint32_t> label_marks_;
  std::vector<bool> is_queued_;
  std::priority_queue<std::pair<uint32_t, BlockNumber>, std::vector<std::pair<uint32_t, BlockNumber>>, std::greater<>>
      queue_;
  uint32_t label_mark_ = 0;
  bool is_header_reached_ = false;
  BlockNumber header_label_ = kNoLabel;
  uint64_t steps_left_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_UNIFORMITY_COMPUTATION_H_
