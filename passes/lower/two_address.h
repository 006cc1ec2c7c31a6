// SPDX-License-Identifier: Apache-2.0

// twoaddressinstruction makes tied operands name the same register.
//
// PTX instructions have no tied operands, but inline assembly has them ("+r"(x)): the definition and the use that
// is tied to it are one operand of the assembly text. For example:
//
//     %d = INLINEASM ... tied %s        becomes        %d = COPY %s
//                                                      %d = INLINEASM ... tied %d
//
// If the instruction also reads %d in another operand, which is possible after SSA form, that operand reads a copy
// made beforehand. Several ties of one instruction are treated as a parallel copy.

#ifndef PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_
#define PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunTwoAddress(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_TWO_ADDRESS_H_
