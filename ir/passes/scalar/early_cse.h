// SPDX-License-Identifier: Apache-2.0

// early-cse: one walk over the dominator tree that simplifies instructions (support/simplify.h), replaces those that
// compute what a dominating one has computed, and loads of what is known to be in memory, as LLVM's EarlyCSE does;
// before that, PHIs that always have the same value become one, which LLVM leaves to loop strength reduction.
//
// Memory has a number that changes with everything that may write; it is the same at the beginning of a block as at the
// end of the only predecessor, and new where paths meet.

#ifndef PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_
#define PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunEarlyCse(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_
