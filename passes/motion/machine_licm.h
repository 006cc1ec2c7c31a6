// SPDX-License-Identifier: Apache-2.0

// early-machinelicm: what is computed anew in every turn of a loop although it is always the same goes in front of the
// loop.
//
// LLVM's MachineLICM in SSA form, decision for decision, so that with it comes out what llc makes of the same code. The
// loops of each nest are gone through with the blocks of the outermost one, down the dominator tree: an instruction
// whose operands are defined outside, and that may be executed where it was not, goes to the end of the block in front
// of the outermost loop that allows it, or of the next one within. Loads go if they read the same everywhere, or if
// they are executed in any case and nothing in the loop writes. It has to be worth it: the values seen on the way from
// the header stay below the registers that LLVM's tables have of the class, or it is a load that reads the same
// everywhere and that no PHI of the loop needs a copy of. Constants and other moves stay, unless they free a register.
// What was computed in front of the loop already is not computed again.
//
// A loop without a block of its own in front of it gets one if it is entered from one block only.
//
// Where we differ: whether a block of an inner loop is executed in any case is asked of that loop too, where LLVM takes
// the answer for the first one that it asked of, and of a loop that is never left nothing but the header is; edges are
// split only where something is hoisted to; the flags of two instructions that become one are those of both. LLVM's
// measure against hoisting to hotter blocks, which needs a profile, is left out. The pass is off unless -enable-mlicm
// is given: LLVM's IR has lost its loop invariants before, and ptxas hoists what is left where it has the registers.

#ifndef PTXMIR_PASSES_MOTION_MACHINE_LICM_H_
#define PTXMIR_PASSES_MOTION_MACHINE_LICM_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunEarlyMachineLicm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_MACHINE_LICM_H_
