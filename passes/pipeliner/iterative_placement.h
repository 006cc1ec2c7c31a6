// SPDX-License-Identifier: Apache-2.0

// Iterative modulo scheduling: Rau, "Iterative Modulo Scheduling: An Algorithm For Software Pipelining Loops"
// (MICRO-27, 1994). Nodes are placed from the longest path down, as early as possible. A node that finds no place is
// put in one nevertheless and evicts the nodes that are in its way, which are placed again later. The number of
// placements is limited.

#ifndef PTXMIR_PASSES_PIPELINER_ITERATIVE_PLACEMENT_H_
#define PTXMIR_PASSES_PIPELINER_ITERATIVE_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/pipeliner/modulo_graph.h"

namespace ptxmir {

// Returns the cycle of each node, at least 0, or nullopt if the limit was reached. At most one instruction is issued in
// each row. The II must be at least ResMII, so that units have enough cycles in total.
std::optional<std::vector<int32_t>> PlaceByEviction(const ModuloGraph& graph, uint32_t ii);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_ITERATIVE_PLACEMENT_H_
