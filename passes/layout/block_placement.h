// SPDX-License-Identifier: Apache-2.0

// block-placement: puts the blocks of a function into the order in which control most likely goes through them, so that
// it falls from one into the next where it can.
//
// After LLVM's MachineBlockPlacement (Pettis and Hansen, "Profile guided code positioning", PLDI 1990, bottom up over
// the loops): blocks are joined into chains. In each loop, inner ones first, a chain grows from the loop's top by the
// likeliest successor, if that is not what another block would rather lead to, then by the most frequent block whose
// predecessors are all placed. A latch that can stand before the header does, so that the loop is entered in its middle
// but turns without a jump; otherwise the chain is rotated such that its likeliest exit stands at the end. The function
// is one more such chain. Why it matters for PTX: ptxas keeps much of the order, and unrolls loops by it.
//
// Near-linear: chains are lists, joined by changing what chain their blocks are of, once for each loop around a block.
//
// Where we differ from LLVM: no profile, and no duplication of tails, which LLVM does not do for PTX either.

#ifndef PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_
#define PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunBlockPlacement(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_
