// SPDX-License-Identifier: Apache-2.0

// twoaddressinstruction: makes tied operands name one register.
//
// PTX instructions have no tied operands; inline asm does ("+r"(x)): the definition and the use that is
// tied to it are one operand of the asm text. For
//
//     %d = INLINEASM ... tied %s        becomes        %d = COPY %s
//                                                      %d = INLINEASM ... tied %d
//
// Should %d be read by the instruction elsewhere too (possible once SSA form is left), that operand reads
// a copy made before. Several ties of one instruction are treated as a parallel copy.

#ifndef PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_
#define PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunTwoAddress(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_
