// SPDX-License-Identifier: Apache-2.0

// postrapseudos: turns target-independent copies into moves of the target.
//
// COPY becomes the register move of its class; a copy of a register to itself, or of an undefined value,
// becomes KILL, as in LLVM, or goes if nothing hangs on it. SUBREG_TO_REG, INSERT_SUBREG and the like do
// not occur: PTX has no sub-registers.

#ifndef PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_
#define PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunPostRaPseudos(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_POST_RA_PSEUDOS_H_
