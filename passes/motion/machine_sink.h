// SPDX-License-Identifier: Apache-2.0

// machine-sink moves computations down to where their results are needed. They then hold no registers on the way,
// and paths that do not need them do not compute them.
//
// It follows LLVM's MachineSink. From the bottom of each block upwards, until nothing moves, an instruction moves
// to the furthest block from which all of its uses can be reached (sinking.h), if that block does not execute more
// often. Loads from memory that is not written move like computations. Other loads move only into a block that has
// no other predecessor, and not past an instruction that may write the memory that they read. Convergent
// instructions stay.
//
// Where we differ from LLVM: a move has to save registers, taking into account that the operands are live for
// longer. A move that does may also go to a block that is always reached, which LLVM never does. (cicc has the
// pass off for such blocks. -nvptx-enable-machine-sink selects LLVM's pass, see sink_like_llvm.h, which -autotune
// tries.) The final target is found at once rather than block by block, and the instruction is placed next to its
// first use. Critical edges are not split. -sink-insts-to-avoid-spills is handled by pressure-sink.

#ifndef PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
#define PTXMIR_PASSES_MOTION_MACHINE_SINK_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMachineSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
