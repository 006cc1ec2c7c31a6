// SPDX-License-Identifier: Apache-2.0

// Passes over the handles of textures, surfaces and samplers.
//
// A handle is a 64-bit value. Its origin is traced through copies, moves, conversions of addresses, selects and PHIs to
// the variable or the kernel parameter that it stands for, if all definitions on the way agree.
//
// nvptx-image-optimizer: istypep of a handle with a known origin is a constant. In LLVM it works on IR. Equal fetches
// and equal questions for shapes are merged (image_fetches.h).
//
// nvptx-replace-image-handles: an instruction whose handle stands for a variable names the variable. In a module for
// OpenCL (ir/ir_nvvm.h), one whose handle is an image parameter of the kernel names the parameter. All other handles
// stay in registers. A handle of another kind than the instruction takes is an error, with cicc's four messages. LLVM
// has no such check, and names a parameter even if it is no image, which ptxas refuses.

#ifndef PTXMIR_PASSES_NVPTX_IMAGE_HANDLES_H_
#define PTXMIR_PASSES_NVPTX_IMAGE_HANDLES_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunImageOptimizer(MachineFunction& function, PassContext& context);

PassResult RunReplaceImageHandles(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_NVPTX_IMAGE_HANDLES_H_
