// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/iterative_placement.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace ptxmir {
namespace {

constexpr int32_t kUnplaced = -1;
constexpr uint32_t kNoNode = ~uint32_t{0};
// The placements for each node, on average. Rau found that six are as good as any number.
constexpr uint32_t kBudgetPerNode = 6;

// Returns the lengths of the longest paths from each node, or nullopt if a circuit makes them endless.
std::optional<std::vector<int32_t>> HeightsAt(const ScheduleDag& dag, uint32_t ii) {
  std::vector<int32_t> heights(dag.size());
  for (uint32_t round = 0; round <= dag.size(); ++round) {
    bool changed = false;
    for (auto d = dag.dependences().rbegin(); d != dag.dependences().rend(); ++d) {
      const int32_t height = heights[d->to] + WeightAt(*d, ii);
      if (height <= heights[d->from]) continue;
      heights[d->from] = height;
      changed = true;
    }
    if (!changed) return heights;
  }
  return std::nullopt;
}

class Evicting {
 public:
  Evicting(const ModuloGraph& graph, std::vector<int32_t> heights, uint32_t ii)
      : graph_(graph),
        heights_(std::move(heights)),
        ii_(static_cast<int32_t>(ii)),
        cycles_(graph.size(), kUnplaced),
        last_cycles_(graph.size(), kUnplaced),
        owners_(ii, kNoNode) {
    for (uint32_t node = 0; node < graph.size(); ++node) Queue(node);
  }

  bool PlaceAll() {
    uint32_t budget = kBudgetPerNode * graph_.size();
    while (!queue_.empty()) {
      const auto node = static_cast<uint32_t>(-queue_.top().second);
      queue_.pop();
      if (cycles_[node] != kUnplaced) continue;
      if (budget-- == 0) return false;
      Place(node, ChooseCycle(node));
    }
    return true;
  }

  std::vector<int32_t> Take() { return std::move(cycles_); }

 private:
  void Queue(uint32_t node) { queue_.emplace(heights_[node], -int64_t{node}); }

  uint32_t& OwnerAt(int32_t cycle) { return owners_[static_cast<size_t>(cycle % ii_)]; }

  int32_t ChooseCycle(uint32_t node) {
    int32_t first = 0;
    for (const ScheduleDependence& d : graph_.dag.Predecessors(node)) {
      if (cycles_[d.from] == kUnplaced || d.from == node) continue;
      first = std::max(first, cycles_[d.from] + WeightAt(d, static_cast<uint32_t>(ii_)));
    }
    if (!graph_.resources[node].issues) return first;
    for (int32_t cycle = first; cycle < first + ii_; ++cycle) {
      if (OwnerAt(cycle) == kNoNode) return cycle;
    }
    return std::max(first, last_cycles_[node] + 1);
  }

  void Place(uint32_t node, int32_t cycle) {
    if (graph_.resources[node].issues) {
      if (OwnerAt(cycle) != kNoNode) Evict(OwnerAt(cycle));
      OwnerAt(cycle) = node;
    }
    cycles_[node] = last_cycles_[node] = cycle;
    for (const ScheduleDependence& d : graph_.dag.Successors(node)) {
      if (cycles_[d.to] == kUnplaced || d.to == node) continue;
      if (cycles_[d.to] < cycle + WeightAt(d, static_cast<uint32_t>(ii_))) Evict(d.to);
    }
  }

  void Evict(uint32_t node) {
    if (graph_.resources[node].issues) OwnerAt(cycles_[node]) = kNoNode;
    cycles_[node] = kUnplaced;
    Queue(node);
  }

  const ModuloGraph& graph_;
  const std::vector<int32_t> heights_;
  const int32_t ii_;
  std::vector<int32_t> cycles_;
  std::vector<int32_t> last_cycles_;  // by node: where it was placed last
  std::vector<uint32_t> owners_;      // by row: the instruction that is issued in it
  std::priority_queue<std::pair<int32_t, int64_t>> queue_;
};

}  // namespace

std::optional<std::vector<int32_t>> PlaceByEviction(const ModuloGraph& graph, uint32_t ii) {
  std::optional<std::vector<int32_t>> heights = HeightsAt(graph.dag, ii);
  if (!heights.has_value()) return std::nullopt;
  Evicting placement(graph, *std::move(heights), ii);
  if (!placement.PlaceAll()) return std::nullopt;
  return placement.Take();
}

}  // namespace ptxmir
