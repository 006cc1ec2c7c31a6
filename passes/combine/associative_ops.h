// SPDX-License-Identifier: Apache-2.0

// Tells instructions that compute an associative and commutative operation of two registers.

#ifndef PTXMIR_PASSES_COMBINE_ASSOCIATIVE_OPS_H_
#define PTXMIR_PASSES_COMBINE_ASSOCIATIVE_OPS_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if (a op b) op c equals a op (b op c), where all are the instruction's operation: integer sums,
// products, minima and maxima, logical operations, and sums and products of floating-point numbers whose flags (reassoc
// and nsz) allow it. Both sources are virtual registers. Operands after them say how it is computed.
bool IsReassociable(const MachineInstr& instr);

// The flags that the results of a regrouping may keep of those that both instructions have. Overflow in one order says
// nothing about overflow in another.
uint32_t FlagsAfterReassociation(const MachineInstr& a, const MachineInstr& b);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COMBINE_ASSOCIATIVE_OPS_H_
