// SPDX-License-Identifier: Apache-2.0

// infer-address-spaces on IR: finds generic pointers that can only be of one space, through GEPs, PHIs and selects, and
// gives memory accesses, memory intrinsics and comparisons pointers of that space. Tests for a space (isspacep) become
// constants where the space is known. The algorithm is that of LLVM's pass (Jingyue Wu, 2015): an optimistic data flow
// over all generic address expressions of a function. Spaces are not followed into or out of memory, nor of calls,
// which ip-msp does (ir/passes/ipo/space_propagation.h).

#ifndef PTXMIR_IR_PASSES_NVPTX_INFER_ADDRESS_SPACES_H_
#define PTXMIR_IR_PASSES_NVPTX_INFER_ADDRESS_SPACES_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunIrInferAddressSpaces(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_INFER_ADDRESS_SPACES_H_
