// SPDX-License-Identifier: Apache-2.0

// nvvm-intr-range: states the ranges of special registers at the calls that read them: from the launch bounds of the
// kernel, else from what GPUs allow (ptx/target/special_register_bounds.h). As in LLVM's pass, a bound on threads is
// one on the product of the dimensions, so each dimension may reach it; exact sizes (reqntid) hold for each dimension.
// The registers of clusters are here, too, which LLVM's pass leaves out. -nvvm-intr-range-sm says whose limits apply to
// the grid: before sm_30, that had at most 65,535 CTAs in dimension x, too.

#ifndef PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_
#define PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunIntrRange(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_
