// See dominator_tree.h.

#include "analysis/dominator_tree.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "mir/str_cat.h"

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
  // Backwards, so that children stand in depth-first order.
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
  // Without the root itself.
  if (core_.num_visited() - 1 < function_.num_blocks()) FindEndlessRoots();
  core_.Clear();
}

namespace {

// The blocks from which no exit is reached, as a graph of their own: dense vertices in the order of the function.
// It is closed: all their successors belong to it.
struct EndlessPart {
  std::vector<BlockNumber> blocks;
  std::vector<uint32_t> first_edge;  // by vertex, and one more
  std::vector<uint32_t> edges;       // of a vertex: later ones first
};

// Finds strongly connected components (Tarjan's algorithm without recursion) and, in each that has no way out, the
// vertex that the search reached last.
class LastVerticesOfClosedComponents {
 public:
  explicit LastVerticesOfClosedComponents(const EndlessPart& part) : part_(part), states_(part.blocks.size()) {
    for (uint32_t vertex = 0; vertex < states_.size(); ++vertex) {
      if (states_[vertex].number == 0) Search(vertex);
    }
  }
  const std::vector<uint32_t>& result() const { return result_; }

 private:
  static constexpr uint32_t kFinished = ~uint32_t{0};
  struct State {
    uint32_t number = 0;  // in preorder, from 1
    uint32_t low = 0;     // smallest number known to be reached; kFinished once the component is known
    uint32_t next_edge = 0;
    bool has_way_out = false;
  };

  void Enter(uint32_t vertex) {
    states_[vertex] = {.number = ++last_number_, .low = last_number_, .next_edge = part_.first_edge[vertex]};
    path_.push_back(vertex);
    open_.push_back(vertex);
  }

  void Search(uint32_t start) {
    Enter(start);
    while (!path_.empty()) {
      const uint32_t vertex = path_.back();
      State& state = states_[vertex];
      if (state.next_edge < part_.first_edge[vertex + 1]) {
        const uint32_t to = part_.edges[state.next_edge++];
        if (states_[to].number == 0) {
          Enter(to);
        } else if (states_[to].low == kFinished) {
          state.has_way_out = true;
        } else {
          state.low = std::min(state.low, states_[to].number);
        }
        continue;
      }
      path_.pop_back();
      const bool is_component = state.low == state.number;
      const bool has_way_out = state.has_way_out;
      const uint32_t low = state.low;
      if (is_component) Finish(vertex);
      if (path_.empty()) continue;
      State& parent = states_[path_.back()];
      parent.has_way_out |= is_component || has_way_out;
      if (!is_component) parent.low = std::min(parent.low, low);
    }
  }

  void Finish(uint32_t first) {
    // Numbers ascend along open_, so the last is on top.
    if (!states_[first].has_way_out) result_.push_back(open_.back());
    uint32_t vertex;
    do {
      vertex = open_.back();
      open_.pop_back();
      states_[vertex].low = kFinished;
    } while (vertex != first);
  }

  const EndlessPart& part_;
  std::vector<State> states_;
  std::vector<uint32_t> path_;  // of the search
  std::vector<uint32_t> open_;  // in components that are not finished
  std::vector<uint32_t> result_;
  uint32_t last_number_ = 0;
};

}  // namespace

// Expects the search from the exits in core_.
void DominatorTree::FindEndlessRoots() {
  EndlessPart part;
  std::vector<uint32_t> vertices(function_.block_number_bound());  // by block number
  for (const MachineBasicBlock& block : function_) {
    if (core_.number(VertexOf(block)) != SemiNca::kUnreached) continue;
    vertices[block.number()] = static_cast<uint32_t>(part.blocks.size());
    part.blocks.push_back(block.number());
  }
  for (const BlockNumber number : part.blocks) {
    part.first_edge.push_back(static_cast<uint32_t>(part.edges.size()));
    for (const MachineBasicBlock* successor : function_.block(number)->successors()) {
      part.edges.push_back(vertices[successor->number()]);
    }
    std::sort(part.edges.begin() + part.first_edge.back(), part.edges.end(), std::greater<>());
  }
  part.first_edge.push_back(static_cast<uint32_t>(part.edges.size()));
  const LastVerticesOfClosedComponents last_vertices(part);
  for (const uint32_t vertex : last_vertices.result()) {
    roots_.push_back(part.blocks[vertex]);
    nodes_[part.blocks[vertex] + 1].is_root = true;
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

uint32_t DominatorTree::CountNeighbours(uint32_t vertex, bool forward) const {
  if (vertex == kRoot) return forward ? static_cast<uint32_t>(roots_.size()) : 0;
  size_t count = BlocksNextTo(vertex, forward).size();
  if (!pending_forward_.empty()) count += PendingAt(vertex, forward).size();
  if (!forward && nodes_[vertex].is_root) ++count;
  return static_cast<uint32_t>(count);
}

uint32_t DominatorTree::Neighbour(uint32_t vertex, uint32_t i, bool forward) const {
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
    // A pass that edits and asks in turn would pay for numbering after every edit.
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
  // With the depth to print.
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
    if (kept != computed) return StrCat("%bb.", vertex - 1, " is ", kept, "; computed anew it is ", computed);
  }
  return "";
}

}  // namespace ptxmir
