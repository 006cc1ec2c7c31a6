// SPDX-License-Identifier: Apache-2.0

// Strongly connected components of a graph in rows: Tarjan's algorithm (1972) without recursion.

#ifndef PTXMIR_ANALYSIS_STRONG_COMPONENTS_H_
#define PTXMIR_ANALYSIS_STRONG_COMPONENTS_H_

#include <cstdint>
#include <vector>

namespace ptxmir {

// Edges of vertex v: targets[first_edge[v]] .. targets[first_edge[v + 1]].
struct RowGraph {
  std::vector<uint32_t> first_edge = {0};
  std::vector<uint32_t> targets;

  uint32_t num_vertices() const { return static_cast<uint32_t>(first_edge.size() - 1); }
  // Makes what was added to `targets` since the last call the edges of a new vertex.
  void CloseRow() { first_edge.push_back(static_cast<uint32_t>(targets.size())); }
};

struct StrongComponents {
  // Searches from vertex 0, 1, ..., along edges in their order.
  explicit StrongComponents(const RowGraph& graph);

  uint32_t num_components = 0;
  // By vertex. A component has a smaller number than those that lead to it.
  std::vector<uint32_t> component;
  std::vector<uint32_t> preorder_number;  // in which the search met the vertices, from 1
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_STRONG_COMPONENTS_H_
