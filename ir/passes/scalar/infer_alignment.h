// SPDX-License-Identifier: Apache-2.0

// infer-alignment: raises the alignment that loads and stores state to what their addresses show: the alignment of the
// variable, stack object or parameter, and the zeros at the end of what is added to it. LLVM has a pass of this name.
// load-store-vectorizer joins accesses only if they are known to be aligned.

#ifndef PTXMIR_IR_PASSES_SCALAR_INFER_ALIGNMENT_H_
#define PTXMIR_IR_PASSES_SCALAR_INFER_ALIGNMENT_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunInferAlignment(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_INFER_ALIGNMENT_H_
