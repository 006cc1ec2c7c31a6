// SPDX-License-Identifier: Apache-2.0

// Sinks loop-invariant computations from before a loop into it, where the loop has more values than registers
// (-sink-insts-to-avoid-spills). machine-sink and machinelicm do it if the knob is on.
//
// A loop whose peak exceeds the budget gets back, from the end of its preheader up, what is read only in the loop: pure
// computations with one result that has no other definition, and whose operands keep fewer registers busy in the loop
// than the result does. It is placed in the block that dominates all readers, before the first of them, or before the
// loop inside this one that has them. Inner loops come before the loops around them. Nothing more sinks once the loop
// is within the budget.
//
// This is what LLVM's MachineSink does under the same knob (SinkIntoCycle). LLVM decides by its estimate of the
// pressure per class and sinks loads, too, which would be executed once per iteration.

#ifndef PTXMIR_PASSES_MOTION_SINK_INTO_LOOPS_H_
#define PTXMIR_PASSES_MOTION_SINK_INTO_LOOPS_H_

#include <cstdint>

#include "analysis/pressure/machine_register_pressure.h"
#include "passes/pass_context.h"

namespace ptxmir {

// Returns the number of computations that it has sunk. `pressure` follows the edits.
uint64_t SinkIntoLoops(MachineFunction& function, PassContext& context, MachineRegisterPressure& pressure);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINK_INTO_LOOPS_H_
