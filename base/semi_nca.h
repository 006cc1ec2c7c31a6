// SPDX-License-Identifier: Apache-2.0

// Computes immediate dominators of a directed graph with dense vertex numbers. The verifier's dominance check and
// the dominator tree analyses share this code. It keeps nothing between runs except storage, so the verifier does
// not depend on the results of an analysis.
//
// The algorithm is semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005) on
// depth-first numbers, without recursion. A run may be confined to a part of the graph; this is how a dominator
// tree is repaired after an edit.
//
// A graph provides, for vertices 0, 1, ...:
//
//     uint32_t num_successors(uint32_t vertex), successor(uint32_t vertex, uint32_t i)
//     uint32_t num_predecessors(uint32_t vertex), predecessor(uint32_t vertex, uint32_t i)
//
// A neighbor kNoVertex means that there is no edge.

#ifndef PTXMIR_BASE_SEMI_NCA_H_
#define PTXMIR_BASE_SEMI_NCA_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxmir {

class SemiNca {
 public:
  static constexpr uint32_t kNoVertex = ~uint32_t{0};
  static constexpr uint32_t kUnreached = ~uint32_t{0};

  SemiNca() = default;
  explicit SemiNca(uint32_t num_vertices) : numbers_(num_vertices, kUnreached) {}
  // Makes room for vertices 0 to `num_vertices` - 1.
  void Grow(uint32_t num_vertices) {
    if (numbers_.size() < num_vertices) numbers_.resize(num_vertices, kUnreached);
  }
  // Forgets the last run.
  void Clear() {
    for (const Vertex& vertex : vertices_) numbers_[vertex.id] = kUnreached;
    vertices_.clear();
  }

  // Numbers the vertices that are reachable from `root` in depth-first order. Follows only edges for which
  // enter(from, to) returns true. Calls `enter` once for each edge to a vertex that has no number yet.
  template <typename Graph, typename Enter>
  void Visit(const Graph& graph, uint32_t root, Enter enter);
  template <typename Graph>
  void Visit(const Graph& graph, uint32_t root) {
    Visit(graph, root, [](uint32_t, uint32_t) { return true; });
  }
  // Computes the dominators of the visited vertices. Edges from other vertices are ignored.
  template <typename Graph>
  void ComputeDominators(const Graph& graph);

  uint32_t num_visited() const { return static_cast<uint32_t>(vertices_.size()); }
  uint32_t vertex(uint32_t number) const { return vertices_[number].id; }
  // Returns the depth-first number of a vertex, or kUnreached if it was not visited.
  uint32_t number(uint32_t vertex) const { return numbers_[vertex]; }
  // Returns the number of the immediate dominator of the vertex with this number. It is smaller than `number`,
  // except for the root.
  uint32_t dominator(uint32_t number) const { return vertices_[number].dominator; }

 private:
  struct Vertex {
    uint32_t id;
    uint32_t parent;  // number of the depth-first parent; after path compression, of another ancestor
    uint32_t semi, label, dominator;
  };

  // Returns the number of the vertex with the smallest semidominator on the path from `number` up through
  // ancestors numbered `last_linked` or higher.
  uint32_t Evaluate(uint32_t number, uint32_t last_linked);

  std::vector<uint32_t> numbers_;                     // vertex -> number
  std::vector<Vertex> vertices_;                      // by number
  std::vector<std::pair<uint32_t, uint32_t>> stack_;  // vertices and their next successor to visit
  std::vector<uint32_t> path_;
};

template <typename Graph, typename Enter>
void SemiNca::Visit(const Graph& graph, uint32_t root, Enter enter) {
  const auto visit = [&](uint32_t id, uint32_t parent) {
    const uint32_t number = num_visited();
    numbers_[id] = number;
    vertices_.push_back({.id = id, .parent = parent, .semi = number, .label = number, .dominator = parent});
    stack_.emplace_back(id, 0);
  };
  // Enough for most functions, and little for an update of a few blocks.
  constexpr size_t kFew = 16;
  vertices_.reserve(kFew);
  stack_.reserve(kFew);
  visit(root, num_visited());
  while (!stack_.empty()) {
    auto& [vertex, next] = stack_.back();
    if (next == graph.num_successors(vertex)) {
      stack_.pop_back();
      continue;
    }
    const uint32_t from = vertex;
    const uint32_t to = graph.successor(from, next++);
    if (to != kNoVertex && numbers_[to] == kUnreached && enter(from, to)) visit(to, numbers_[from]);
  }
}

template <typename Graph>
void SemiNca::ComputeDominators(const Graph& graph) {
  for (uint32_t i = num_visited(); i-- > 1;) {
    Vertex& vertex = vertices_[i];
    vertex.semi = vertex.parent;
    const uint32_t num_predecessors = graph.num_predecessors(vertex.id);
    for (uint32_t k = 0; k < num_predecessors; ++k) {
      const uint32_t predecessor = graph.predecessor(vertex.id, k);
      if (predecessor == kNoVertex) continue;
      const uint32_t from = numbers_[predecessor];
      if (from != kUnreached) vertex.semi = std::min(vertex.semi, vertices_[Evaluate(from, i + 1)].semi);
    }
  }
  for (uint32_t i = 1; i < num_visited(); ++i) {
    Vertex& vertex = vertices_[i];
    while (vertex.dominator > vertex.semi) vertex.dominator = vertices_[vertex.dominator].dominator;
  }
}

inline uint32_t SemiNca::Evaluate(uint32_t number, uint32_t last_linked) {
  if (vertices_[number].parent < last_linked) return vertices_[number].label;
  path_.clear();
  do {
    path_.push_back(number);
    number = vertices_[number].parent;
  } while (vertices_[number].parent >= last_linked);
  // Compress the path: link every vertex on it directly below the root, labeled with the best vertex above it.
  uint32_t above = number;
  for (size_t i = path_.size(); i-- > 0;) {
    Vertex& vertex = vertices_[path_[i]];
    vertex.parent = vertices_[above].parent;
    if (vertices_[vertices_[above].label].semi < vertices_[vertex.label].semi) vertex.label = vertices_[above].label;
    above = path_[i];
  }
  return vertices_[above].label;
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_SEMI_NCA_H_
