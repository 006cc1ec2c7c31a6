// SPDX-License-Identifier: Apache-2.0

// separate-const-offset-from-gep: takes constants out of the indices of getelementptr, so that addresses that differ by
// a constant share what they have in common and the constants become offsets of the accesses. It does what LLVM's pass
// of this name does for NVPTX:
//
//     %j = add nsw i32 %i, 5                            %x = sext i32 %i to i64
//     %x = sext i32 %j to i64                  =>       %q = getelementptr float, ptr %p, i64 %x
//     %q = getelementptr float, ptr %p, i64 %x          %r = getelementptr i8, ptr %q, i64 20
//
// Where the address is inbounds in shared memory or another small space, sums of indices that promise nothing are
// split, too: an index that wrapped would lie outside. (LLVM does so for all inbounds addresses, whose indices it takes
// for not negative.)
//
// Here we differ: all constants of a sum are taken out, not only the first; and constant indices at the end, those of
// fields included, become part of the offset, so that the fields of one element share its address.

#ifndef PTXMIR_IR_PASSES_SCALAR_SEPARATE_CONST_OFFSET_H_
#define PTXMIR_IR_PASSES_SCALAR_SEPARATE_CONST_OFFSET_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunSeparateConstOffset(ir::Function& function, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_SCALAR_SEPARATE_CONST_OFFSET_H_
