// SPDX-License-Identifier: Apache-2.0

// The tree of a function's dominators or post-dominators, and its upkeep while the control flow changes. The
// analyses machine-dom-tree and machine-post-dom-tree (machine_dominators.h) are one of these each.
//
// Computed by semi-NCA (base/semi_nca.h). Updated by the depth-based search of Georgiadis, Italiano, Laura and
// Parotsidis, "An Experimental Study of Dynamic Dominators" (2012), which LLVM uses too: an inserted edge looks at
// those blocks below it that are deeper than its nearest common dominator, a deleted edge computes the smallest
// subtree anew that holds what can have changed. Of several updates at once, those not processed yet are hidden from
// (or still shown to) the search; when there are many, the tree is computed anew.
//
// Post-dominance has a virtual root above all exits: blocks without successors. Where a part of the function never
// reaches one of those, each strongly connected component that cannot be left has one root: of its blocks the one
// that a depth-first search from the first such block of the function, going to later blocks first, reaches last.
// (LLVM searches likewise, once for each root that it finds, which is quadratic in the number of endless loops. The
// components are the same; the block is, but for a few graphs in a hundred.) So every block is in the post-dominator
// tree. The dominator tree holds the blocks that can be reached from the entry.
//
// Dominance is containment of intervals of a preorder, which is renumbered when enough queries have followed an
// update to be worth it. Not for several threads at once, not even queries.

#ifndef PTXMIR_ANALYSIS_DOMINATOR_TREE_H_
#define PTXMIR_ANALYSIS_DOMINATOR_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/semi_nca.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// An edge that came to be or ceased to be. Edges are a set here: only the first of several edges between the same
// blocks is an insertion, and only the last a deletion.
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
  // Whether the block is in the tree. A block that is not is dominated by everything and dominates nothing else.
  bool Contains(const MachineBasicBlock& block) const { return Contains(VertexOf(block)); }
  // Every block dominates itself.
  bool Dominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return DominatesVertex(VertexOf(a), VertexOf(b));
  }
  bool ProperlyDominates(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return &a != &b && Dominates(a, b);
  }
  // Whether every way to (in the post-dominator tree: from) `b` executes `a`. Within a block the order is found by
  // walking from both at once, which costs as much as they are apart, or less.
  bool Dominates(const MachineInstr& a, const MachineInstr& b) const { return &a == &b || ProperlyDominates(a, b); }
  bool ProperlyDominates(const MachineInstr& a, const MachineInstr& b) const;
  // The same for who has an order of a block's instructions at hand: before(a, b) for instructions of one block.
  template <typename Before>
  bool ProperlyDominates(const MachineInstr& a, const MachineInstr& b, Before before) const {
    if (a.parent() != b.parent()) return Dominates(*a.parent(), *b.parent());
    return &a != &b && (is_post() ? before(b, a) : before(a, b));
  }

  // Null for a root, and for blocks that are not in the tree.
  MachineBasicBlock* ImmediateDominator(const MachineBasicBlock& block) const;
  // How far below the root: the entry has level 0; roots of the post-dominator tree have level 1, below the virtual
  // root. The block must be in the tree.
  uint32_t Level(const MachineBasicBlock& block) const { return nodes_[VertexOf(block)].level - (is_post() ? 0 : 1); }
  // Null when only the virtual root dominates both. Both must be in the tree.
  MachineBasicBlock* NearestCommonDominator(const MachineBasicBlock& a, const MachineBasicBlock& b) const {
    return BlockOf(NearestCommonVertex(VertexOf(a), VertexOf(b)));
  }
  // The entry; or the exits in the order of the function, and then what stands for endless loops.
  absl::Span<const BlockNumber> roots() const { return roots_; }

  // Children, in an order that depends on nothing but the edits made.
  MachineBasicBlock* FirstChild(const MachineBasicBlock& block) const {
    return BlockOf(nodes_[VertexOf(block)].first_child);
  }
  MachineBasicBlock* NextSibling(const MachineBasicBlock& block) const {
    return BlockOf(nodes_[VertexOf(block)].next_sibling);
  }
  // All blocks in the tree, those that dominate others first: a preorder.
  std::vector<BlockNumber> Preorder() const;
  // The block's place in that preorder, from 0. It must be in the tree.
  uint32_t PreorderNumber(const MachineBasicBlock& block) const;

  // The blocks' edges have changed already, all those named in the updates and no others.
  void ApplyUpdates(absl::Span<const EdgeUpdate> updates);
  void InsertEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
  void DeleteEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
  // `tail` has taken over all edges that led out of `block`, from where alone it is reached, as by
  // MachineFunction::SplitBlock.
  void SplitBlock(const MachineBasicBlock& block, const MachineBasicBlock& tail);
  // A block that no edge led to is gone, and its outgoing edges with it; they need not be told. To be called after
  // MachineFunction::EraseBlock.
  void EraseBlock(BlockNumber block);
  void Recompute();

  // LLVM's layout, children by block number.
  void PrintTree(std::string& out) const;
  // Empty when the two say the same of all blocks.
  std::string TreeDifferenceFrom(const DominatorTree& fresh) const;

 private:
  friend class DominanceFrontiers;

  // Vertices: 0 is the root above the entry or the exits; block N is N + 1.
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = SemiNca::kNoVertex;

  struct Node {
    uint32_t parent = kNone;  // kNone: not in the tree, or the root
    uint32_t level = 0;       // 0: not in the tree, or the root
    uint32_t first_child = kNone;
    uint32_t next_sibling = kNone;
    uint32_t previous_sibling = kNone;
    mutable uint32_t preorder = 0;  // these two hold while intervals_valid_
    mutable uint32_t subtree_size = 0;
    bool is_root = false;  // below the vertex kRoot by definition, not only by computation
  };

  // The graph in the direction of the tree, as it was before the pending updates.
  struct Graph {
    const DominatorTree& tree;
    uint32_t num_successors(uint32_t v) const { return tree.CountNeighbours(v, true); }
    uint32_t successor(uint32_t v, uint32_t i) const { return tree.Neighbour(v, i, true); }
    uint32_t num_predecessors(uint32_t v) const { return tree.CountNeighbours(v, false); }
    uint32_t predecessor(uint32_t v, uint32_t i) const { return tree.Neighbour(v, i, false); }
  };
  // Pending updates as edges of the tree's direction, of one end each, sorted.
  struct PendingEdge {
    uint32_t at, other;
    bool is_inserted;
    bool is_done = false;  // has been processed, and is as in the function now
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

  uint32_t CountNeighbours(uint32_t vertex, bool forward) const;
  uint32_t Neighbour(uint32_t vertex, uint32_t i, bool forward) const;
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
  // Those whose edge is there now and was not before, or the other way round.
  std::vector<EdgeUpdate> NetUpdates(absl::Span<const EdgeUpdate> updates) const;
  bool MustRecompute(absl::Span<const EdgeUpdate> updates) const;
  void SetPending(absl::Span<const EdgeUpdate> updates);
  void MarkDone(uint32_t from, uint32_t to);
  // One update in the direction of the tree; false if the tree has to be computed anew.
  void Insert(uint32_t from, uint32_t to);
  bool Delete(uint32_t from, uint32_t to);
  void InsertReachable(uint32_t from, uint32_t to);
  void InsertUnreachable(uint32_t from, uint32_t to);
  void DeleteUnreachable(uint32_t to);
  // Whether a way leads to the vertex that does not go through it.
  bool HasSupport(uint32_t vertex) const;
  // Computes what `top` dominates anew, deeper than its level; nothing outside changes.
  void RebuildSubtree(uint32_t top);

  const MachineFunction& function_;
  Direction direction_;
  std::vector<Node> nodes_;  // by vertex
  std::vector<BlockNumber> roots_;
  bool has_endless_roots_ = false;  // roots that have successors
  SemiNca core_;
  std::vector<PendingEdge> pending_forward_, pending_backward_;
  std::vector<uint32_t> marks_;  // by vertex: the last search that met it
  uint32_t mark_ = 0;
  mutable bool intervals_valid_ = false;
  mutable uint32_t num_slow_queries_ = 0;
};

// The iterated dominance frontier, for PHI placement: of a tree of dominators, the blocks where a variable that is
// assigned in the given blocks needs a PHI. Keeps tables, so one object serves many queries; each costs about what it
// visits, the subtrees of the definitions. Sreedhar and Gao, "A Linear Time Algorithm for Placing phi-Nodes" (1995).
class DominanceFrontiers {
 public:
  explicit DominanceFrontiers(const DominatorTree& tree) : tree_(tree) {}
  // Sorted by block number. Blocks outside of the tree are left out. `live_in`, where not empty: by block number,
  // whether a value is wanted there; other blocks need no PHI.
  std::vector<BlockNumber> Iterated(absl::Span<const BlockNumber> definitions, const std::vector<bool>& live_in = {});
  // The dominance frontier of one block: where what it dominates ends.
  std::vector<BlockNumber> Of(const MachineBasicBlock& block);

 private:
  void Grow();
  // Walks the subtree of `root` and takes the edges that lead out of it to blocks no deeper than it.
  template <typename Take>
  void WalkSubtree(uint32_t root, Take take);

  const DominatorTree& tree_;
  std::vector<uint32_t> in_result_, visited_;  // by vertex: the last query that put it there
  uint32_t query_ = 0;
  std::vector<uint32_t> stack_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_DOMINATOR_TREE_H_
