// SPDX-License-Identifier: Apache-2.0

// narrow-integers simplifies integer code by what known bits and ranges tell (analysis/values/known_bits.h). LLVM does
// this to IR (CorrelatedValuePropagation, NVVMIntrRange with InstCombine); here, launch bounds, widths of loads and
// conditions of branches are known to machine code.
//
//  - What is known exactly becomes a constant: a comparison of %tid.x with 1024, for example. A branch on it becomes a
//    jump, the PHIs of the block that it no longer leads to lose an operand, and blocks that nothing reaches go.
//  - A minimum, maximum, selection or remainder that always is one of its operands is replaced by it.
//  - Signed division and remainder of numbers that are not negative become unsigned ones, which take fewer
//  instructions,
//    and signs that are extended but always 0 become zeros.
//  - What is computed in 64 bits but fits into 32 is computed in 32 (wide_narrowing.h): comparisons, divisions, minima;
//    products become mul.wide and mad.wide; sums and logic of extended values are extended once, after them; the PHI of
//    an induction variable whose uses allow it.
//
// mul24 is not formed: since sm_20, it takes more instructions than mul.lo.
//
// One walk over the blocks in reverse postorder, in which the operands of what is narrowed have been narrowed before.

#ifndef PTXMIR_PASSES_INTEGERS_NARROW_INTEGERS_H_
#define PTXMIR_PASSES_INTEGERS_NARROW_INTEGERS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunNarrowIntegers(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_INTEGERS_NARROW_INTEGERS_H_
