// SPDX-License-Identifier: Apache-2.0

// Turns nodes that are more than a block into several blocks, before anything else is done with the DAGs of a function:
//
//   atomic operations that PTX lacks      loops of compare-and-swap (expand_atomics.cc)
//   llvm.memcpy, memmove, memset          loops, where they are too long to be unrolled or of variable length
//                                         (expand_memory_intrinsics.cc)
//   masked loads and stores               a branch for each element (expand_masked.cc)
//
// What the blocks hold are nodes as any others, for the combiner and the legalizer. A node that needs a loop which
// cannot be made stays, and is refused by the legalizer.

#ifndef PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_
#define PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_

#include "absl/status/status.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

absl::Status ExpandBlocks(DagFunction& dags, const ISelOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EXPAND_EXPAND_BLOCKS_H_
