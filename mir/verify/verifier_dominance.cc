// SPDX-License-Identifier: Apache-2.0

#include "mir/verify/verifier_dominance.h"

#include "base/semi_nca.h"

namespace ptxmir {
namespace {

// Vertices are block numbers.
struct BlockGraph {
  const MachineFunction& function;
  uint32_t num_successors(uint32_t v) const { return static_cast<uint32_t>(function.block(v)->successors().size()); }
  uint32_t successor(uint32_t v, uint32_t i) const { return function.block(v)->successors()[i]->number(); }
  uint32_t num_predecessors(uint32_t v) const {
    return static_cast<uint32_t>(function.block(v)->predecessors().size());
  }
  uint32_t predecessor(uint32_t v, uint32_t i) const { return function.block(v)->predecessors()[i]->number(); }
};

}  // namespace

BlockDominance::BlockDominance(const MachineFunction& function) : intervals_(function.block_number_bound()) {
  if (function.empty()) return;
  const BlockGraph graph{function};
  SemiNca core(function.block_number_bound());
  core.Visit(graph, function.front()->number());
  core.ComputeDominators(graph);
  NumberTree(core);
}

void BlockDominance::NumberTree(const SemiNca& core) {
  const uint32_t n = core.num_visited();
  const auto interval = [&](uint32_t number) -> Interval& { return intervals_[core.vertex(number)]; };
  for (uint32_t i = 0; i < n; ++i) interval(i).size = 1;
  // A dominator has a smaller number than the vertices that it dominates.
  for (uint32_t i = n; i-- > 1;) interval(core.dominator(i)).size += interval(i).size;
  std::vector<uint32_t> next(n, 1);  // where the next child's interval starts
  for (uint32_t i = 1; i < n; ++i) {
    interval(i).first = next[core.dominator(i)];
    next[core.dominator(i)] += interval(i).size;
    next[i] = interval(i).first + 1;
  }
}

}  // namespace ptxmir
