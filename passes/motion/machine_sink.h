// SPDX-License-Identifier: Apache-2.0

// machine-sink: moves computations down to where their results are needed, so that they do not hold registers on the
// way, and ways on which nobody needs them do not compute them.
//
// After LLVM's MachineSink: from the bottom of each block upwards, until nothing moves, an instruction goes to the
// furthest block in which all of its uses can be reached (sinking.h), if that is not executed more often. Loads of
// memory that nobody writes move like computations; others only into a block that has no other predecessor, past
// nothing that may write what they read. Collective instructions stay.
//
// Where we differ from LLVM: what moves has to save registers, which its operands, live for longer then, must not take;
// then it goes to a block that is always reached, too, which LLVM leaves alone (cicc has the pass off for them;
// -nvptx-enable-machine-sink is LLVM's pass, see llvm_sinking.h, which -autotune tries). The target is found at once
// and not a block at a time, and the instruction stands next to its first use. Critical edges are not split.
// -sink-insts-to-avoid-spills is pressure-sink's business.

#ifndef PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
#define PTXMIR_PASSES_MOTION_MACHINE_SINK_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMachineSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_MACHINE_SINK_H_
