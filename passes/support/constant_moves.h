// SPDX-License-Identifier: Apache-2.0

// The moves of constants into registers.

#ifndef PTXMIR_PASSES_SUPPORT_CONSTANT_MOVES_H_
#define PTXMIR_PASSES_SUPPORT_CONSTANT_MOVES_H_

#include <optional>

#include "mir/code/instr_desc.h"
#include "mir/code/machine_operand.h"

namespace ptxmir {

// Returns the class of registers of 16, 32 or 64 bits.
RegClassId ClassOfBits(unsigned bits);

// Returns the opcode that moves `constant`, an integer or a floating-point number, into a register of the class.
// Returns nullopt if there is none.
std::optional<Opcode> ConstantMove(const MachineOperand& constant, RegClassId reg_class);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_CONSTANT_MOVES_H_
