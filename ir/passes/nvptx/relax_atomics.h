// SPDX-License-Identifier: Apache-2.0

// relax-atomicrmw: gives an atomicrmw that is one instruction of PTX the order and the scope that llc 22 gives it,
// whatever it states: relaxed, and the GPU.
//
// clang writes `seq_cst` and the whole system for CUDA's atomicAdd, which promises neither, and counts on this. With
// the stated order, each of them would get fences that take many times as long as the operation. What is no instruction
// of PTX, and becomes a loop around a compare-and-swap, keeps what it states, as with llc. So do loads, stores and
// cmpxchg.

#ifndef PTXMIR_IR_PASSES_NVPTX_RELAX_ATOMICS_H_
#define PTXMIR_IR_PASSES_NVPTX_RELAX_ATOMICS_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

// Works on the program because it may add a scope.
IrPassResult RunRelaxAtomics(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_RELAX_ATOMICS_H_
