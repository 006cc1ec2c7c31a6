// SPDX-License-Identifier: Apache-2.0

// Additions of constants to addresses, folded into the offsets of the accesses.
//
//     %sum = ADD64ri %base, 64                 ld [%base+72]
//     ... ld [%sum+8] ... st [%sum-4]    =>    st [%base+60]
//
// Only where all uses of the sum are addresses of accesses, so that the sum goes, and where each offset stays within
// the bits that -induction-merge-offset-bits gives it: SASS has 24, and ptxas makes an addition of what is beyond.
// The base then lives as long as the sum did, which is no more registers at any point. Instruction selection does the
// same within a block; bases that were put ahead of loops are what is left for us.
//
// Part of induction-merge, which runs it first.

#ifndef PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_
#define PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_

#include "passes/pass.h"

namespace ptxmir {

// Returns whether anything changed.
bool FoldAddressOffsets(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_ADDRESS_OFFSET_FOLDING_H_
