// SPDX-License-Identifier: Apache-2.0

// alloca-hoisting: moves stack objects of fixed size to the beginning of the entry block, where the frame expects them.

#ifndef PTXMIR_IR_PASSES_NVPTX_ALLOCA_HOISTING_H_
#define PTXMIR_IR_PASSES_NVPTX_ALLOCA_HOISTING_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunAllocaHoisting(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_ALLOCA_HOISTING_H_
