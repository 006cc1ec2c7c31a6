// SPDX-License-Identifier: Apache-2.0

// dce: erases what has no effect and whose result nothing uses. Cycles of PHIs that only use each other go, too: an
// instruction is live only if something with an effect uses it (as LLVM's adce, without control dependence).

#ifndef PTXMIR_IR_PASSES_SCALAR_DCE_H_
#define PTXMIR_IR_PASSES_SCALAR_DCE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunIrDce(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_DCE_H_
