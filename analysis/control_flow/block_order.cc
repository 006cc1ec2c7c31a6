// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/block_order.h"

#include <algorithm>
#include <utility>

namespace ptxmir {

DepthFirstOrder::DepthFirstOrder(const MachineFunction& function, SuccessorOrder successor_order)
    : preorder_number(function.block_number_bound(), kUnreached),
      last_below(function.block_number_bound()),
      reverse_postorder_number(function.block_number_bound(), kUnreached) {
  if (function.empty()) return;
  preorder.reserve(function.num_blocks());
  reverse_postorder.reserve(function.num_blocks());
  std::vector<std::pair<MachineBasicBlock*, size_t>> stack;  // with the number of successors visited so far
  stack.reserve(function.num_blocks());
  const auto visit = [&](MachineBasicBlock* block) {
    preorder_number[block->number()] = static_cast<uint32_t>(preorder.size());
    preorder.push_back(block);
    stack.emplace_back(block, 0);
  };
  visit(function.front());
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto successors = block->successors();
    if (next == successors.size()) {
      last_below[block->number()] = static_cast<uint32_t>(preorder.size() - 1);
      reverse_postorder.push_back(block);
      stack.pop_back();
      continue;
    }
    const size_t i = next++;
    MachineBasicBlock* successor =
        successors[successor_order == SuccessorOrder::kFirstToLast ? i : successors.size() - 1 - i];
    if (!IsReached(successor->number())) visit(successor);
  }
  std::reverse(reverse_postorder.begin(), reverse_postorder.end());
  for (size_t i = 0; i < reverse_postorder.size(); ++i) {
    reverse_postorder_number[reverse_postorder[i]->number()] = static_cast<uint32_t>(i);
  }
}

}  // namespace ptxmir
