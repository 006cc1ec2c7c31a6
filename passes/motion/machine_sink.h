// SPDX-License-Identifier: Apache-2.0

// machine-sink moves computations down to where their results are needed. They then hold no registers on the way,
// and paths that do not need them do not compute them.
//
// It follows LLVM's MachineSink: from the bottom of each block upwards, until nothing moves, a policy (sinking.h)
// says for each instruction whether it moves, and where to:
//
//  - sink_to_save_registers.h makes only moves that save registers; before it, sink_groups.h moves what saves registers
//    only together;
//  - sink_like_llvm.h makes LLVM's moves (-nvptx-enable-machine-sink, which -autotune tries).
//
// Neither splits critical edges. -sink-insts-to-avoid-spills is handled by pressure-sink. cicc has the pass off for
// blocks that are always reached.

#ifndef PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
#define PTXMIR_PASSES_MOTION_MACHINE_SINK_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachineSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
