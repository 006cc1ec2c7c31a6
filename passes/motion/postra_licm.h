// SPDX-License-Identifier: Apache-2.0

// machinelicm hoists loop-invariant computations after register allocation, where registers are free for them.
//
// Out of SSA form, a computation is invariant in a loop if no register that it reads is written there. It may be
// hoisted if besides
//
// - its result has no other definition, so that every read of it is below this one;
// - it does nothing but compute: it is pure, or loads from memory that is never written and runs in every iteration;
// - the loop has a preheader, at whose end it is placed;
// - the registers of the loop's peak (machine-rpa), those of results hoisted before, and its own are within the budget.
//
// It leaves all loops at once in which it is invariant, as far as preheaders and registers allow. Blocks are visited in
// reverse postorder, so computations follow their operands out of a loop.
//
// LLVM's post-RA MachineLICM hoists regardless of pressure, because registers are assigned by then. Those of PTX are
// not. With -sink-insts-to-avoid-spills, what is loop-invariant sinks into loops that exceed the budget
// (sink_into_loops.h).

#ifndef PTXMIR_PASSES_MOTION_POSTRA_LICM_H_
#define PTXMIR_PASSES_MOTION_POSTRA_LICM_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPostRaMachineLicm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_POSTRA_LICM_H_
