// SPDX-License-Identifier: Apache-2.0

// Moves the computation of a PHI's next value after the last use of its present value.
//
//     d = PHI s, latch          d = PHI s, latch
//     s = add d, -1             p = setp d, 0
//     p = setp d, 0       =>    s = add d, -1
//     branch p, header          branch p, header
//
// On the left both values are live at the comparison, and the loop needs a second register and a copy in each
// iteration. On the right they share one. LLVM's loop strength reduction rewrites the comparison instead, and its
// scheduler keeps the order on the right (hasVRegCycleUse); instructions that come in the order of the source need
// this.
//
// An instruction moves only within its block, and only if none of its other operands would live longer for it.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_LATE_UPDATES_H_
#define PTXMIR_PASSES_OUT_OF_SSA_LATE_UPDATES_H_

#include <cstddef>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of instructions that were moved.
size_t MoveUpdatesDown(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_LATE_UPDATES_H_
