// SPDX-License-Identifier: Apache-2.0

// nvvm-intr-range: states the ranges of special registers at the calls that read them: from the launch bounds of the
// kernel, else from what every GPU allows. As LLVM's pass, a bound on threads is one on the product of the dimensions,
// so each dimension may reach it; exact sizes (reqntid) hold for each dimension. The upper ends are exclusive and
// right: an index goes up to the size less one, and a size up to the limit itself.

#ifndef PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_
#define PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunIntrRange(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_NVPTX_INTR_RANGE_H_
