// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/modulo_schedule.h"

#include <algorithm>
#include <limits>

#include "passes/pipeliner/iterative_placement.h"

namespace ptxmir {
namespace {

constexpr int32_t kNoCycle = std::numeric_limits<int32_t>::min();

// The cycles that the placed neighbors of a node allow, and the direction in which a place is sought.
struct Window {
  int32_t first = 0;
  int32_t last = 0;
  int32_t step = 1;  // -1: from the last cycle up
};

class Placement {
 public:
  Placement(const ModuloGraph& graph, uint32_t ii, UnitUse use)
      : graph_(graph), ii_(static_cast<int32_t>(ii)), table_(ii, use), cycles_(graph.size(), kNoCycle) {}

  bool Place(uint32_t node) {
    const Window window = WindowOf(node);
    const int32_t begin = window.step > 0 ? window.first : window.last;
    for (int32_t i = 0; i <= window.last - window.first; ++i) {
      const int32_t cycle = begin + i * window.step;
      if (!table_.IsFree(graph_.resources[node], cycle)) continue;
      table_.Reserve(graph_.resources[node], cycle);
      cycles_[node] = cycle;
      return true;
    }
    return false;
  }

  const std::vector<int32_t>& cycles() const { return cycles_; }

 private:
  Window WindowOf(uint32_t node) const {
    bool has_predecessor = false, has_successor = false;
    bool is_below = false, is_above = false;  // has a placed predecessor or successor in the same iteration
    int32_t first = 0, last = 0;
    for (const ScheduleDependence& d : graph_.dag.Predecessors(node)) {
      if (cycles_[d.from] == kNoCycle || d.from == node) continue;
      const int32_t cycle = cycles_[d.from] + WeightAt(d, static_cast<uint32_t>(ii_));
      first = has_predecessor ? std::max(first, cycle) : cycle;
      has_predecessor = true;
      is_below |= d.distance == 0;
    }
    for (const ScheduleDependence& d : graph_.dag.Successors(node)) {
      if (cycles_[d.to] == kNoCycle || d.to == node) continue;
      const int32_t cycle = cycles_[d.to] - WeightAt(d, static_cast<uint32_t>(ii_));
      last = has_successor ? std::min(last, cycle) : cycle;
      has_successor = true;
      is_above |= d.distance == 0;
    }
    if (has_predecessor && has_successor) {
      // As close as possible to the neighbors in the same iteration, which leaves room for nodes on the way around.
      if (is_above && !is_below) return {std::max(first, last - ii_ + 1), last, -1};
      return {first, std::min(last, first + ii_ - 1), 1};
    }
    if (has_successor) return {last - ii_ + 1, last, -1};
    return {first, first + ii_ - 1, 1};
  }

  const ModuloGraph& graph_;
  const int32_t ii_;
  ModuloReservationTable table_;
  std::vector<int32_t> cycles_;
};

// Cuts the placed nodes into stages that begin at `origin` plus multiples of the II. Moves the control instructions by
// multiples of the II into the first stage. They wait only for each other. Returns nullopt if a node would have to wait
// for a control instruction, or if the control instructions are longer than a stage.
std::optional<ModuloSchedule> CutIntoStages(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                            const std::vector<int32_t>& placed, int32_t origin, uint32_t ii,
                                            UnitUse use) {
  ModuloSchedule schedule = {.ii = ii, .cycles = std::vector<uint32_t>(graph.size()), .num_stages = 1};
  for (uint32_t node = 0; node < graph.size(); ++node) {
    const int32_t cycle = placed[node] - origin;
    const auto length = static_cast<int32_t>(ii);
    schedule.cycles[node] = static_cast<uint32_t>(is_control[node] ? (cycle % length + length) % length : cycle);
    schedule.num_stages = std::max(schedule.num_stages, schedule.StageOf(node) + 1);
  }
  if (!IsValid(graph, schedule, use)) return std::nullopt;
  return schedule;
}

// Chooses the beginning of the stages so that there are as few as possible.
std::optional<ModuloSchedule> CutWell(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                      const std::vector<int32_t>& placed, uint32_t ii, UnitUse use) {
  // The first cycle of all nodes, and of those that cannot be moved into the first stage by themselves.
  int32_t first = std::numeric_limits<int32_t>::max(), first_fixed = first;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    first = std::min(first, placed[node]);
    if (!is_control[node]) first_fixed = std::min(first_fixed, placed[node]);
  }
  if (first_fixed == std::numeric_limits<int32_t>::max()) first_fixed = first;
  std::optional<ModuloSchedule> best;
  for (const int32_t latest_origin : {first_fixed, first}) {
    for (int32_t origin = latest_origin; origin > latest_origin - static_cast<int32_t>(ii); --origin) {
      std::optional<ModuloSchedule> schedule = CutIntoStages(graph, is_control, placed, origin, ii, use);
      if (!schedule.has_value()) continue;
      if (!best.has_value() || schedule->num_stages < best->num_stages) best = std::move(schedule);
    }
    if (first == first_fixed) break;
  }
  return best;
}

}  // namespace

std::optional<ModuloSchedule> PlaceNodes(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                         const std::vector<uint32_t>& order, uint32_t ii, UnitUse use) {
  Placement placement(graph, ii, use);
  for (const uint32_t node : order) {
    if (!placement.Place(node)) return std::nullopt;
  }
  return CutWell(graph, is_control, placement.cycles(), ii, use);
}

std::optional<ModuloSchedule> PlaceNodesIteratively(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                                    uint32_t ii) {
  const std::optional<std::vector<int32_t>> placed = PlaceByEviction(graph, ii);
  if (!placed.has_value()) return std::nullopt;
  return CutWell(graph, is_control, *placed, ii, UnitUse::kInTotal);
}

bool IsValid(const ModuloGraph& graph, const ModuloSchedule& schedule, UnitUse use) {
  for (const ScheduleDependence& d : graph.dag.dependences()) {
    const auto distance = static_cast<int64_t>(schedule.cycles[d.to]) - static_cast<int64_t>(schedule.cycles[d.from]);
    if (distance < WeightAt(d, schedule.ii)) return false;
  }
  ModuloReservationTable table(schedule.ii, use);
  for (uint32_t node = 0; node < graph.size(); ++node) {
    const auto cycle = static_cast<int32_t>(schedule.cycles[node]);
    if (!table.IsFree(graph.resources[node], cycle)) return false;
    table.Reserve(graph.resources[node], cycle);
  }
  return true;
}

}  // namespace ptxmir
