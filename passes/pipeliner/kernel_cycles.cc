// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/kernel_cycles.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ptxmir {
namespace {

// Steps until the loop runs steadily, and steps that are measured then.
constexpr uint32_t kWarmUp = 16;
constexpr uint32_t kMeasured = 16;

// Issues the nodes in the given order once per step, each for the iteration that executes its stage then.
uint32_t CyclesPerStep(const ModuloGraph& graph, const std::vector<uint32_t>& order,
                       const std::vector<uint32_t>& stages) {
  std::vector<std::vector<uint64_t>> issued;  // by step, then by node
  std::array<uint64_t, ptx::kNumFunctionalUnits> unit_free = {};
  uint64_t next = 0, begin_of_measured = 0;
  for (uint32_t step = 0; step < kWarmUp + kMeasured; ++step) {
    if (step == kWarmUp) begin_of_measured = next;
    issued.emplace_back(graph.size());
    for (const uint32_t node : order) {
      uint64_t start = 0;
      for (const ScheduleDependence& d : graph.dag.Predecessors(node)) {
        // The iteration that the node waits for executed the predecessor this number of steps ago.
        const uint32_t age = stages[node] + d.distance - stages[d.from];
        if (age <= step) start = std::max(start, issued[step - age][d.from] + d.latency);
      }
      const ModuloResources& resources = graph.resources[node];
      if (resources.issues) start = std::max(start, next);
      if (resources.unit != ptx::FunctionalUnit::kNone) {
        uint64_t& free = unit_free[static_cast<size_t>(resources.unit)];
        start = std::max(start, free);
        free = start + resources.busy;
      }
      if (resources.issues) next = start + 1;
      issued[step][node] = start;
    }
  }
  return static_cast<uint32_t>((next - begin_of_measured) * 100 / kMeasured);
}

}  // namespace

uint32_t CyclesOfKernel(const ModuloGraph& graph, const ModuloSchedule& schedule) {
  std::vector<uint32_t> order(graph.size()), stages(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    order[node] = node;
    stages[node] = schedule.StageOf(node);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return schedule.RowOf(a) < schedule.RowOf(b); });
  return CyclesPerStep(graph, order, stages);
}

uint32_t CyclesOfLoop(const ModuloGraph& graph) {
  std::vector<uint32_t> order(graph.size()), depth(graph.size());
  const std::vector<uint32_t> stages(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    order[node] = node;
    for (const ScheduleDependence& d : graph.dag.Predecessors(node)) {
      if (d.distance == 0) depth[node] = std::max(depth[node], depth[d.from] + d.latency);
    }
  }
  const uint32_t in_program_order = CyclesPerStep(graph, order, stages);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return depth[a] < depth[b]; });
  return std::min(in_program_order, CyclesPerStep(graph, order, stages));
}

}  // namespace ptxmir
