// SPDX-License-Identifier: Apache-2.0

// process-imp-defs: takes IMPLICIT_DEFs out of the code, so that an undefined value needs neither register nor copy.
//
// As LLVM's ProcessImplicitDefs: every read of what an IMPLICIT_DEF defines is marked undef, which ends its live range
// and makes PHI elimination leave out the copy; an instruction that only moves values (COPY, PHI, REG_SEQUENCE) and has
// nothing but undefined ones left is an IMPLICIT_DEF itself. Then the IMPLICIT_DEF goes. Where we differ: one whose
// register is defined elsewhere too (out of SSA form) stays, since it ends another value.
//
// Linear in the operands of the registers concerned.

#ifndef PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_
#define PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunProcessImplicitDefs(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_PROCESS_IMPLICIT_DEFS_H_
