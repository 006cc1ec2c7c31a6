// SPDX-License-Identifier: Apache-2.0

// nvvm-reflect: replaces calls of __nvvm_reflect("KEY"), which libdevice asks how it is compiled, by numbers.
//
// Numbers come, the later over the earlier, from: __CUDA_ARCH, by -mcpu or the function's target-cpu; the named
// metadata nvvm.reflection; the module flag nvvm-reflect-ftz for __CUDA_FTZ; and -nvvm-reflect-add (-R). A key that
// none of them knows is 0. Instructions that become constant by a number are folded, and nvvm-reflect-pp
// (scalar/simplify_cfg.h) folds the branches. Declarations that nothing uses any more go. -nvvm-reflect-enable=false
// leaves everything.

#ifndef PTXMIR_IR_PASSES_NVPTX_NVVM_REFLECT_H_
#define PTXMIR_IR_PASSES_NVPTX_NVVM_REFLECT_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunNvvmReflect(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_NVVM_REFLECT_H_
