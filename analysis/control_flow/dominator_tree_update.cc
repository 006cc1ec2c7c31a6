// SPDX-License-Identifier: Apache-2.0

// The updates of a dominator tree after changes of the control flow. See dominator_tree.h.

#include <algorithm>
#include <cassert>
#include <queue>
#include <tuple>
#include <utility>

#include "analysis/control_flow/dominator_tree.h"

namespace ptxmir {

void DominatorTree::InsertEdge(const MachineBasicBlock& from, const MachineBasicBlock& to) {
  const EdgeUpdate update = EdgeUpdate::Insert(from, to);
  ApplyUpdates({&update, 1});
}

void DominatorTree::DeleteEdge(const MachineBasicBlock& from, const MachineBasicBlock& to) {
  const EdgeUpdate update = EdgeUpdate::Delete(from, to);
  ApplyUpdates({&update, 1});
}

bool DominatorTree::EdgeExists(BlockNumber from, BlockNumber to) const {
  const MachineBasicBlock* block = function_.block(from);
  const MachineBasicBlock* successor = function_.block(to);
  return block != nullptr && successor != nullptr && block->IsSuccessor(successor);
}

std::vector<EdgeUpdate> DominatorTree::NetUpdates(absl::Span<const EdgeUpdate> updates) const {
  std::vector<EdgeUpdate> sorted(updates.begin(), updates.end());
  const auto edge = [](const EdgeUpdate& update) { return std::pair(update.from, update.to); };
  std::sort(sorted.begin(), sorted.end(),
            [edge](const EdgeUpdate& a, const EdgeUpdate& b) { return edge(a) < edge(b); });
  std::vector<EdgeUpdate> net;
  for (size_t i = 0; i < sorted.size();) {
    int balance = 0;
    size_t end = i;
    for (; end < sorted.size() && edge(sorted[end]) == edge(sorted[i]); ++end) {
      balance += sorted[end].kind == EdgeUpdate::Kind::kInsert ? 1 : -1;
    }
    const EdgeUpdate update{balance > 0 ? EdgeUpdate::Kind::kInsert : EdgeUpdate::Kind::kDelete, sorted[i].from,
                            sorted[i].to};
    i = end;
    if (balance != 0 && EdgeExists(update.from, update.to) == (balance > 0)) net.push_back(update);
  }
  return net;
}

bool DominatorTree::MustRecompute(absl::Span<const EdgeUpdate> updates) const {
  // LLVM's estimate of when many small updates cost more than one computation.
  const size_t num_blocks = function_.num_blocks();
  if (updates.size() > (num_blocks <= 100 ? num_blocks : num_blocks / 40)) return true;
  if (!is_post()) return false;
  if (has_endless_roots_) return true;
  const auto changes_roots = [this](BlockNumber number) {
    const MachineBasicBlock* block = function_.block(number);
    return nodes_[number + 1].is_root != (block != nullptr && block->successors().empty());
  };
  return std::any_of(updates.begin(), updates.end(),
                     [&](const EdgeUpdate& update) { return changes_roots(update.from) || changes_roots(update.to); });
}

void DominatorTree::SetPending(absl::Span<const EdgeUpdate> updates) {
  for (const EdgeUpdate& update : updates) {
    uint32_t from = update.from + 1;
    uint32_t to = update.to + 1;
    if (is_post()) std::swap(from, to);
    const bool is_inserted = update.kind == EdgeUpdate::Kind::kInsert;
    pending_forward_.push_back({from, to, is_inserted});
    pending_backward_.push_back({to, from, is_inserted});
  }
  for (std::vector<PendingEdge>* pending : {&pending_forward_, &pending_backward_}) {
    std::sort(pending->begin(), pending->end(), [](const PendingEdge& a, const PendingEdge& b) {
      return std::tie(a.at, a.other) < std::tie(b.at, b.other);
    });
  }
}

void DominatorTree::MarkDone(uint32_t from, uint32_t to) {
  const auto mark = [](std::vector<PendingEdge>& pending, uint32_t at, uint32_t other) {
    const auto found = std::partition_point(pending.begin(), pending.end(), [=](const PendingEdge& edge) {
      return std::tie(edge.at, edge.other) < std::tie(at, other);
    });
    found->is_done = true;
  };
  mark(pending_forward_, from, to);
  mark(pending_backward_, to, from);
}

void DominatorTree::ApplyUpdates(absl::Span<const EdgeUpdate> updates) {
  const std::vector<EdgeUpdate> net = NetUpdates(updates);
  if (net.empty()) return;
  Grow();
  if (MustRecompute(net)) return Recompute();
  intervals_valid_ = false;
  num_slow_queries_ = 0;
  if (net.size() > 1) SetPending(net);
  for (const EdgeUpdate& update : net) {
    uint32_t from = update.from + 1;
    uint32_t to = update.to + 1;
    if (is_post()) std::swap(from, to);
    if (net.size() > 1) MarkDone(from, to);
    if (update.kind == EdgeUpdate::Kind::kInsert) {
      Insert(from, to);
    } else if (!Delete(from, to)) {
      return Recompute();
    }
  }
  pending_forward_.clear();
  pending_backward_.clear();
  if (!is_post()) return;
  // A new endless loop does not have a root yet.
  for (const EdgeUpdate& update : net) {
    for (const BlockNumber number : {update.from, update.to}) {
      if (function_.block(number) != nullptr && !Contains(number + 1)) return Recompute();
    }
  }
}

void DominatorTree::Insert(uint32_t from, uint32_t to) {
  if (!Contains(from)) return;
  if (Contains(to)) {
    InsertReachable(from, to);
  } else {
    InsertUnreachable(from, to);
  }
}

void DominatorTree::InsertReachable(uint32_t from, uint32_t to) {
  // A vertex is affected if it is deeper than a child of the nearest common dominator, and some path from `to`
  // reaches it on which no vertex has a smaller level. Its new parent is the nearest common dominator. Each vertex
  // is visited once, the deepest first. Vertices in `ready` are affected; vertices deeper than the current one are
  // only passed through.
  const uint32_t common = NearestCommonVertex(from, to);
  const uint32_t least_level = nodes_[common].level + 1;
  if (nodes_[to].level <= least_level) return;
  marks_.resize(nodes_.size());
  const uint32_t mark = ++mark_;
  const Graph graph{*this};
  std::priority_queue<std::pair<uint32_t, uint32_t>> ready;  // level and vertex
  std::vector<uint32_t> affected, leading_on;
  ready.emplace(nodes_[to].level, to);
  marks_[to] = mark;
  while (!ready.empty()) {
    const auto [level, top] = ready.top();
    ready.pop();
    affected.push_back(top);
    leading_on.push_back(top);
    while (!leading_on.empty()) {
      const uint32_t vertex = leading_on.back();
      leading_on.pop_back();
      const uint32_t num_successors = graph.num_successors(vertex);
      for (uint32_t i = 0; i < num_successors; ++i) {
        const uint32_t successor = graph.successor(vertex, i);
        if (successor == kNone || nodes_[successor].level <= least_level || marks_[successor] == mark) continue;
        marks_[successor] = mark;
        if (nodes_[successor].level > level) {
          leading_on.push_back(successor);
        } else {
          ready.emplace(nodes_[successor].level, successor);
        }
      }
    }
  }
  for (const uint32_t vertex : affected) Reparent(vertex, common);
  for (const uint32_t vertex : affected) UpdateLevels(vertex);
}

void DominatorTree::InsertUnreachable(uint32_t from, uint32_t to) {
  // Builds a tree of the newly reachable vertices, then inserts the edges from there to vertices that were
  // reachable before.
  std::vector<std::pair<uint32_t, uint32_t>> edges_into_tree;
  const Graph graph{*this};
  core_.Clear();
  core_.Visit(graph, to, [&](uint32_t at, uint32_t successor) {
    if (!Contains(successor)) return true;
    edges_into_tree.emplace_back(at, successor);
    return false;
  });
  core_.ComputeDominators(graph);
  for (uint32_t i = 0; i < core_.num_visited(); ++i) {
    const uint32_t vertex = core_.vertex(i);
    Link(vertex, i == 0 ? from : core_.vertex(core_.dominator(i)));
    nodes_[vertex].level = nodes_[nodes_[vertex].parent].level + 1;
  }
  for (const auto& [at, successor] : edges_into_tree) InsertReachable(at, successor);
}

bool DominatorTree::Delete(uint32_t from, uint32_t to) {
  if (!Contains(from) || !Contains(to)) return true;
  const uint32_t common = NearestCommonVertex(from, to);
  if (common == to) return true;
  if (from != nodes_[to].parent || HasSupport(to)) {
    RebuildSubtree(common);
    return true;
  }
  // A part that reaches no exit gets its own root.
  if (is_post()) return false;
  DeleteUnreachable(to);
  return true;
}

bool DominatorTree::HasSupport(uint32_t vertex) const {
  const Graph graph{*this};
  const uint32_t num_predecessors = graph.num_predecessors(vertex);
  for (uint32_t i = 0; i < num_predecessors; ++i) {
    const uint32_t predecessor = graph.predecessor(vertex, i);
    if (predecessor == kNone || (predecessor != kRoot && !Contains(predecessor))) continue;
    if (NearestCommonVertex(predecessor, vertex) != vertex) return true;
  }
  return false;
}

void DominatorTree::RebuildSubtree(uint32_t top) {
  const Graph graph{*this};
  const uint32_t level = nodes_[top].level;
  core_.Clear();
  core_.Visit(graph, top, [&](uint32_t, uint32_t to) { return nodes_[to].level > level; });
  core_.ComputeDominators(graph);
  for (uint32_t i = 1; i < core_.num_visited(); ++i) {
    const uint32_t vertex = core_.vertex(i);
    Reparent(vertex, core_.vertex(core_.dominator(i)));
    nodes_[vertex].level = nodes_[nodes_[vertex].parent].level + 1;
  }
}

void DominatorTree::DeleteUnreachable(uint32_t to) {
  // Everything that `to` dominates is now unreachable. Its former successors may now be dominated by more blocks.
  const Graph graph{*this};
  const uint32_t level = nodes_[to].level;
  std::vector<uint32_t> affected;
  core_.Clear();
  core_.Visit(graph, to, [&](uint32_t, uint32_t successor) {
    if (nodes_[successor].level > level) return true;
    affected.push_back(successor);
    return false;
  });
  std::sort(affected.begin(), affected.end());
  affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
  uint32_t top = to;
  for (const uint32_t vertex : affected) {
    const uint32_t common = NearestCommonVertex(vertex, to);
    if (common != vertex && nodes_[common].level < nodes_[top].level) top = common;
  }
  // Children have larger numbers than their dominators, and are removed first.
  for (uint32_t i = core_.num_visited(); i-- > 0;) {
    const uint32_t vertex = core_.vertex(i);
    Unlink(vertex);
    nodes_[vertex].level = 0;
  }
  if (top != to) RebuildSubtree(top);
}

void DominatorTree::SplitBlock(const MachineBasicBlock& block, const MachineBasicBlock& tail) {
  Grow();
  const uint32_t head = VertexOf(block);
  const uint32_t rest = VertexOf(tail);
  if (!Contains(head)) return;
  if (is_post() && has_endless_roots_) return Recompute();
  intervals_valid_ = false;
  num_slow_queries_ = 0;
  if (!is_post()) {
    // The tail dominates everything that the block dominated.
    const uint32_t first_child = nodes_[head].first_child;
    nodes_[head].first_child = kNone;
    nodes_[rest].first_child = first_child;
    for (uint32_t child = first_child; child != kNone; child = nodes_[child].next_sibling) nodes_[child].parent = rest;
    Link(rest, head);
    return UpdateLevels(rest);
  }
  if (nodes_[head].is_root) {
    nodes_[head].is_root = false;
    nodes_[rest].is_root = true;
    std::replace(roots_.begin(), roots_.end(), block.number(), tail.number());
  }
  Link(rest, nodes_[head].parent);
  nodes_[rest].level = nodes_[head].level;
  Reparent(head, rest);
  UpdateLevels(head);
}

void DominatorTree::EraseBlock(BlockNumber block) {
  const uint32_t vertex = block + 1;
  if (!Contains(vertex)) return;
  if (is_post() && has_endless_roots_) return Recompute();
  assert(nodes_[vertex].first_child == kNone && "a block is erased that others can be reached from");
  intervals_valid_ = false;
  num_slow_queries_ = 0;
  Unlink(vertex);
  nodes_[vertex] = Node();
  std::erase(roots_, block);
}

// ---- Frontiers

void DominanceFrontiers::Grow() {
  in_result_.resize(tree_.nodes_.size());
  visited_.resize(tree_.nodes_.size());
}

template <typename Take>
void DominanceFrontiers::WalkSubtree(uint32_t root, Take take) {
  const DominatorTree::Graph graph{tree_};
  const uint32_t root_level = tree_.nodes_[root].level;
  visited_[root] = query_;
  stack_.push_back(root);
  while (!stack_.empty()) {
    const uint32_t vertex = stack_.back();
    stack_.pop_back();
    const uint32_t num_successors = graph.num_successors(vertex);
    for (uint32_t i = 0; i < num_successors; ++i) {
      const uint32_t successor = graph.successor(vertex, i);
      if (tree_.nodes_[successor].level <= root_level && in_result_[successor] != query_) take(successor);
    }
    for (uint32_t child = tree_.nodes_[vertex].first_child; child != DominatorTree::kNone;
         child = tree_.nodes_[child].next_sibling) {
      if (visited_[child] == query_) continue;
      visited_[child] = query_;
      stack_.push_back(child);
    }
  }
}

std::vector<BlockNumber> DominanceFrontiers::Iterated(absl::Span<const BlockNumber> definitions,
                                                      const std::vector<bool>& live_in) {
  Grow();
  ++query_;
  std::priority_queue<std::pair<uint32_t, uint32_t>> roots;  // level and vertex: deepest first
  for (const BlockNumber definition : definitions) {
    if (tree_.Contains(definition + 1)) roots.emplace(tree_.nodes_[definition + 1].level, definition + 1);
  }
  std::vector<BlockNumber> result;
  while (!roots.empty()) {
    const uint32_t root = roots.top().second;
    roots.pop();
    // Skips a definition that also needs a PHI, or that was given twice.
    if (visited_[root] == query_) continue;
    WalkSubtree(root, [&](uint32_t vertex) {
      if (!live_in.empty() && !live_in[vertex - 1]) return;
      in_result_[vertex] = query_;
      result.push_back(vertex - 1);
      roots.emplace(tree_.nodes_[vertex].level, vertex);
    });
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<BlockNumber> DominanceFrontiers::Of(const MachineBasicBlock& block) {
  std::vector<BlockNumber> result;
  if (!tree_.Contains(block)) return result;
  Grow();
  ++query_;
  WalkSubtree(DominatorTree::VertexOf(block), [&](uint32_t vertex) {
    in_result_[vertex] = query_;
    result.push_back(vertex - 1);
  });
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace ptxmir
