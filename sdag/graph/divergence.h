// SPDX-License-Identifier: Apache-2.0

// What PTX's nodes say of divergence: which results differ between the threads of a warp, whatever the operands are.
//
// The same judgement as analysis/uniformity.h makes of machine code, for nodes: thread and lane numbers, clocks,
// atomics, shuffles and matrix fragments, loads from local and generic memory, results of calls and inline assembly
// are divergent; what votes and reductions agree on is not. Machine nodes ask the instruction tables.

#ifndef PTXMIR_SDAG_GRAPH_DIVERGENCE_H_
#define PTXMIR_SDAG_GRAPH_DIVERGENCE_H_

#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

DivergenceHooks PtxDivergenceHooks();

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_GRAPH_DIVERGENCE_H_
