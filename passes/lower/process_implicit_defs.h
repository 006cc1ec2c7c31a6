// SPDX-License-Identifier: Apache-2.0

// processimpdefs removes IMPLICIT_DEFs, so that an undefined value needs neither a register nor a copy.
//
// Like LLVM's ProcessImplicitDefs, it marks every use of the value as undef. This ends the value's live range, and
// PHI elimination omits the copy. An instruction that only moves values (COPY, PHI, REG_SEQUENCE) and has only
// undefined operands left becomes an IMPLICIT_DEF itself. The original IMPLICIT_DEF is erased. Where we differ: an
// IMPLICIT_DEF of a register with other definitions (after SSA form) stays, because it ends another value.
//
// The pass is linear in the operands of the affected registers.

#ifndef PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_
#define PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunProcessImplicitDefs(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_
