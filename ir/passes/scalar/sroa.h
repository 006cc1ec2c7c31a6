// SPDX-License-Identifier: Apache-2.0

// sroa: takes stack objects apart that are accessed in parts, and makes values of what is only loaded and stored.
//
// An object is taken apart where no load or store crosses. A part whose accesses all cover it becomes an object of its
// own type, which promote_allocas.h makes a value; copies and fills by memcpy and memset become loads and stores of
// such parts. Other parts stay memory, but are smaller. As LLVM's SROA in what it is for; it has no speculation of
// loads, no splitting of integers, and does nothing with objects that are indexed by a variable or whose address goes
// elsewhere.

#ifndef PTXMIR_IR_PASSES_SCALAR_SROA_H_
#define PTXMIR_IR_PASSES_SCALAR_SROA_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunSroa(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_SROA_H_
