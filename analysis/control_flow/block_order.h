// SPDX-License-Identifier: Apache-2.0

// Depth-first orders of the blocks of a function.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_BLOCK_ORDER_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_BLOCK_ORDER_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

enum class SuccessorOrder : uint8_t { kFirstToLast, kLastToFirst };

// A depth-first search from the entry. Blocks that it does not reach are in none of the lists and have no number.
struct DepthFirstOrder {
  static constexpr uint32_t kUnreached = ~uint32_t{0};

  explicit DepthFirstOrder(const MachineFunction& function,
                           SuccessorOrder successor_order = SuccessorOrder::kFirstToLast);

  bool IsReached(BlockNumber block) const { return preorder_number[block] != kUnreached; }
  // Returns true if `a` is `b` or an ancestor of `b` in the depth-first tree. Both must be reached.
  bool IsAncestor(BlockNumber a, BlockNumber b) const {
    return preorder_number[b] >= preorder_number[a] && preorder_number[b] <= last_below[a];
  }

  std::vector<MachineBasicBlock*> preorder;
  // The entry comes first. Every block comes before its successors, except along edges that close a cycle.
  std::vector<MachineBasicBlock*> reverse_postorder;
  // These three are indexed by block number.
  std::vector<uint32_t> preorder_number;
  std::vector<uint32_t> last_below;  // the largest preorder number in the block's subtree
  std::vector<uint32_t> reverse_postorder_number;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_BLOCK_ORDER_H_
