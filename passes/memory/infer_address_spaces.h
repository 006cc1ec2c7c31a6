// SPDX-License-Identifier: Apache-2.0

// infer-address-spaces makes accesses to generic addresses accesses in the space that the address is known to lie in.
//
//     %2 = cvta_shared_64 %1                        %3' = ADD64rr %1, %0
//     %3 = ADD64rr %2, %0                           %4 = LD_i32 0, 0, 3, 3, 32, -1, %3', 0
//     %4 = LD_i32 0, 0, 0, 3, 32, -1, %3, 0
//
// A generic access costs the hardware a look at the address, and hides from every later pass, and from ptxas, what the
// access cannot alias. LLVM does this on IR (InferAddressSpaces, whose algorithm this is). What is left for machine
// code is what LLVM was not asked to do (-O0), what became visible by selection and inlining, and MIR from elsewhere.
//
// address_spaces.h says which addresses have a known space. The steps are:
// - Find what wants an address in its space: loads, stores, atomics, prefetches and all other instructions that have a
//   form for the space (an addsp operand, or an opcode of the same text: ptx::FormInSpace), and conversions from
//   generic addresses to the space (so that a pair of conversions goes away).
// - Compute those addresses, and all that they are made of, in the space: the chain of copies, PHIs, selections and
//   additions is built anew from the places where the generic address comes from.
// - Whatever else reads the generic address gets it from the new one by a conversion, so that nothing is computed
//   twice. The old chain is erased.
// - Tests of the space of an address (isspacep) are decided.
//
// An access stays generic if the space has no such access: ordered accesses and atomics exist in global and shared
// memory only, and constant memory and parameters are not written.

#ifndef PTXMIR_PASSES_MEMORY_INFER_ADDRESS_SPACES_H_
#define PTXMIR_PASSES_MEMORY_INFER_ADDRESS_SPACES_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunInferAddressSpaces(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MEMORY_INFER_ADDRESS_SPACES_H_
