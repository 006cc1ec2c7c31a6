// SPDX-License-Identifier: Apache-2.0

// early-machinelicm hoists loop-invariant computations out of loops.
//
// This is LLVM's MachineLICM in SSA form, decision for decision, so that the output is what llc produces from the
// same code. The loops of each nest are processed together with the blocks of the outermost loop, down the
// dominator tree. An instruction whose operands are defined outside the loop, and which may be speculated, moves
// to the end of the preheader of the outermost loop that allows it, or of the next loop inward. A load moves if it
// reads the same value everywhere, or if it is always executed and nothing in the loop writes memory.
//
// The move must also be profitable. Either the values seen on the way from the header stay below LLVM's number of
// registers of the class, or the instruction is a load that reads the same value everywhere and that no PHI of the
// loop needs a copy of. Constants and other moves stay unless moving them frees a register. A value that is
// already computed before the loop is not computed again.
//
// A loop without a preheader gets one if it is entered from a single block.
//
// Where we differ: the question whether a block of an inner loop is always executed is answered for that loop too,
// whereas LLVM reuses the answer for the first loop that it asked about. In a loop without an exit, only the
// header counts as always executed. Edges are split only where something is hoisted to. When two instructions are
// merged, their flags are merged. LLVM's heuristic against hoisting to hotter blocks, which needs a profile, is
// omitted. The pass is off unless -enable-mlicm is given: invariants have already been hoisted in LLVM IR, and
// ptxas hoists the rest where it has the registers.

#ifndef PTXMIR_PASSES_MOTION_MACHINE_LICM_H_
#define PTXMIR_PASSES_MOTION_MACHINE_LICM_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunEarlyMachineLicm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_MACHINE_LICM_H_
