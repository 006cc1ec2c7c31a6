// SPDX-License-Identifier: Apache-2.0

// nvptx-lower-args: what the parameters of kernels are. A structure that is passed by value is read in place, through
// the space of parameters (101), if the kernel only loads from it. The address of a grid constant, which nothing
// writes, may go elsewhere, too, where the GPU can make it generic (cvta.param, sm_70 and PTX 7.7). Of other structures
// the kernel gets a copy on its stack. In CUDA, pointers that a kernel receives, or loads from a structure that is read
// in place, point to global memory: they go through a pair of conversions, from which infer-address-spaces takes that.
// The shape is that of LLVM's pass.
//
// lower-struct-args, which came before it in cicc and LLVM: every structure that is passed by value is copied to the
// stack at once. LLVM 22 does the same for -nvptx-early-byval-copy.

#ifndef PTXMIR_IR_PASSES_NVPTX_LOWER_ARGS_H_
#define PTXMIR_IR_PASSES_NVPTX_LOWER_ARGS_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunLowerArgs(ir::Program& program, IrPassContext& context);
IrPassResult RunLowerStructArgs(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_LOWER_ARGS_H_
