// SPDX-License-Identifier: Apache-2.0

// postrapseudos lowers target-independent copies to moves of the target.
//
// A COPY becomes the register move of its class. A copy of a register to itself, or of an undefined value, becomes
// a KILL, as in LLVM, or is erased if nothing depends on it. SUBREG_TO_REG, INSERT_SUBREG and the like do not
// occur, because PTX has no sub-registers.

#ifndef PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_
#define PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPostRaPseudos(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_
