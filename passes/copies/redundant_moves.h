// SPDX-License-Identifier: Apache-2.0

// redundant-move-elim erases the moves that instruction selection leaves behind (cicc: "Remove redundant moves").
//
// - What reads the result of a move between registers of one class, a COPY or a mov, reads its source instead.
// - A constant that is moved to a register again within a block is read from the first register.
//
// The code must be in SSA form. A constant stays live within its block only, and ptxas needs no register for it.

#ifndef PTXMIR_PASSES_COPIES_REDUNDANT_MOVES_H_
#define PTXMIR_PASSES_COPIES_REDUNDANT_MOVES_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunRedundantMoveElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_REDUNDANT_MOVES_H_
