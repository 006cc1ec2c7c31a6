// SPDX-License-Identifier: Apache-2.0

// machine-sink as LLVM does it (-nvptx-enable-machine-sink): its MachineSinking, decision for decision, so that with it
// comes out what llc makes of the same code.
//
// From the first block to the last, and over again until nothing changes: in each block with several ways out, from the
// bottom upwards, an instruction goes to the top of one of the blocks that the block leads to or immediately dominates:
// the least frequent one that dominates all of its uses. That has to be worth it: there is a way past the new place, or
// it is in fewer loops, or nothing but PHIs uses the results there, or, within a loop, nothing that the instruction
// reads raises the pressure there. Copies of what nobody else reads are joined on the way. What is invariant moves like
// a computation; other loads move past nothing that may write what they read.
//
// Where we differ: critical edges are not split. llc splits only those to the headers of loops, as PTX has to stay
// structured. Debug instructions that read what has moved know nothing from then on, and do not follow.

#ifndef PTXMIR_PASSES_MOTION_LLVM_SINKING_H_
#define PTXMIR_PASSES_MOTION_LLVM_SINKING_H_

#include <cstdint>

#include "passes/pass.h"

namespace ptxmir {

// How many instructions have moved or gone; the function is in SSA form.
uint64_t SinkAsLlvm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_LLVM_SINKING_H_
