// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/code/weak_topological_order.h"

#include <cstdint>
#include <numeric>
#include <utility>

namespace ptxmir::ptx {
namespace {

// A block's number in preorder of the depth-first search.
using Index = uint32_t;
constexpr Index kNone = ~Index{0};

// Disjoint sets, each with a representative that the caller chooses.
class DisjointSets {
 public:
  void Add() { up_.push_back(static_cast<Index>(up_.size())); }
  explicit DisjointSets(size_t size = 0) : up_(size) { std::iota(up_.begin(), up_.end(), Index{0}); }
  Index Find(Index index) {
    while (up_[index] != index) index = up_[index] = up_[up_[index]];
    return index;
  }
  // Merges the set that `inner` represents into the one that `outer` represents.
  void Merge(Index inner, Index outer) { up_[inner] = outer; }

 private:
  std::vector<Index> up_;
};

// Lists of numbers, one per block.
class Lists {
 public:
  void Resize(size_t size) { first_.resize(size, kNone); }
  void Push(Index list, Index value) {
    items_.push_back({value, first_[list]});
    first_[list] = static_cast<uint32_t>(items_.size() - 1);
  }
  template <typename Visitor>
  void ForEach(Index list, Visitor visit) const {
    for (uint32_t item = first_[list]; item != kNone; item = items_[item].second) visit(items_[item].first);
  }

 private:
  std::vector<std::pair<Index, uint32_t>> items_;  // the value, and the next item
  std::vector<uint32_t> first_;
};

class OrderBuilder {
 public:
  explicit OrderBuilder(const MachineFunction& function) : index_(function.block_number_bound(), kNone) {}

  std::vector<const MachineBasicBlock*> Run(const MachineBasicBlock& entry) {
    Search(entry);
    NestLoops();
    return LayOut();
  }

 private:
  struct Edge {
    Index from;
    Index to;
  };
  struct Visit {
    Index index;
    size_t next_successor;
  };

  void Enter(const MachineBasicBlock& block, Index parent) {
    const Index index = static_cast<Index>(blocks_.size());
    index_[block.number()] = index;
    blocks_.push_back(&block);
    parent_.push_back(parent);
    is_open_.push_back(true);
    open_.Add();
    visits_.push_back({index, 0});
  }

  void Search(const MachineBasicBlock& entry) {
    Enter(entry, kNone);
    while (!visits_.empty()) {
      const Index from = visits_.back().index;
      const absl::Span<MachineBasicBlock* const> successors = blocks_[from]->successors();
      if (visits_.back().next_successor == successors.size()) {
        visits_.pop_back();
        postorder_.push_back(from);
        is_open_[from] = false;
        if (parent_[from] != kNone) open_.Merge(from, parent_[from]);
        continue;
      }
      const MachineBasicBlock& successor = *successors[visits_.back().next_successor++];
      const Index to = index_[successor.number()];
      if (to == kNone) {
        Enter(successor, from);
      } else if (is_open_[to]) {
        latches_.push_back({from, to});
      } else {
        // The lowest open block above `to` is the lowest block above both ends.
        side_edges_.push_back({from, to});
        meetings_.push_back(open_.Find(to));
      }
    }
  }

  // Finds the innermost loop around each block (for a head, the loop around its own), from the inside out. A loop
  // consists of the blocks that lead to its head through an edge from below the head. An edge that goes neither down
  // nor up the search tree can matter only to loops around both its ends. So it is considered from the place where
  // its ends meet, and each edge is considered once.
  void NestLoops() {
    const size_t count = blocks_.size();
    Lists latches_of, side_edges_of, predecessors;
    for (Lists* lists : {&latches_of, &side_edges_of, &predecessors}) lists->Resize(count);
    for (const Edge& edge : latches_) latches_of.Push(edge.to, edge.from);
    for (size_t i = 0; i < side_edges_.size(); ++i) side_edges_of.Push(meetings_[i], static_cast<Index>(i));
    loop_.assign(count, kNone);
    DisjointSets loops(count);  // the loops found so far, by their heads
    std::vector<Index> worklist;
    for (Index head = static_cast<Index>(count); head-- > 0;) {
      side_edges_of.ForEach(
          head, [&](Index edge) { predecessors.Push(loops.Find(side_edges_[edge].to), side_edges_[edge].from); });
      latches_of.ForEach(head, [&](Index latch) { worklist.push_back(latch); });
      while (!worklist.empty()) {
        const Index inner = loops.Find(worklist.back());
        worklist.pop_back();
        if (inner == head) continue;
        loop_[inner] = head;
        loops.Merge(inner, head);
        worklist.push_back(parent_[inner]);
        predecessors.ForEach(inner, [&](Index predecessor) { worklist.push_back(predecessor); });
      }
    }
  }

  // Lays out each loop: its blocks follow its head in reverse postorder.
  std::vector<const MachineBasicBlock*> LayOut() const {
    const Index outermost = static_cast<Index>(blocks_.size());
    Lists inside;
    inside.Resize(blocks_.size() + 1);
    for (size_t i = postorder_.size(); i-- > 0;) {
      inside.Push(loop_[postorder_[i]] == kNone ? outermost : loop_[postorder_[i]], postorder_[i]);
    }
    std::vector<const MachineBasicBlock*> order;
    order.reserve(blocks_.size());
    // A stack: the next block is the last element.
    std::vector<Index> pending;
    const auto append = [&pending](Index index) { pending.push_back(index); };
    inside.ForEach(outermost, append);
    while (!pending.empty()) {
      const Index index = pending.back();
      pending.pop_back();
      order.push_back(blocks_[index]);
      inside.ForEach(index, append);
    }
    return order;
  }

  std::vector<Index> index_;  // by block number
  // The blocks by index.
  std::vector<const MachineBasicBlock*> blocks_;
  std::vector<Index> parent_;  // in the tree of the search
  std::vector<bool> is_open_;  // entered and not yet left
  std::vector<Index> loop_;

  std::vector<Visit> visits_;
  DisjointSets open_;  // by block: the lowest open block above it
  std::vector<Index> postorder_;
  std::vector<Edge> latches_;     // to blocks above
  std::vector<Edge> side_edges_;  // neither up nor in the tree
  std::vector<Index> meetings_;   // by side edge: the lowest block above both ends
};

}  // namespace

std::vector<const MachineBasicBlock*> WeakTopologicalOrder(const MachineFunction& function) {
  if (function.empty()) return {};
  return OrderBuilder(function).Run(*function.front());
}

}  // namespace ptxmir::ptx
