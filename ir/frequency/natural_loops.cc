// SPDX-License-Identifier: Apache-2.0

#include "ir/frequency/natural_loops.h"

namespace ptxmir::ir {

namespace {

// Returns the reachable blocks such that each comes after all blocks that it dominates.
std::vector<BasicBlock*> BlocksFromInside(const Function& function, const Dominators& dominators) {
  const std::vector<std::vector<BasicBlock*>> children = dominators.Children();
  std::vector<BasicBlock*> order = {function.blocks()[0]};
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<BasicBlock*>& below = children[order[i]->number()];
    order.insert(order.end(), below.begin(), below.end());
  }
  return {order.rbegin(), order.rend()};
}

}  // namespace

NaturalLoops::NaturalLoops(const Function& function, const Dominators& dominators)
    : innermost_(function.blocks().size(), kNone) {
  std::vector<BasicBlock*> headers;  // by loop
  std::vector<BasicBlock*> pending;
  for (BasicBlock* header : BlocksFromInside(function, dominators)) {
    pending.clear();
    header->ForEachPredecessor([&](BasicBlock& predecessor) {
      if (dominators.IsReachable(predecessor) && dominators.Dominates(*header, predecessor)) {
        pending.push_back(&predecessor);
      }
    });
    if (pending.empty()) continue;
    const Loop loop = num_loops();
    parents_.push_back(kNone);
    headers.push_back(header);
    innermost_[header->number()] = loop;
    while (!pending.empty()) {
      BasicBlock* block = pending.back();
      pending.pop_back();
      Loop inner = innermost_[block->number()];
      if (inner == kNone) {
        innermost_[block->number()] = loop;
      } else {
        // Loops that were found before are skipped as one node.
        while (parents_[inner] != kNone) inner = parents_[inner];
        if (inner == loop) continue;
        parents_[inner] = loop;
        block = headers[inner];
      }
      block->ForEachPredecessor([&](BasicBlock& predecessor) {
        if (dominators.IsReachable(predecessor)) pending.push_back(&predecessor);
      });
    }
  }
}

bool NaturalLoops::Contains(Loop outer, Loop inner) const {
  if (outer == kNone) return true;
  while (inner != kNone && inner != outer) inner = parents_[inner];
  return inner == outer;
}

}  // namespace ptxmir::ir
