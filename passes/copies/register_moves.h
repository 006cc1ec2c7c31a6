// SPDX-License-Identifier: Apache-2.0

// Moves between registers, as COPY or as an instruction, and their removal in SSA form. For the passes of this folder.

#ifndef PTXMIR_PASSES_COPIES_REGISTER_MOVES_H_
#define PTXMIR_PASSES_COPIES_REGISTER_MOVES_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if the instruction does nothing but move one virtual register to another one of the same class, or to
// itself: a COPY, or an instruction with the property of a move (mov.b32).
bool IsRegisterMove(const MachineInstr& instr);

// Returns true if the instruction does nothing but put a constant into a virtual register: an immediate, or the address
// of a variable.
bool IsMoveOfConstant(const MachineInstr& instr);

// Returns true if the function may contain instructions for which IsRegisterMove or IsMoveOfConstant holds.
bool MayContainMoves(const MachineFunction& function);

// Erases the moves between registers of a function in SSA form. What reads a result reads the source instead. A move
// whose source has no or several definitions stays. Returns the number of moves that are gone. Linear in the operands.
uint64_t RemoveMovesInSsa(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_REGISTER_MOVES_H_
