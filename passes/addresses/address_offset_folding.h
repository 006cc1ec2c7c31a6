// SPDX-License-Identifier: Apache-2.0

// Folds additions of constants to addresses into the offsets of the accesses.
//
//     %sum = ADD64ri %base, 64                 ld [%base+72]
//     ... ld [%sum+8] ... st [%sum-4]    =>    st [%base+60]
//
// An addition is folded only if all uses of the sum are addresses of accesses, so that the sum can be erased, and
// only if each offset fits into the bits that -induction-merge-offset-bits allows: SASS has 24, and ptxas emits an
// addition for a larger offset. The base is then live as long as the sum was, so no point needs more registers.
// Instruction selection does the same within a block; this pass handles bases that were computed before loops.
//
// This is part of induction-merge, which runs it first.

#ifndef PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_
#define PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_

#include "passes/pass_context.h"

namespace ptxmir {

// Returns true if anything changed.
bool FoldAddressOffsets(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_
