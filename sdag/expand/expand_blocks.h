// SPDX-License-Identifier: Apache-2.0

// Expands nodes that need several blocks, before anything else is done with the DAGs of a function:
//
//   atomic operations that PTX lacks      compare-and-swap loops (expand_atomics.cc)
//   llvm.memcpy, memmove, memset          loops, if they are too long to be unrolled or of variable length
//                                         (expand_memory_intrinsics.cc)
//   masked loads and stores               a branch for each element (expand_masked.cc)
//
// The new blocks hold ordinary nodes, which the combiner and the legalizer handle as usual. A node that needs a
// loop which cannot be made stays, and the legalizer rejects it.

#ifndef PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_
#define PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_

#include "absl/status/status.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

absl::Status ExpandBlocks(DagFunction& dags, const ISelOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_
