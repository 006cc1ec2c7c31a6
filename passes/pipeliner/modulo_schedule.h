// SPDX-License-Identifier: Apache-2.0

// Swing modulo scheduling: finds a schedule of a loop body in which an iteration begins every II cycles, before the
// iterations before it have ended.
//
// Llosa, González, Ayguadé and Valero, "Swing Modulo Scheduling: A Lifetime-Sensitive Approach" (PACT 1996). Each node
// is placed once, without backtracking. The order of nodes decides the quality: recurrences come first, the most
// critical one before the others, each with the nodes on paths between it and what is ordered already. Within such a
// set, the order swings between walks down and walks up from ordered nodes. So a node is placed when only predecessors
// or only successors of it are placed, as close to them as possible, which keeps values short-lived.
//
// Differences from the paper: where a node has placed neighbors on both sides, it is placed close to those of its own
// iteration. Where an II has no schedule, iterative modulo scheduling is tried before the next II. Recurrences are
// strongly connected components and not circuits, and the control instructions of the loop come first of all, because
// they must be in the first stage (modulo_expander.h).

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_SCHEDULE_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/pipeliner/modulo_graph.h"
#include "passes/pipeliner/modulo_reservation_table.h"

namespace ptxmir {

struct ModuloSchedule {
  uint32_t ii = 0;
  std::vector<uint32_t> cycles;  // by node, counted from the beginning of its iteration
  uint32_t num_stages = 0;

  uint32_t StageOf(uint32_t node) const { return cycles[node] / ii; }
  uint32_t RowOf(uint32_t node) const { return cycles[node] % ii; }
};

// Returns the order in which nodes are placed, at the least II that is tried.
std::vector<uint32_t> SwingOrder(const ModuloGraph& graph, const std::vector<bool>& is_control, uint32_t min_ii);

// Places the nodes in the given order. Returns nullopt if some node finds no place, or if the control instructions
// cannot all be executed in the first II cycles of an iteration.
std::optional<ModuloSchedule> PlaceNodes(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                         const std::vector<uint32_t>& order, uint32_t ii, UnitUse use);

// Places the nodes by iterative modulo scheduling (iterative_placement.h), which finds schedules where the order of
// swing modulo scheduling leads into a dead end, at the cost of longer-lived values. Units are used in total.
std::optional<ModuloSchedule> PlaceNodesIteratively(const ModuloGraph& graph, const std::vector<bool>& is_control,
                                                    uint32_t ii);

// Returns true if the schedule meets all dependences and no unit is overcommitted.
bool IsValid(const ModuloGraph& graph, const ModuloSchedule& schedule, UnitUse use);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_SCHEDULE_H_
