// SPDX-License-Identifier: Apache-2.0

// early-cse: one walk over the dominator tree that simplifies instructions (support/simplify.h), replaces those that
// compute what a dominating one has computed, and loads of what is known to be in memory, as LLVM's EarlyCSE does;
// before that, PHIs that always have the same value become one, which LLVM leaves to loop strength reduction. What is
// convergent and inline assembly without effects have to be in the same block. Tests of bits get a form that has more
// in common (support/bit_test_form.h).
//
// A load gives what is known from before if no memory of its space may have changed since (support/written_spaces.h).
// At the beginning of a block memory is as at the end of the only predecessor; where paths meet, all may have changed.

#ifndef PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_
#define PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunEarlyCse(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_EARLY_CSE_H_
