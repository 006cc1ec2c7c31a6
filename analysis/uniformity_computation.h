// SPDX-License-Identifier: Apache-2.0

// The computation behind uniformity.h, for one scope.

#ifndef PTXMIR_ANALYSIS_UNIFORMITY_COMPUTATION_H_
#define PTXMIR_ANALYSIS_UNIFORMITY_COMPUTATION_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/block_order.h"
#include "analysis/uniformity.h"

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
  // A block that is reached and the label of the way there.
  using Arrival = std::pair<BlockNumber, BlockNumber>;

  // Values.
  bool IsSource(const MachineInstr& instr) const;
  bool IsDivergentLoad(const MachineInstr& instr) const;
  bool IsDivergent(Register reg) const { return facts_.divergent_registers[RegisterIndex(function_, reg)]; }
  void MarkRegister(Register reg);
  void MarkDefinitions(const MachineInstr& instr);
  // What follows from a divergent operand.
  void FollowDivergentUse(const MachineInstr& instr);

  // Control.
  void MarkBranch(const MachineBasicBlock& block);
  void PropagateLabels(const MachineBasicBlock& branch);
  // From `arrivals` within a cycle (kNoCycle: the function); false if all ways have met. Ways out of the cycle replace
  // `arrivals`.
  bool PropagateWithin(CycleId cycle, std::vector<Arrival>& arrivals);
  void Arrive(CycleId cycle, BlockNumber block, BlockNumber label, std::vector<Arrival>& exits);
  bool IsInIrreducibleCycle(const MachineBasicBlock& block, CycleId within) const;
  void AddExits(CycleId cycle, bool with_own_labels, std::vector<Arrival>& exits);
  void MarkJoin(const MachineBasicBlock& block);
  void MarkRegion(const MachineBasicBlock& block);
  void MarkCycle(CycleId cycle);
  // Counts steps; when none are left, everything is taken for divergent.
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
  std::vector<const MachineInstr*> worklist_;       // instructions with an operand that became divergent
  std::vector<const MachineBasicBlock*> branches_;  // whose labels are to be propagated
  std::vector<bool> joins_, regions_;               // by block
  // Of one propagation: labels by block, where `label_mark_` is current; the blocks to go on from.
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

#endif  // PTXMIR_ANALYSIS_UNIFORMITY_COMPUTATION_H_
