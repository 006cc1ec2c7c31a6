// SPDX-License-Identifier: Apache-2.0

// The order in which swing modulo scheduling places nodes. See modulo_schedule.h.

#include <algorithm>
#include <queue>
#include <tuple>

#include "passes/pipeliner/modulo_schedule.h"

namespace ptxmir {
namespace {

// The properties of nodes that decide between them.
struct NodeFacts {
  std::vector<int32_t> earliest;  // ASAP: the first cycle that its predecessors allow
  std::vector<int32_t> latest;    // ALAP: the last cycle that its successors allow if nothing takes longer
  std::vector<uint32_t> depth;    // the latencies on the longest path to it within an iteration
  std::vector<uint32_t> height;   // the latencies on the longest path from it

  int32_t Mobility(uint32_t node) const { return latest[node] - earliest[node]; }
};

// Relaxes all dependences until nothing changes. If the II is less than RecMII, there is no end; then the paths with as
// many dependences as there are nodes are long enough.
template <typename Relax>
void RelaxAll(uint32_t num_nodes, const Relax& relax) {
  for (uint32_t round = 0; round <= num_nodes; ++round) {
    if (!relax()) return;
  }
}

NodeFacts ComputeNodeFacts(const ModuloGraph& graph, uint32_t ii) {
  const ScheduleDag& dag = graph.dag;
  NodeFacts facts = {.earliest = std::vector<int32_t>(dag.size()),
                     .latest = {},
                     .depth = std::vector<uint32_t>(dag.size()),
                     .height = std::vector<uint32_t>(dag.size())};
  RelaxAll(dag.size(), [&] {
    bool changed = false;
    for (const ScheduleDependence& d : dag.dependences()) {
      const int32_t cycle = facts.earliest[d.from] + WeightAt(d, ii);
      changed |= cycle > facts.earliest[d.to];
      facts.earliest[d.to] = std::max(facts.earliest[d.to], cycle);
    }
    return changed;
  });
  const int32_t end = dag.size() == 0 ? 0 : *std::max_element(facts.earliest.begin(), facts.earliest.end());
  facts.latest.assign(dag.size(), end);
  RelaxAll(dag.size(), [&] {
    bool changed = false;
    for (auto d = dag.dependences().rbegin(); d != dag.dependences().rend(); ++d) {
      const int32_t cycle = facts.latest[d->to] - WeightAt(*d, ii);
      changed |= cycle < facts.latest[d->from];
      facts.latest[d->from] = std::min(facts.latest[d->from], cycle);
    }
    return changed;
  });
  // Within an iteration, dependences lead to later nodes.
  for (uint32_t node = 0; node < dag.size(); ++node) {
    for (const ScheduleDependence& d : dag.Predecessors(node)) {
      if (d.distance == 0) facts.depth[node] = std::max(facts.depth[node], facts.depth[d.from] + d.latency);
    }
  }
  for (uint32_t node = dag.size(); node-- > 0;) {
    for (const ScheduleDependence& d : dag.Successors(node)) {
      if (d.distance == 0) facts.height[node] = std::max(facts.height[node], facts.height[d.to] + d.latency);
    }
  }
  return facts;
}

class OrderBuilder {
 public:
  OrderBuilder(const ModuloGraph& graph, NodeFacts facts)
      : dag_(graph.dag),
        facts_(std::move(facts)),
        is_ordered_(dag_.size()),
        set_of_(dag_.size()),
        queued_(dag_.size()) {}

  void Append(uint32_t node) {
    order_.push_back(node);
    is_ordered_[node] = true;
  }

  // Orders the nodes of a set that are not ordered yet, and those on paths between them and the ordered nodes.
  void AddSet(const std::vector<uint32_t>& nodes) {
    ++set_;
    members_.clear();
    for (const uint32_t node : nodes) Include(node);
    IncludePaths(nodes);
    while (true) {
      const Walk walk = NextWalk();
      if (walk.starts.empty()) return;
      Swing(walk);
    }
  }

  std::vector<uint32_t> Take() { return std::move(order_); }

 private:
  struct Walk {
    bool is_down = false;
    std::vector<uint32_t> starts;
  };

  void Include(uint32_t node) {
    if (is_ordered_[node] || set_of_[node] == set_) return;
    set_of_[node] = set_;
    members_.push_back(node);
  }

  std::vector<bool> Reach(const std::vector<uint32_t>& starts, bool down) const {
    std::vector<bool> reached(dag_.size());
    std::vector<uint32_t> worklist = starts;
    for (const uint32_t node : starts) reached[node] = true;
    while (!worklist.empty()) {
      const uint32_t node = worklist.back();
      worklist.pop_back();
      for (const ScheduleDependence& d : down ? dag_.Successors(node) : dag_.Predecessors(node)) {
        const uint32_t next = down ? d.to : d.from;
        if (reached[next]) continue;
        reached[next] = true;
        worklist.push_back(next);
      }
    }
    return reached;
  }

  void IncludePaths(const std::vector<uint32_t>& nodes) {
    if (order_.empty() || nodes.size() == dag_.size()) return;
    const std::vector<bool> below_order = Reach(order_, true), above_order = Reach(order_, false);
    const std::vector<bool> below_set = Reach(nodes, true), above_set = Reach(nodes, false);
    for (uint32_t node = 0; node < dag_.size(); ++node) {
      if ((below_order[node] && above_set[node]) || (below_set[node] && above_order[node])) Include(node);
    }
  }

  bool IsCandidate(uint32_t node) const { return set_of_[node] == set_ && !is_ordered_[node]; }

  // Returns the members of the set next to ordered nodes, in ascending order.
  std::vector<uint32_t> Neighbors(bool below) const {
    std::vector<uint32_t> neighbors;
    for (const uint32_t node : order_) {
      for (const ScheduleDependence& d : below ? dag_.Successors(node) : dag_.Predecessors(node)) {
        const uint32_t next = below ? d.to : d.from;
        if (IsCandidate(next)) neighbors.push_back(next);
      }
    }
    std::sort(neighbors.begin(), neighbors.end());
    neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
    return neighbors;
  }

  Walk NextWalk() const {
    if (Walk up = {.is_down = false, .starts = Neighbors(/*below=*/false)}; !up.starts.empty()) return up;
    if (Walk down = {.is_down = true, .starts = Neighbors(/*below=*/true)}; !down.starts.empty()) return down;
    // Nothing is next to an ordered node: begin at the node that can be placed last.
    const uint32_t* last = nullptr;
    for (const uint32_t& node : members_) {
      if (IsCandidate(node) && (last == nullptr || facts_.earliest[node] > facts_.earliest[*last])) last = &node;
    }
    return {.is_down = false, .starts = last == nullptr ? std::vector<uint32_t>() : std::vector<uint32_t>{*last}};
  }

  // A walk down takes the node with the longest path below it first, a walk up the one with the longest path above it.
  using Priority = std::tuple<uint32_t, int32_t, int64_t>;
  Priority PriorityOf(uint32_t node, bool is_down) const {
    return {is_down ? facts_.height[node] : facts_.depth[node], -facts_.Mobility(node), -int64_t{node}};
  }

  void Swing(Walk walk) {
    while (!walk.starts.empty()) {
      std::priority_queue<Priority> queue;
      ++walk_;
      const auto push = [&](uint32_t node) {
        if (!IsCandidate(node) || queued_[node] == walk_) return;
        queued_[node] = walk_;
        queue.push(PriorityOf(node, walk.is_down));
      };
      for (const uint32_t node : walk.starts) push(node);
      while (!queue.empty()) {
        const auto node = static_cast<uint32_t>(-std::get<2>(queue.top()));
        queue.pop();
        Append(node);
        for (const ScheduleDependence& d : walk.is_down ? dag_.Successors(node) : dag_.Predecessors(node)) {
          push(walk.is_down ? d.to : d.from);
        }
      }
      walk.is_down = !walk.is_down;
      walk.starts = Neighbors(walk.is_down);
    }
  }

  const ScheduleDag& dag_;
  const NodeFacts facts_;
  std::vector<uint32_t> order_;
  std::vector<bool> is_ordered_;
  uint32_t set_ = 0;
  std::vector<uint32_t> set_of_;   // by node: the last set that contains it
  std::vector<uint32_t> members_;  // of the current set
  uint32_t walk_ = 0;
  std::vector<uint32_t> queued_;  // by node: the last walk that queued it
};

}  // namespace

std::vector<uint32_t> SwingOrder(const ModuloGraph& graph, const std::vector<bool>& is_control, uint32_t min_ii) {
  OrderBuilder builder(graph, ComputeNodeFacts(graph, min_ii));
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (is_control[node]) builder.Append(node);
  }
  for (const Recurrence& recurrence : graph.recurrences) builder.AddSet(recurrence.nodes);
  std::vector<uint32_t> all(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) all[node] = node;
  builder.AddSet(all);
  return builder.Take();
}

}  // namespace ptxmir
