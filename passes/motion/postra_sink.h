// SPDX-License-Identifier: Apache-2.0

// postra-machine-sink moves copies and computations to the only successor that reads their results.
//
// PHI elimination and allocation leave copies at the ends of blocks that only one of the paths from there needs. From
// the end of a block with several successors up, a copy, or an instruction that does nothing but compute, moves to the
// beginning of a successor if
//
// - that successor has no other predecessor, and no other successor has the results live-in;
// - nothing behind it in its block reads or writes its results, or writes what it reads;
// - it does not take more registers into the successor than it takes away: an operand counts if it is not live there
//   anyway. -nvptx-enable-machine-sink drops this condition, as LLVM does.
//
// This is LLVM's PostRAMachineSinking, which moves copies only. The code is out of SSA form, so a result may have
// several definitions. Linear in instructions, apart from look-ups of live registers.

#ifndef PTXMIR_PASSES_MOTION_POSTRA_SINK_H_
#define PTXMIR_PASSES_MOTION_POSTRA_SINK_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPostRaMachineSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_POSTRA_SINK_H_
