// SPDX-License-Identifier: Apache-2.0

// removeredundantdebugvalues erases debug values that say nothing new, as LLVM's RemoveRedundantDebugValues does.
//
// - Backward: of the debug values of one variable (or fragment of it) that stand in a row, only the last one counts.
// - Forward: a debug value that puts a variable where it already is, with the same expression, is erased, if nothing in
//   between wrote the register.
//
// Both look at one block at a time and are linear. As in LLVM, debug values that are constants stay. Where a debug
// value does not say which variable it belongs to (a location that is nested in another one), nothing before it is
// compared with what follows. Unlike LLVM, a value in a register and one at the address in it are told apart. What an
// instruction writes ends the tracking by a look at the register, not by a walk over all variables as in LLVM.

#ifndef PTXMIR_PASSES_COPIES_REDUNDANT_DEBUG_VALUES_H_
#define PTXMIR_PASSES_COPIES_REDUNDANT_DEBUG_VALUES_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunRedundantDebugValueRemoval(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_REDUNDANT_DEBUG_VALUES_H_
