// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/tree_order_like_llvm.h"

#include <algorithm>

namespace ptxmir::like_llvm {

void ListChildren(const MachineDominatorTree& dominators, const DepthFirstOrder& order, const MachineBasicBlock& block,
                  std::vector<MachineBasicBlock*>& children) {
  const auto number = [&](const MachineBasicBlock* child) {
    return child->number() < order.preorder_number.size() ? order.preorder_number[child->number()]
                                                          : DepthFirstOrder::kUnreached;
  };
  children.clear();
  for (MachineBasicBlock* child = dominators.FirstChild(block); child != nullptr;
       child = dominators.NextSibling(*child)) {
    children.push_back(child);
  }
  std::sort(children.begin(), children.end(),
            [&](const MachineBasicBlock* a, const MachineBasicBlock* b) { return number(a) < number(b); });
}

}  // namespace ptxmir::like_llvm
