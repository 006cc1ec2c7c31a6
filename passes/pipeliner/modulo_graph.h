// SPDX-License-Identifier: Apache-2.0

// The graph that modulo scheduling works on: the dependences of a loop body with the latencies that are to be met, its
// recurrences, and the least initiation interval (II) that they and the units of the GPU allow.
//
// A cycle here is one in which the scheduler of an SM serves this warp. With W warps on a scheduler, it comes around to
// a warp every W clock cycles, and the other warps fill the gaps between. A latency of L clock cycles is therefore L /
// W cycles, while an instruction that keeps its unit busy for n clock cycles takes n cycles: the other warps need the
// unit as well.
//
// ResMII: each unit of the GPU, and the one instruction per cycle that a scheduler issues, must serve all instructions
// of the body once in II cycles. RecMII: a recurrence, a circuit of dependences whose distances add up to d > 0
// iterations and whose latencies add up to l, needs l <= II * d. All circuits are inside strongly connected components.
// The bound of a component is the least II for which it has no circuit with l > II * d, found by bisection with the
// Bellman-Ford algorithm. (LLVM and the paper enumerate circuits, of which there may be exponentially many.)

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_GRAPH_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

// The units that an instruction needs.
struct ModuloResources {
  bool issues = true;  // takes one of the scheduler's cycles
  ptx::FunctionalUnit unit = ptx::FunctionalUnit::kNone;
  uint32_t busy = 0;  // cycles for which it keeps the unit
};

// A circuit of dependences, or several that share nodes: a strongly connected component.
struct Recurrence {
  std::vector<uint32_t> nodes;  // ascending
  uint32_t min_ii = 1;          // the least II at which it can be executed
};

struct ModuloGraph {
  ScheduleDag dag;                         // with latencies in cycles of the warp, at least 1
  std::vector<ModuloResources> resources;  // by node
  std::vector<Recurrence> recurrences;     // by descending min_ii

  uint32_t size() const { return dag.size(); }
};

struct LatencyLimits {
  unsigned warps = 1;                // on a scheduler of the SM
  uint32_t max_load = ~uint32_t{0};  // the most cycles that the result of a load is given
};

// Makes the graph of a loop from the dependences with their full latencies.
ModuloGraph MakeModuloGraph(const ScheduleDag& dag, const ptx::MachineModel& model, const LatencyLimits& limits);

// Returns the units that each instruction needs.
std::vector<ModuloResources> ResourcesOf(absl::Span<MachineInstr* const> instrs, const ptx::MachineModel& model);

// Return the lower bounds of the II. ResMII is 0 for a body without instructions that are issued.
uint32_t ResourceMinII(absl::Span<const ModuloResources> resources);
uint32_t RecurrenceMinII(const ModuloGraph& graph);

// Returns the weight of a dependence at an II: the least number of cycles from the issue of `from` to that of `to` in
// the same iteration, which may be negative.
inline int32_t WeightAt(const ScheduleDependence& dependence, uint32_t ii) {
  return static_cast<int32_t>(dependence.latency) - static_cast<int32_t>(ii * dependence.distance);
}

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_GRAPH_H_
