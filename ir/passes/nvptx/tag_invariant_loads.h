// SPDX-License-Identifier: Apache-2.0

// nvptx-tag-invariant-loads: says of loads from global memory that the memory never changes (`!invariant.load`), so
// that selection reads it through the read-only cache and the code of the kernel may move and join the loads.
//
// These are plain loads through pointers that can only lead to constant variables or, in a kernel, into memory of
// parameters that are `noalias` and `readonly` (`const T* __restrict__`). In other functions the attributes say nothing
// of the time before the call. As in LLVM's pass of this name (NVPTXTagInvariantLoads), PHIs and selects are followed.

#ifndef PTXMIR_IR_PASSES_NVPTX_TAG_INVARIANT_LOADS_H_
#define PTXMIR_IR_PASSES_NVPTX_TAG_INVARIANT_LOADS_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

// Works on the program because it may add a kind of metadata.
IrPassResult RunTagInvariantLoads(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_TAG_INVARIANT_LOADS_H_
