// SPDX-License-Identifier: Apache-2.0

// The order of blocks in LLVM's dominator tree, for passes that decide as LLVM does.

#ifndef PTXMIR_PASSES_SSA_TREE_ORDER_LIKE_LLVM_H_
#define PTXMIR_PASSES_SSA_TREE_ORDER_LIKE_LLVM_H_

#include <vector>

#include "analysis/control_flow/block_order.h"
#include "analysis/control_flow/machine_dominators.h"
#include "mir/code/machine_function.h"

namespace ptxmir::like_llvm {

// Sets `children` to the blocks that `block` immediately dominates, in the order in which a depth-first search
// reaches them. Blocks created after `order` was computed come last.
void ListChildren(const MachineDominatorTree& dominators, const DepthFirstOrder& order, const MachineBasicBlock& block,
                  std::vector<MachineBasicBlock*>& children);

}  // namespace ptxmir::like_llvm

#endif  // PTXMIR_PASSES_SSA_TREE_ORDER_LIKE_LLVM_H_
