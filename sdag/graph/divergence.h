// SPDX-License-Identifier: Apache-2.0

// The divergence of PTX's nodes: the results that differ between the threads of a warp whatever the operands are.
//
// The rules are those of analysis/values/uniformity.h, which judges machine code. Divergent are thread and lane
// numbers, clocks, atomics, shuffles and matrix fragments, loads from local and generic memory, and the results of
// calls and inline assembly. Results that votes and reductions agree on are uniform. For machine nodes, the instruction
// tables decide.

#ifndef PTXMIR_SDAG_GRAPH_DIVERGENCE_H_
#define PTXMIR_SDAG_GRAPH_DIVERGENCE_H_

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

DivergenceHooks PtxDivergenceHooks();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_DIVERGENCE_H_
