// SPDX-License-Identifier: Apache-2.0

// Which blocks dominate which, for the verifier, which must not rely on an analysis that a pass may
// have left wrong. It shares with the analyses only the algorithm (semi_nca.h).
//
// Dominance is containment of intervals of a preorder of the tree.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

class SemiNca;

class BlockDominance {
 public:
  // The function's edges must be in order.
  explicit BlockDominance(const MachineFunction& function);

  bool IsReachable(const MachineBasicBlock& block) const { return intervals_[block.number()].size != 0; }
  // Both must be reachable. A block dominates itself.
  bool Dominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    const Interval& interval = intervals_[a.number()];
    const uint32_t at = intervals_[b.number()].first;
    return at >= interval.first && at - interval.first < interval.size;
  }

 private:
  // In a preorder of the tree: a block and what it dominates.
  struct Interval {
    uint32_t first = 0;
    uint32_t size = 0;  // 0: not reachable
  };

  void NumberTree(const SemiNca& core);

  std::vector<Interval> intervals_;  // by block number
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_
