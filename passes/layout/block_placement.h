// SPDX-License-Identifier: Apache-2.0

// block-placement orders the blocks of a function along the likeliest paths, so that control falls through where
// possible.
//
// It follows LLVM's MachineBlockPlacement (Pettis and Hansen, "Profile guided code positioning", PLDI 1990, bottom
// up over the loops). Blocks are joined into chains. In each loop, inner loops first, a chain grows from the
// loop's top. It is extended by the likeliest successor, unless another predecessor is a better fit for that
// block, and otherwise by the most frequent block whose predecessors are all placed. A latch is placed before the
// header if possible: the loop is then entered in its middle but iterates without a jump. Otherwise the chain is
// rotated so that its likeliest exit is at the end. The function as a whole is one more chain of this kind. Layout
// matters for PTX because ptxas keeps much of the order and bases loop unrolling on it.
//
// The pass is near-linear: chains are lists, and joining two updates the chain of each moved block, once per loop
// around the block.
//
// -enable-ext-tsp-block-placement then replaces the order by that of the extended-TSP model (ext_tsp.h), if the model
// scores it higher.
//
// Where we differ from LLVM: there is no profile and no tail duplication (LLVM does not duplicate tails for PTX
// either).

#ifndef PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_
#define PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunBlockPlacement(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_BLOCK_PLACEMENT_H_
