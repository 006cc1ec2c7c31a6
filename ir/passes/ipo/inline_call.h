// SPDX-License-Identifier: Apache-2.0

// Puts the body of a function in the place of a call of it.

#ifndef PTXMIR_IR_PASSES_IPO_INLINE_CALL_H_
#define PTXMIR_IR_PASSES_IPO_INLINE_CALL_H_

#include "ir/code/function.h"

namespace ptxmir::ir {

// The callee must have a fixed number of parameters, and stack objects only in its entry block and of fixed size. It is
// not the caller. The call is erased. May declare llvm.memcpy, so only passes over the program may use this.
void InlineCall(Instruction& call, const Function& callee);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_IPO_INLINE_CALL_H_
