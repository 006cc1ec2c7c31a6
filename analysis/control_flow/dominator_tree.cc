// SPDX-License-Identifier: Apache-2.0

// See dominator_tree.h.

#include "analysis/control_flow/dominator_tree.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/control_flow/strong_components.h"
#include "base/str_cat.h"

namespace ptxmir {

DominatorTree::DominatorTree(const MachineFunction& function, Direction direction)
    : function_(function), direction_(direction) {
  Recompute();
}

void DominatorTree::Grow() {
  const uint32_t num_vertices = function_.block_number_bound() + 1;
  if (nodes_.size() < num_vertices) nodes_.resize(num_vertices);
  core_.Grow(num_vertices);
}

void DominatorTree::Recompute() {
  pending_forward_.clear();
  pending_backward_.clear();
  nodes_.clear();
  core_.Clear();
  Grow();
  FindRoots();
  const Graph graph{*this};
  core_.Visit(graph, kRoot);
  core_.ComputeDominators(graph);
  // Backwards, so that children end up in depth-first order.
  for (uint32_t i = core_.num_visited(); i-- > 1;) Link(core_.vertex(i), core_.vertex(core_.dominator(i)));
  for (uint32_t i = 1; i < core_.num_visited(); ++i) {
    Node& node = nodes_[core_.vertex(i)];
    node.level = nodes_[node.parent].level + 1;
  }
  NumberIntervals();
}

// ---- Roots

void DominatorTree::FindRoots() {
  roots_.clear();
  has_endless_roots_ = false;
  if (function_.empty()) return;
  if (!is_post()) {
    roots_.push_back(function_.front()->number());
  } else {
    for (const MachineBasicBlock& block : function_) {
      if (block.successors().empty()) roots_.push_back(block.number());
    }
  }
  for (const BlockNumber root : roots_) nodes_[root + 1].is_root = true;
  if (!is_post()) return;
  core_.Visit(Graph{*this}, kRoot);
  // Does not count the root itself.
  if (core_.num_visited() - 1 < function_.num_blocks()) FindEndlessRoots();
  core_.Clear();
}

// Expects core_ to hold the search from the exits.
void DominatorTree::FindEndlessRoots() {
  // The part of the function that reaches no exit, as a separate graph. Vertices are in function order; edges to
  // later ones come first. All successors of a block in this part are in it too.
  std::vector<BlockNumber> blocks;
  std::vector<uint32_t> vertices(function_.block_number_bound());  // by block number
  for (const MachineBasicBlock& block : function_) {
    if (core_.number(VertexOf(block)) != SemiNca::kUnreached) continue;
    vertices[block.number()] = static_cast<uint32_t>(blocks.size());
    blocks.push_back(block.number());
  }
  RowGraph graph;
  for (const BlockNumber number : blocks) {
    for (const MachineBasicBlock* successor : function_.block(number)->successors()) {
      graph.targets.push_back(vertices[successor->number()]);
    }
    std::sort(graph.targets.begin() + graph.first_edge.back(), graph.targets.end(), std::greater<>());
    graph.CloseRow();
  }
  // For each component that cannot be left, the vertex that was reached last.
  const StrongComponents components(graph);
  std::vector<uint32_t> last_met(components.num_components, ~uint32_t{0});
  std::vector<bool> has_way_out(components.num_components);
  for (uint32_t vertex = 0; vertex < blocks.size(); ++vertex) {
    const uint32_t component = components.component[vertex];
    uint32_t& last = last_met[component];
    if (last == ~uint32_t{0} || components.preorder_number[vertex] > components.preorder_number[last]) last = vertex;
    for (uint32_t i = graph.first_edge[vertex]; i < graph.first_edge[vertex + 1]; ++i) {
      if (components.component[graph.targets[i]] != component) has_way_out[component] = true;
    }
  }
  for (uint32_t component = 0; component < components.num_components; ++component) {
    if (has_way_out[component]) continue;
    roots_.push_back(blocks[last_met[component]]);
    nodes_[roots_.back() + 1].is_root = true;
  }
  has_endless_roots_ = true;
}

// ---- The graph

absl::Span<const MachineBasicBlock* const> DominatorTree::BlocksNextTo(uint32_t vertex, bool forward) const {
  const MachineBasicBlock* block = BlockOf(vertex);
  if (block == nullptr) return {};
  return forward != is_post() ? block->successors() : block->predecessors();
}

absl::Span<const DominatorTree::PendingEdge> DominatorTree::PendingAt(uint32_t vertex, bool forward) const {
  const std::vector<PendingEdge>& pending = forward ? pending_forward_ : pending_backward_;
  const auto first = std::partition_point(pending.begin(), pending.end(),
                                          [vertex](const PendingEdge& edge) { return edge.at < vertex; });
  auto last = first;
  while (last != pending.end() && last->at == vertex) ++last;
  return absl::MakeConstSpan(pending).subspan(static_cast<size_t>(first - pending.begin()),
                                              static_cast<size_t>(last - first));
}

uint32_t DominatorTree::CountNeighbors(uint32_t vertex, bool forward) const {
  if (vertex == kRoot) return forward ? static_cast<uint32_t>(roots_.size()) : 0;
  size_t count = BlocksNextTo(vertex, forward).size();
  if (!pending_forward_.empty()) count += PendingAt(vertex, forward).size();
  if (!forward && nodes_[vertex].is_root) ++count;
  return static_cast<uint32_t>(count);
}

uint32_t DominatorTree::Neighbor(uint32_t vertex, uint32_t i, bool forward) const {
  if (vertex == kRoot) return roots_[i] + 1;
  const absl::Span<const MachineBasicBlock* const> blocks = BlocksNextTo(vertex, forward);
  if (pending_forward_.empty()) return i < blocks.size() ? VertexOf(*blocks[i]) : kRoot;
  const absl::Span<const PendingEdge> pending = PendingAt(vertex, forward);
  if (i < blocks.size()) {
    const uint32_t other = VertexOf(*blocks[i]);
    for (const PendingEdge& edge : pending) {
      if (edge.other == other && edge.is_inserted && !edge.is_done) return kNone;
    }
    return other;
  }
  i -= static_cast<uint32_t>(blocks.size());
  if (i >= pending.size()) return kRoot;
  return pending[i].is_inserted || pending[i].is_done ? kNone : pending[i].other;
}

// ---- The tree

void DominatorTree::Link(uint32_t vertex, uint32_t parent) {
  Node& node = nodes_[vertex];
  node.parent = parent;
  node.previous_sibling = kNone;
  node.next_sibling = nodes_[parent].first_child;
  if (node.next_sibling != kNone) nodes_[node.next_sibling].previous_sibling = vertex;
  nodes_[parent].first_child = vertex;
}

void DominatorTree::Unlink(uint32_t vertex) {
  Node& node = nodes_[vertex];
  if (node.previous_sibling != kNone) {
    nodes_[node.previous_sibling].next_sibling = node.next_sibling;
  } else {
    nodes_[node.parent].first_child = node.next_sibling;
  }
  if (node.next_sibling != kNone) nodes_[node.next_sibling].previous_sibling = node.previous_sibling;
  node.parent = node.previous_sibling = node.next_sibling = kNone;
}

void DominatorTree::Reparent(uint32_t vertex, uint32_t parent) {
  if (nodes_[vertex].parent == parent) return;
  Unlink(vertex);
  Link(vertex, parent);
}

void DominatorTree::UpdateLevels(uint32_t top) {
  uint32_t vertex = top;
  while (true) {
    Node& node = nodes_[vertex];
    const uint32_t level = nodes_[node.parent].level + 1;
    const bool has_changed = node.level != level;
    node.level = level;
    if (has_changed && node.first_child != kNone) {
      vertex = node.first_child;
      continue;
    }
    while (vertex != top && nodes_[vertex].next_sibling == kNone) vertex = nodes_[vertex].parent;
    if (vertex == top) return;
    vertex = nodes_[vertex].next_sibling;
  }
}

void DominatorTree::NumberIntervals() const {
  uint32_t count = 0;
  uint32_t vertex = kRoot;
  while (true) {
    nodes_[vertex].preorder = count++;
    if (nodes_[vertex].first_child != kNone) {
      vertex = nodes_[vertex].first_child;
      continue;
    }
    while (true) {
      nodes_[vertex].subtree_size = count - nodes_[vertex].preorder;
      if (vertex == kRoot) {
        intervals_valid_ = true;
        return;
      }
      if (nodes_[vertex].next_sibling != kNone) break;
      vertex = nodes_[vertex].parent;
    }
    vertex = nodes_[vertex].next_sibling;
  }
}

bool DominatorTree::DominatesVertex(uint32_t a, uint32_t b) const {
  if (a == b || !Contains(b)) return true;
  if (!Contains(a)) return false;
  if (!intervals_valid_) {
    // Without this, a pass that alternates between edits and queries would pay for a renumbering after every edit.
    constexpr uint32_t kMaxSlowQueries = 32;
    if (num_slow_queries_++ < kMaxSlowQueries) {
      while (nodes_[b].level > nodes_[a].level) b = nodes_[b].parent;
      return a == b;
    }
    NumberIntervals();
  }
  return ContainsInterval(a, b);
}

bool DominatorTree::ProperlyDominates(const MachineInstr& a, const MachineInstr& b) const {
  if (&a == &b) return false;
  if (a.parent() != b.parent()) return Dominates(*a.parent(), *b.parent());
  const MachineInstr* after_a = &a;
  const MachineInstr* after_b = &b;
  while (true) {
    after_a = after_a->next();
    if (after_a == &b || after_a == nullptr) return (after_a != nullptr) != is_post();
    after_b = after_b->next();
    if (after_b == &a || after_b == nullptr) return (after_b == nullptr) != is_post();
  }
}

MachineBasicBlock* DominatorTree::ImmediateDominator(const MachineBasicBlock& block) const {
  return Contains(block) ? BlockOf(nodes_[VertexOf(block)].parent) : nullptr;
}

uint32_t DominatorTree::NearestCommonVertex(uint32_t a, uint32_t b) const {
  while (a != b) {
    if (nodes_[a].level < nodes_[b].level) std::swap(a, b);
    a = nodes_[a].parent;
  }
  return a;
}

std::vector<BlockNumber> DominatorTree::Preorder() const {
  std::vector<BlockNumber> result;
  uint32_t vertex = kRoot;
  while (true) {
    if (vertex != kRoot) result.push_back(vertex - 1);
    if (nodes_[vertex].first_child != kNone) {
      vertex = nodes_[vertex].first_child;
      continue;
    }
    while (vertex != kRoot && nodes_[vertex].next_sibling == kNone) vertex = nodes_[vertex].parent;
    if (vertex == kRoot) return result;
    vertex = nodes_[vertex].next_sibling;
  }
}

uint32_t DominatorTree::PreorderNumber(const MachineBasicBlock& block) const {
  if (!intervals_valid_) NumberIntervals();
  return nodes_[VertexOf(block)].preorder - 1;
}

void DominatorTree::PrintTree(std::string& out) const {
  StrAppend(&out, "Inorder ", is_post() ? "PostDominator" : "Dominator", " Tree:\n");
  // The vertices to print, each with its depth.
  std::vector<std::pair<uint32_t, uint32_t>> stack;
  std::vector<uint32_t> children;
  const auto push_children = [&](uint32_t vertex, uint32_t depth) {
    children.clear();
    for (uint32_t child = nodes_[vertex].first_child; child != kNone; child = nodes_[child].next_sibling) {
      children.push_back(child);
    }
    std::sort(children.begin(), children.end(), std::greater<>());
    for (const uint32_t child : children) stack.emplace_back(child, depth);
  };
  if (is_post()) out += "  [1] <<exit node>> [0]\n";
  push_children(kRoot, is_post() ? 2 : 1);
  while (!stack.empty()) {
    const auto [vertex, depth] = stack.back();
    stack.pop_back();
    out.append(2 * size_t{depth}, ' ');
    StrAppend(&out, "[", depth, "] %bb.", vertex - 1, " [", depth - 1, "]\n");
    push_children(vertex, depth + 1);
  }
  out += "Roots:";
  for (const BlockNumber root : roots_) StrAppend(&out, " %bb.", root);
  out += "\n";
}

std::string DominatorTree::TreeDifferenceFrom(const DominatorTree& fresh) const {
  const auto describe = [this](const DominatorTree& tree, uint32_t vertex) -> std::string {
    if (!tree.Contains(vertex)) return "not in the tree";
    const uint32_t parent = tree.nodes_[vertex].parent;
    if (parent == kRoot) return "a root";
    return StrCat("below %bb.", parent - 1, " at level ", tree.nodes_[vertex].level - (is_post() ? 0 : 1));
  };
  const size_t num_vertices = std::max(nodes_.size(), fresh.nodes_.size());
  for (uint32_t vertex = 1; vertex < num_vertices; ++vertex) {
    const std::string kept = describe(*this, vertex);
    const std::string computed = describe(fresh, vertex);
    if (kept != computed) return StrCat("%bb.", vertex - 1, " is ", kept, "; recomputed it is ", computed);
  }
  return "";
}

}  // namespace ptxmir
