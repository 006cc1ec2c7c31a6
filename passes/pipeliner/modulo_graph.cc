// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/modulo_graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/control_flow/strong_components.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

uint32_t CyclesOfWarp(uint32_t clock_cycles, unsigned warps) { return (clock_cycles + warps - 1) / warps; }

bool IsLoad(const MachineInstr& instr) {
  return !instr.desc().Has(InstrFlag::kPseudo) && ptx::InstrInfo(instr.opcode()).reads_memory();
}

ModuloResources ResourcesOfInstr(const MachineInstr& instr, const ptx::MachineModel& model) {
  if (instr.is_implicit_def() || instr.is_kill()) return {.issues = false};
  const ptx::InstrCost cost = model.CostOf(instr);
  return {.issues = true, .unit = cost.unit, .busy = cost.issue};
}

// A component of the graph, with its nodes and dependences numbered within it.
class Component {
 public:
  Component(const ScheduleDag& dag, const std::vector<uint32_t>& nodes, const std::vector<uint32_t>& component_of) {
    std::vector<uint32_t> index(dag.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
    num_nodes_ = static_cast<uint32_t>(nodes.size());
    for (const uint32_t node : nodes) {
      for (const ScheduleDependence& dependence : dag.Successors(node)) {
        if (component_of[dependence.to] != component_of[node]) continue;
        dependences_.push_back(dependence);
        dependences_.back().from = index[node];
        dependences_.back().to = index[dependence.to];
        max_ii_ += dependence.latency;
      }
    }
  }

  bool HasCircuit() const { return !dependences_.empty(); }

  // Returns the least II at which no circuit has more latency than II times its distance.
  uint32_t MinII() const {
    uint32_t low = 1, high = std::max<uint32_t>(1, max_ii_);
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (IsFeasible(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  bool IsFeasible(uint32_t ii) const {
    std::vector<int32_t> longest(num_nodes_, 0);
    for (uint32_t round = 0; round <= num_nodes_; ++round) {
      bool changed = false;
      for (const ScheduleDependence& dependence : dependences_) {
        const int32_t length = longest[dependence.from] + WeightAt(dependence, ii);
        if (length <= longest[dependence.to]) continue;
        longest[dependence.to] = length;
        changed = true;
      }
      if (!changed) return true;
    }
    return false;
  }

  uint32_t num_nodes_ = 0;
  uint32_t max_ii_ = 0;  // the sum of all latencies: no circuit has more
  std::vector<ScheduleDependence> dependences_;
};

std::vector<Recurrence> FindRecurrences(const ScheduleDag& dag) {
  RowGraph rows;
  for (uint32_t node = 0; node < dag.size(); ++node) {
    for (const ScheduleDependence& dependence : dag.Successors(node)) rows.targets.push_back(dependence.to);
    rows.CloseRow();
  }
  const StrongComponents components(rows);
  std::vector<std::vector<uint32_t>> members(components.num_components);
  for (uint32_t node = 0; node < dag.size(); ++node) members[components.component[node]].push_back(node);
  std::vector<Recurrence> recurrences;
  for (std::vector<uint32_t>& nodes : members) {
    const Component component(dag, nodes, components.component);
    if (!component.HasCircuit()) continue;
    recurrences.push_back({.nodes = std::move(nodes), .min_ii = component.MinII()});
  }
  std::sort(recurrences.begin(), recurrences.end(), [](const Recurrence& a, const Recurrence& b) {
    return a.min_ii != b.min_ii ? a.min_ii > b.min_ii : a.nodes.front() < b.nodes.front();
  });
  return recurrences;
}

}  // namespace

ModuloGraph MakeModuloGraph(const ScheduleDag& dag, const ptx::MachineModel& model, const LatencyLimits& limits) {
  ModuloGraph graph;
  graph.dag = dag;
  graph.dag.SetLatencies([&](const ScheduleDependence& dependence) {
    uint32_t latency = std::max<uint32_t>(1, CyclesOfWarp(dependence.latency, limits.warps));
    if (dependence.kind == DependenceKind::kData && IsLoad(dag.instr(dependence.from))) {
      latency = std::min(latency, std::max<uint32_t>(1, limits.max_load));
    }
    return latency;
  });
  graph.resources = ResourcesOf(dag.instrs(), model);
  graph.recurrences = FindRecurrences(graph.dag);
  return graph;
}

std::vector<ModuloResources> ResourcesOf(absl::Span<MachineInstr* const> instrs, const ptx::MachineModel& model) {
  std::vector<ModuloResources> resources;
  resources.reserve(instrs.size());
  for (const MachineInstr* instr : instrs) resources.push_back(ResourcesOfInstr(*instr, model));
  return resources;
}

uint32_t ResourceMinII(absl::Span<const ModuloResources> resources_of_nodes) {
  uint32_t num_issued = 0;
  std::array<uint32_t, ptx::kNumFunctionalUnits> busy = {};
  for (const ModuloResources& resources : resources_of_nodes) {
    num_issued += resources.issues ? 1 : 0;
    if (resources.unit != ptx::FunctionalUnit::kNone) busy[static_cast<size_t>(resources.unit)] += resources.busy;
  }
  return std::max(num_issued, *std::max_element(busy.begin(), busy.end()));
}

uint32_t RecurrenceMinII(const ModuloGraph& graph) {
  return graph.recurrences.empty() ? 0 : graph.recurrences.front().min_ii;
}

}  // namespace ptxmir
