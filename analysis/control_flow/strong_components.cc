// SPDX-License-Identifier: Apache-2.0

#include "analysis/control_flow/strong_components.h"

#include <algorithm>

namespace ptxmir {

StrongComponents::StrongComponents(const RowGraph& graph)
    : component(graph.num_vertices()), preorder_number(graph.num_vertices()) {
  constexpr uint32_t kFinished = ~uint32_t{0};
  std::vector<uint32_t> low(graph.num_vertices());  // the smallest number reached; kFinished: the component is known
  std::vector<uint32_t> next_edge(graph.first_edge.begin(), graph.first_edge.end() - 1);
  std::vector<uint32_t> path, open;  // the path of the search; the vertices of unfinished components
  uint32_t last_number = 0;
  const auto enter = [&](uint32_t vertex) {
    preorder_number[vertex] = low[vertex] = ++last_number;
    path.push_back(vertex);
    open.push_back(vertex);
  };
  for (uint32_t start = 0; start < graph.num_vertices(); ++start) {
    if (preorder_number[start] == 0) enter(start);
    while (!path.empty()) {
      const uint32_t vertex = path.back();
      if (next_edge[vertex] < graph.first_edge[vertex + 1]) {
        const uint32_t to = graph.targets[next_edge[vertex]++];
        if (preorder_number[to] == 0) {
          enter(to);
        } else if (low[to] != kFinished) {
          low[vertex] = std::min(low[vertex], preorder_number[to]);
        }
        continue;
      }
      path.pop_back();
      if (low[vertex] != preorder_number[vertex]) {
        low[path.back()] = std::min(low[path.back()], low[vertex]);
        continue;
      }
      uint32_t member;
      do {
        member = open.back();
        open.pop_back();
        low[member] = kFinished;
        component[member] = num_components;
      } while (member != vertex);
      ++num_components;
    }
  }
}

}  // namespace ptxmir
