// SPDX-License-Identifier: Apache-2.0

// nvptx-image-optimizer on LLVM IR: answers llvm.nvvm.istypep.texture, .surface and .sampler where the kind of the
// handle is known, so that branches on the answer fold before code is inlined around them.
//
// A handle is traced through conversions, llvm.nvvm.texsurf.handle, selects and PHIs to a variable or a parameter of a
// kernel whose annotations say what it is. LLVM's pass strips conversions only. Handles that come as machine code:
// passes/nvptx/image_handles.h.

#ifndef PTXMIR_IR_PASSES_NVPTX_IMAGE_OPTIMIZER_H_
#define PTXMIR_IR_PASSES_NVPTX_IMAGE_OPTIMIZER_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunImageOptimizerOnIr(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_IMAGE_OPTIMIZER_H_
