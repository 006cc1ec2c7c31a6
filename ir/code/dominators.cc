// SPDX-License-Identifier: Apache-2.0

#include "ir/code/dominators.h"

#include <utility>

#include "base/semi_nca.h"

namespace ptxmir::ir {
namespace {

// The graph of a function's blocks by their numbers, with arrays of edges.
class BlockGraph {
 public:
  explicit BlockGraph(const Function& function) : function_(function), begin_(function.blocks().size() + 1, 0) {
    ForEachEdge([this](uint32_t, uint32_t to) { ++begin_[to + 1]; });
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    predecessors_.resize(begin_.back());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    ForEachEdge([&](uint32_t from, uint32_t to) { predecessors_[next[to]++] = from; });
  }

  uint32_t num_successors(uint32_t vertex) const {
    const Instruction* terminator = function_.blocks()[vertex]->terminator();
    return terminator == nullptr ? 0 : terminator->num_successors();
  }
  uint32_t successor(uint32_t vertex, uint32_t i) const {
    return function_.blocks()[vertex]->terminator()->successor(i).number();
  }
  uint32_t num_predecessors(uint32_t vertex) const { return begin_[vertex + 1] - begin_[vertex]; }
  uint32_t predecessor(uint32_t vertex, uint32_t i) const { return predecessors_[begin_[vertex] + i]; }

 private:
  template <typename Visit>
  void ForEachEdge(Visit visit) const {
    for (uint32_t from = 0; from < function_.blocks().size(); ++from) {
      for (uint32_t i = 0; i < num_successors(from); ++i) visit(from, successor(from, i));
    }
  }

  const Function& function_;
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> predecessors_;
};

}  // namespace

Dominators::Dominators(Function& function) : function_(function), nodes_(function.blocks().size()) {
  function.NumberValues();
  const BlockGraph graph(function);
  SemiNca search(static_cast<uint32_t>(nodes_.size()));
  search.Visit(graph, 0);
  search.ComputeDominators(graph);
  // Dominators have smaller depth-first numbers, so sizes of subtrees add up from the back, and positions of subtrees
  // follow from the front.
  const uint32_t count = search.num_visited();
  std::vector<uint32_t> size(count, 1);
  for (uint32_t i = count; i-- > 1;) size[search.dominator(i)] += size[i];
  std::vector<uint32_t> next(count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    Node& node = nodes_[search.vertex(i)];
    node.is_reachable = true;
    if (i > 0) {
      const uint32_t parent = search.dominator(i);
      node.parent = search.vertex(parent);
      node.enter = next[parent];
      next[parent] += size[i];
    }
    next[i] = node.enter + 1;
    node.leave = node.enter + size[i] - 1;
  }
}

std::vector<std::vector<BasicBlock*>> Dominators::Children() const {
  std::vector<std::vector<BasicBlock*>> children(function_.blocks().size());
  for (BasicBlock* block : function_.blocks()) {
    const BasicBlock* parent = ImmediateDominator(*block);
    if (parent != nullptr) children[parent->number()].push_back(block);
  }
  return children;
}

bool Dominators::IsAvailable(const Instruction& definition, const Use& use) const {
  const Instruction& user = use.user();
  if (user.opcode() == Opcode::kPhi) {
    const auto& incoming = static_cast<const BasicBlock&>(user.operand(use.operand_number() | 1));
    if (incoming.number() == BasicBlock::kNoNumber || !IsReachable(incoming)) return true;
    return IsReachable(*definition.parent()) && Dominates(*definition.parent(), incoming);
  }
  const BasicBlock& block = *user.parent();
  if (!IsReachable(block)) return true;
  if (definition.parent() == &block) return definition.order() < user.order();
  return IsReachable(*definition.parent()) && Dominates(*definition.parent(), block);
}

}  // namespace ptxmir::ir
