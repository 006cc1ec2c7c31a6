// SPDX-License-Identifier: Apache-2.0

// The policy by which machine-sink saves registers.
//
// An instruction moves to the furthest block from which all of its uses can be reached, if that block does not
// execute more often, and is placed next to its first use. Loads from memory that is not written move like
// computations. Other loads move only into a block that has no other predecessor, and not past an instruction that may
// write the memory that they read. Convergent instructions stay.
//
// Where we differ from LLVM (sink_like_llvm.h): a move has to save registers, taking into account that the operands
// are live for longer, or to cost none and go to a block that executes less often. A move that saves registers may also
// go to a block that is always reached, which LLVM never does. The final target is found at once rather than block by
// block.

#ifndef PTXMIR_PASSES_MOTION_SINK_TO_SAVE_REGISTERS_H_
#define PTXMIR_PASSES_MOTION_SINK_TO_SAVE_REGISTERS_H_

#include <memory>

#include "analysis/pressure/machine_register_pressure.h"
#include "passes/motion/sinking.h"
#include "passes/pass_context.h"

namespace ptxmir {

// Returns the policy. `pressure` follows the edits.
std::unique_ptr<SinkPolicy> MakeSinkPolicyToSaveRegisters(MachineFunction& function, PassContext& context,
                                                          const MachineRegisterPressure& pressure);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINK_TO_SAVE_REGISTERS_H_
