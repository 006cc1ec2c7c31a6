// SPDX-License-Identifier: Apache-2.0

// split-wide-registers splits 64-bit and 128-bit registers into 32-bit parts where the register budget is
// exceeded.
//
// ptxas gives a 64-bit value two adjacent registers, the first of them even, and a 128-bit value four. This pass
// handles values that are live through a point over a hard budget without being named there. Such a value is taken
// apart after each definition and reassembled before each instruction that reads it, so that its parts can be
// spilled, rematerialized or kept individually. A part whose value is known costs less than a register: the upper
// half of a value that was zero-extended from 32 bits is the constant 0, and the parts of a value that was
// assembled from 32-bit registers are those registers.
//
// The pass runs after phi-node-elimination and before register-coalescer, which joins the parts with the registers
// that they are copies of. Its time is proportional to the number of operands of the registers that it takes
// apart. It is off by default (-ra-split-wide): ptxas allocates 32-bit registers anyway, and
// docs/tried-and-lost.md has the results.

#ifndef PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_
#define PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunWideRegisterSplitting(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_WIDE_REGISTER_SPLITTING_H_
