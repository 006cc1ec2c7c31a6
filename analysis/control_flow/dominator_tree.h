// SPDX-License-Identifier: Apache-2.0

// The dominator tree or post-dominator tree of a function, and how to update it while the control flow changes.
// The analyses machine-dom-tree and machine-post-dom-tree (machine_dominators.h) are one such tree each.
//
// The tree is computed by semi-NCA (base/semi_nca.h). It is updated by the depth-based search of Georgiadis,
// Italiano, Laura and Parotsidis, "An Experimental Study of Dynamic Dominators" (2012), which LLVM also uses. To
// insert an edge, the search visits the blocks below it that are deeper than its nearest common dominator. To
// delete an edge, it recomputes the smallest subtree that contains everything that may have changed. In a batch of
// updates, those not processed yet are hidden from the search (insertions) or still visible to it (deletions). A
// large batch recomputes the whole tree.
//
// The post-dominator tree has a virtual root above all exits, the blocks without successors. A part of the
// function may never reach an exit. Each strongly connected component that cannot be left then gets one root. The
// root is the block that a depth-first search reaches last; the search starts at the first such block of the
// function and visits later blocks first. (LLVM searches in a similar way, but once for each root it finds, which
// is quadratic in the number of endless loops. It finds the same components, and the same root except in a few
// graphs in a hundred.) So every block is in the post-dominator tree. The dominator tree holds the blocks that are
// reachable from the entry.
//
// Dominance is containment of preorder intervals. The intervals are renumbered once enough queries have followed
// an update to make that worthwhile. Not thread-safe, not even for queries.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_DOMINATOR_TREE_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_DOMINATOR_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/semi_nca.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// An edge that was inserted or deleted. Edges form a set: if there are several edges between the same blocks, only
// the first is an insertion and only the last a deletion.
struct EdgeUpdate {
  enum class Kind : uint8_t { kInsert, kDelete };
  Kind kind;
  BlockNumber from;
  BlockNumber to;

  static EdgeUpdate Insert(const MachineBasicBlock& from, const MachineBasicBlock& to) {
    return {Kind::kInsert, from.number(), to.number()};
  }
  static EdgeUpdate Delete(const MachineBasicBlock& from, const MachineBasicBlock& to) {
    return {Kind::kDelete, from.number(), to.number()};
  }
  friend bool operator==(const EdgeUpdate&, const EdgeUpdate&) = default;
};

class DominatorTree {
 public:
  enum class Direction : uint8_t { kDominators, kPostDominators };

  DominatorTree(const MachineFunction& function, Direction direction);
  virtual ~DominatorTree() = default;
  DominatorTree(const DominatorTree&) = delete;
  DominatorTree& operator=(const DominatorTree&) = delete;

  Direction direction() const { return direction_; }
  // Returns true if the block is in the tree. A block outside the tree is dominated by every block and dominates
  // only itself.
  bool Contains(const MachineBasicBlock& block) const { return Contains(VertexOf(block)); }
  // Reflexive: every block dominates itself.
  bool Dominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return DominatesVertex(VertexOf(a), VertexOf(b));
  }
  bool ProperlyDominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return &a != &b && Dominates(a, b);
  }
  // Returns true if every path to `b` (in the post-dominator tree: from `b`) executes `a`. Two instructions of one
  // block are ordered by walking from both at once, which costs at most their distance.
  bool Dominates(const MachineInstr& a, const MachineInstr& b) const { return &a == &b || ProperlyDominates(a, b); }
  bool ProperlyDominates(const MachineInstr& a, const MachineInstr& b) const;
  // The same for callers that can order the instructions of a block. `before(a, b)` compares two instructions of
  // one block.
  template <typename Before>
  bool ProperlyDominates(const MachineInstr& a, const MachineInstr& b, Before before) const {
    if (a.parent() != b.parent()) return Dominates(*a.parent(), *b.parent());
    return &a != &b && (is_post() ? before(b, a) : before(a, b));
  }

  // Returns null for a root, and for blocks that are not in the tree.
  MachineBasicBlock* ImmediateDominator(const MachineBasicBlock& block) const;
  // Returns the depth of the block in the tree. The entry has level 0. The roots of the post-dominator tree have
  // level 1, below the virtual root. The block must be in the tree.
  uint32_t Level(const MachineBasicBlock& block) const { return nodes_[VertexOf(block)].level - (is_post() ? 0 : 1); }
  // Returns null if only the virtual root dominates both. Both must be in the tree.
  MachineBasicBlock* NearestCommonDominator(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return BlockOf(NearestCommonVertex(VertexOf(a), VertexOf(b)));
  }
  // Returns the entry; or, for post-dominators, the exits in function order, followed by the roots of endless
  // loops.
  absl::Span<const BlockNumber> roots() const { return roots_; }

  // Children, in an order that depends only on the edits made.
  MachineBasicBlock* FirstChild(const MachineBasicBlock& block) const {
    return BlockOf(nodes_[VertexOf(block)].first_child);
  }
  MachineBasicBlock* NextSibling(const MachineBasicBlock& block) const {
    return BlockOf(nodes_[VertexOf(block)].next_sibling);
  }
  // Returns all blocks in the tree in a preorder: a block comes before those that it dominates.
  std::vector<BlockNumber> Preorder() const;
  // Returns the block's position in that preorder, starting at 0. The block must be in the tree.
  uint32_t PreorderNumber(const MachineBasicBlock& block) const;

  // Updates the tree. The edges of the blocks must already have changed: exactly those that the updates name.
  void ApplyUpdates(absl::Span<const EdgeUpdate> updates);
  void InsertEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
  void DeleteEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
  // `tail` has taken over all edges out of `block`, and its only predecessor is `block`, as after
  // MachineFunction::SplitBlock.
  void SplitBlock(const MachineBasicBlock& block, const MachineBasicBlock& tail);
  // Removes a block that had no predecessors. Its outgoing edges go with it and need no updates. To be called
  // after MachineFunction::EraseBlock.
  void EraseBlock(BlockNumber block);
  void Recompute();

  // Appends the tree in LLVM's layout, children by block number.
  void PrintTree(std::string& out) const;
  // Returns an empty string if both trees agree on all blocks.
  std::string TreeDifferenceFrom(const DominatorTree& fresh) const;

 private:
  friend class DominanceFrontiers;

  // Vertices: 0 is the root above the entry or the exits; block N is vertex N + 1.
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = SemiNca::kNoVertex;

  struct Node {
    uint32_t parent = kNone;  // kNone for the root and for vertices not in the tree
    uint32_t level = 0;       // 0 for the root and for vertices not in the tree
    uint32_t first_child = kNone;
    uint32_t next_sibling = kNone;
    uint32_t previous_sibling = kNone;
    mutable uint32_t preorder = 0;  // this and subtree_size are valid while intervals_valid_
    mutable uint32_t subtree_size = 0;
    bool is_root = false;  // a child of the vertex kRoot by definition, not just as a result of the computation
  };

  // The graph in the direction of the tree, as it was before the pending updates.
  struct Graph {
    const DominatorTree& tree;
    uint32_t num_successors(uint32_t v) const { return tree.CountNeighbors(v, true); }
    uint32_t successor(uint32_t v, uint32_t i) const { return tree.Neighbor(v, i, true); }
    uint32_t num_predecessors(uint32_t v) const { return tree.CountNeighbors(v, false); }
    uint32_t predecessor(uint32_t v, uint32_t i) const { return tree.Neighbor(v, i, false); }
  };
  // One end of a pending update, as an edge in the tree's direction. Lists of them are sorted.
  struct PendingEdge {
    uint32_t at, other;
    bool is_inserted;
    bool is_done = false;  // processed: the search now sees the function's current state
  };

  bool is_post() const { return direction_ == Direction::kPostDominators; }
  static uint32_t VertexOf(const MachineBasicBlock& block) { return block.number() + 1; }
  MachineBasicBlock* BlockOf(uint32_t vertex) const {
    return vertex == kNone || vertex == kRoot ? nullptr : function_.block(vertex - 1);
  }
  bool Contains(uint32_t vertex) const { return vertex < nodes_.size() && nodes_[vertex].level != 0; }
  bool DominatesVertex(uint32_t a, uint32_t b) const;
  bool ContainsInterval(uint32_t a, uint32_t b) const {
    return nodes_[b].preorder - nodes_[a].preorder < nodes_[a].subtree_size;
  }
  uint32_t NearestCommonVertex(uint32_t a, uint32_t b) const;

  uint32_t CountNeighbors(uint32_t vertex, bool forward) const;
  uint32_t Neighbor(uint32_t vertex, uint32_t i, bool forward) const;
  absl::Span<const MachineBasicBlock* const> BlocksNextTo(uint32_t vertex, bool forward) const;
  absl::Span<const PendingEdge> PendingAt(uint32_t vertex, bool forward) const;

  void FindRoots();
  void FindEndlessRoots();
  void Grow();
  void Link(uint32_t vertex, uint32_t parent);
  void Unlink(uint32_t vertex);
  void Reparent(uint32_t vertex, uint32_t parent);
  void UpdateLevels(uint32_t vertex);
  void NumberIntervals() const;

  bool EdgeExists(BlockNumber from, BlockNumber to) const;
  // Returns the updates with a net effect: the edge exists now and did not before, or vice versa.
  std::vector<EdgeUpdate> NetUpdates(absl::Span<const EdgeUpdate> updates) const;
  bool MustRecompute(absl::Span<const EdgeUpdate> updates) const;
  void SetPending(absl::Span<const EdgeUpdate> updates);
  void MarkDone(uint32_t from, uint32_t to);
  // Process one update in the direction of the tree. Delete returns false if the tree must be recomputed.
  void Insert(uint32_t from, uint32_t to);
  bool Delete(uint32_t from, uint32_t to);
  void InsertReachable(uint32_t from, uint32_t to);
  void InsertUnreachable(uint32_t from, uint32_t to);
  void DeleteUnreachable(uint32_t to);
  // Returns true if the vertex can be reached on a path that does not pass through the vertex itself.
  bool HasSupport(uint32_t vertex) const;
  // Recomputes the subtree of `top`, deeper than its level. Nothing outside it changes.
  void RebuildSubtree(uint32_t top);

  const MachineFunction& function_;
  Direction direction_;
  std::vector<Node> nodes_;  // indexed by vertex
  std::vector<BlockNumber> roots_;
  bool has_endless_roots_ = false;  // some roots have successors
  SemiNca core_;
  std::vector<PendingEdge> pending_forward_, pending_backward_;
  std::vector<uint32_t> marks_;  // indexed by vertex: the last search that met it
  uint32_t mark_ = 0;
  mutable bool intervals_valid_ = false;
  mutable uint32_t num_slow_queries_ = 0;
};

// The iterated dominance frontier of a dominator tree, for PHI placement: the blocks where a variable that is
// assigned in the given blocks needs a PHI. One object keeps its tables and serves many queries. A query costs
// about as much as it visits, which is the subtrees of the definitions. Sreedhar and Gao, "A Linear Time Algorithm
// for Placing phi-Nodes" (1995).
class DominanceFrontiers {
 public:
  explicit DominanceFrontiers(const DominatorTree& tree) : tree_(tree) {}
  // Returns the blocks sorted by number. Blocks outside the tree are left out. `live_in`, if not empty, says for
  // each block number whether the value is live-in there; other blocks need no PHI.
  std::vector<BlockNumber> Iterated(absl::Span<const BlockNumber> definitions, const std::vector<bool>& live_in = {});
  // Returns the dominance frontier of one block: the blocks where its dominance ends.
  std::vector<BlockNumber> Of(const MachineBasicBlock& block);

 private:
  void Grow();
  // Walks the subtree of `root` and calls `take` on the edges out of it to blocks that are no deeper than `root`.
  template <typename Take>
  void WalkSubtree(uint32_t root, Take take);

  const DominatorTree& tree_;
  std::vector<uint32_t> in_result_, visited_;  // indexed by vertex: the last query that put it there
  uint32_t query_ = 0;
  std::vector<uint32_t> stack_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_DOMINATOR_TREE_H_
