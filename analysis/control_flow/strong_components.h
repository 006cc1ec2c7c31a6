// SPDX-License-Identifier: Apache-2.0

// The strongly connected components of a graph, by Tarjan's algorithm (1972) without recursion. RowGraph is a
// graph in compressed sparse rows.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_STRONG_COMPONENTS_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_STRONG_COMPONENTS_H_

#include <cstdint>
#include <vector>

namespace ptxmir {

// The edges of vertex v are targets[first_edge[v]] up to targets[first_edge[v + 1]], exclusive.
struct RowGraph {
  std::vector<uint32_t> first_edge = {0};
  std::vector<uint32_t> targets;

  uint32_t num_vertices() const { return static_cast<uint32_t>(first_edge.size() - 1); }
  // Adds a vertex. Its edges are the targets that were added to `targets` since the last call.
  void CloseRow() { first_edge.push_back(static_cast<uint32_t>(targets.size())); }
};

struct StrongComponents {
  // Searches from vertex 0, 1, ..., along edges in their order.
  explicit StrongComponents(const RowGraph& graph);

  uint32_t num_components = 0;
  // Indexed by vertex. A component has a smaller number than the components that lead to it.
  std::vector<uint32_t> component;
  std::vector<uint32_t> preorder_number;  // the order in which the search met the vertices, from 1
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_STRONG_COMPONENTS_H_
