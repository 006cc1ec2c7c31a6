// SPDX-License-Identifier: Apache-2.0

// machine-cp erases copies between registers where another register can do.
//
// The code may be in SSA form, where what reads a copy reads its source instead (register_moves.h), or out of it, where
// registers have several definitions. There, the pass looks at one block after the other, and:
//
// - Erases a copy between registers that hold the same value already, because one was copied to the other before, or
// both
//   are copies of a third. What registers hold is known from the block's only predecessor, if that is the block before
//   it in the layout.
// - Propagates forward: if each read of a copy's result is in its block and behind it, and its source is not written
// until
//   then, these reads get the source and the copy goes.
// - Propagates backward: if the source is computed in the same block, is read nowhere after the copy, and the result is
//   neither read nor written in between, the value is computed into the result and the copy goes.
// - Erases copies whose result is never read.
//
// The names are those of LLVM's MachineCopyPropagation, which works on physical registers. It also replaces reads where
// the copy has to stay. That makes two registers live instead of one, so we do not. Liveness at the ends of blocks
// (live-variables) says what is read later. Each direction is one walk over the function; the pass is linear.

#ifndef PTXMIR_PASSES_COPIES_COPY_PROPAGATION_H_
#define PTXMIR_PASSES_COPIES_COPY_PROPAGATION_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachineCopyPropagation(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_COPY_PROPAGATION_H_
