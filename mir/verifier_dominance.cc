#include "mir/verifier_dominance.h"

#include <algorithm>
#include <utility>

#include "mir/planted_bugs.h"

namespace ptxmir {

BlockDominance::BlockDominance(const MachineFunction& function)
    : order_(function.block_number_bound(), kUnreached) {
  if (function.empty()) return;
  NumberBlocks(function);
  ComputeDominators();
  NumberTree();
}

void BlockDominance::NumberBlocks(const MachineFunction& function) {
  std::vector<std::pair<const MachineBasicBlock*, size_t>>
      stack;  // with the next successor to visit
  const auto visit = [&](const MachineBasicBlock* block, uint32_t parent) {
    order_[block->number()] = static_cast<uint32_t>(blocks_.size());
    blocks_.push_back(block);
    parent_.push_back(parent);
    stack.emplace_back(block, 0);
  };
  visit(function.front(), 0);
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next == block->successors().size()) {
      stack.pop_back();
      continue;
    }
    const MachineBasicBlock* successor = block->successors()[next++];
    if (order_[successor->number()] == kUnreached) visit(successor, order_[block->number()]);
  }
}

void BlockDominance::ComputeDominators() {
  const uint32_t n = static_cast<uint32_t>(blocks_.size());
  dominator_ = parent_;
  semi_.resize(n);
  label_.resize(n);
  for (uint32_t i = 0; i < n; ++i) semi_[i] = label_[i] = i;
  for (uint32_t i = n; i-- > 1;) {
    semi_[i] = parent_[i];
    for (const MachineBasicBlock* predecessor : blocks_[i]->predecessors()) {
      const uint32_t from = order_[predecessor->number()];
      if (from != kUnreached) semi_[i] = std::min(semi_[i], semi_[Evaluate(from, i + 1)]);
    }
  }
  for (uint32_t i = 1; i < n; ++i) {
    uint32_t candidate = dominator_[i];
    while (candidate > semi_[i]) candidate = dominator_[candidate];
    if (Planted(Bug::kVerifierRaisesDominators)) candidate = dominator_[candidate];
    dominator_[i] = candidate;
  }
}

uint32_t BlockDominance::Evaluate(uint32_t vertex, uint32_t last_linked) {
  if (parent_[vertex] < last_linked) return label_[vertex];
  path_.clear();
  do {
    path_.push_back(vertex);
    vertex = parent_[vertex];
  } while (parent_[vertex] >= last_linked);
  // Compress the path: all of it hangs below the root now, labelled with the best vertex above.
  uint32_t above = vertex;
  for (size_t i = path_.size(); i-- > 0;) {
    vertex = path_[i];
    parent_[vertex] = parent_[above];
    if (semi_[label_[above]] < semi_[label_[vertex]]) label_[vertex] = label_[above];
    above = vertex;
  }
  return label_[vertex];
}

void BlockDominance::NumberTree() {
  const uint32_t n = static_cast<uint32_t>(blocks_.size());
  // A dominator has a smaller number than what it dominates.
  tree_size_.assign(n, 1);
  for (uint32_t i = n; i-- > 1;) tree_size_[dominator_[i]] += tree_size_[i];
  tree_first_.assign(n, 0);
  std::vector<uint32_t> next(n, 1);  // where the next child's interval starts
  for (uint32_t i = 1; i < n; ++i) {
    tree_first_[i] = next[dominator_[i]];
    next[dominator_[i]] += tree_size_[i];
    next[i] = tree_first_[i] + 1;
  }
}

}  // namespace ptxmir
