// SPDX-License-Identifier: Apache-2.0

// split-wide-registers: registers of 64 and 128 bits become parts of 32 bits where the register budget is exceeded.
//
// ptxas gives a 64-bit value two neighbouring registers, the first of them even, and a 128-bit value four. Here a value
// that lives through a point over a hard budget without being named there is taken apart behind each definition, and
// put together in front of each instruction that reads it, so that its parts can be spilled, computed again or kept
// each on its own. A part that is known costs less than a register: the upper half of what was extended from 32 bits by
// zeros is the constant 0, and parts of what is put together from 32-bit registers are these.
//
// Runs behind phi-node-elimination and in front of register-coalescer, which joins parts with what they are copies of.
// Takes time in proportion to the operands of the registers that it takes apart. Off (-ra-split-wide): ptxas allocates
// 32-bit registers anyway, and docs/tried-and-lost.md has what it made of the rest.

#ifndef PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_
#define PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunWideRegisterSplitting(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_
