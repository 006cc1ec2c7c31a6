// SPDX-License-Identifier: Apache-2.0

// The dominance relation between blocks, for the verifier. It does not use the dominator tree analysis, because a
// pass may have failed to keep that up to date. The two share only the algorithm (semi_nca.h).
//
// A block dominates another if its interval in a preorder of the dominator tree contains the other's.

#ifndef PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_
#define PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

class SemiNca;

class BlockDominance {
 public:
  // Precondition: the edges of the function are consistent.
  explicit BlockDominance(const MachineFunction& function);

  bool IsReachable(const MachineBasicBlock& block) const { return intervals_[block.number()].size != 0; }
  // Returns true if `a` dominates `b`. Both must be reachable. A block dominates itself.
  bool Dominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    const Interval& interval = intervals_[a.number()];
    const uint32_t at = intervals_[b.number()].first;
    return at >= interval.first && at - interval.first < interval.size;
  }

 private:
  // The positions of a block and of all blocks that it dominates in a preorder of the tree.
  struct Interval {
    uint32_t first = 0;
    uint32_t size = 0;  // 0 if unreachable
  };

  void NumberTree(const SemiNca& core);

  std::vector<Interval> intervals_;  // by block number
};

}  // namespace ptxmir

#endif  // PTXMIR_MIR_VERIFY_VERIFIER_DOMINANCE_H_
