// SPDX-License-Identifier: Apache-2.0

// Sinks groups of computations that save registers only together; part of machine-sink.
//
// A block often computes much that is needed on only one path out of it: what follows an early exit. No single
// instruction may move, because its operands would live longer. All of them together keep only their inputs live. So
// the pass looks for the instructions of a block whose results are read only in one block below, in what that block
// dominates, and by each other. Those that share a value form a group, unless that value is live below in any case. A
// group moves if its results take at least as many registers as the values that it keeps live instead, and if the block
// below executes less often. Without a limit of registers, it may take more, up to the most that are busy in the block
// where it stands; with one, that would cost spill bytes.
//
// Loads move along if they read memory that nothing writes, or if nothing between them and the end of their block
// may write what they read and the block below has no other predecessor. What may not move in sink_to_save_registers.h
// does not move here either.
//
// LLVM moves each instruction by itself, whatever the registers (sink_like_llvm.h).
//
// Blocks are visited in the order of the dominator tree, so a group goes on from the block that it reached.
// Near-linear: a function's instructions move eight times each, on average, at most.

#ifndef PTXMIR_PASSES_MOTION_SINK_GROUPS_H_
#define PTXMIR_PASSES_MOTION_SINK_GROUPS_H_

#include "analysis/pressure/machine_register_pressure.h"
#include "passes/motion/sinking.h"
#include "passes/pass_context.h"

namespace ptxmir {

// Moves the groups of a function with `editor`. `pressure` follows the edits.
void SinkGroups(MachineFunction& function, PassContext& context, const MachineRegisterPressure& pressure,
                SinkEditor& editor);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINK_GROUPS_H_
