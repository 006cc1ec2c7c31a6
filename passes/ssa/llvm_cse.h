// SPDX-License-Identifier: Apache-2.0

// machine-cse as LLVM does it (-rp-aware-mcse=false): its MachineCSE, decision for decision, so that with it comes out
// what llc makes of the same code.
//
// First its "simple PRE": what two blocks compute of which neither dominates the other, but one is reached from the
// other, is computed in their nearest common dominator too, where that is executed no more often than both together.
// Then a walk over the dominator tree: an instruction goes if a block on the way from the root computed the same,
// unless that might raise the pressure by LLVM's guesses, which hold where the earlier result is not used by all that
// the later one is used by: cheap instructions are read only from the same block or one right before it; what reads no
// register and is only copied stays; so does what PHIs read, but where it is read in the block anyway. Operands that
// are copies are looked through where nothing is found without.
//
// What LLVM says has unmodelled side effects stays, ld.global.nc among it.

#ifndef PTXMIR_PASSES_SSA_LLVM_CSE_H_
#define PTXMIR_PASSES_SSA_LLVM_CSE_H_

#include "passes/pass.h"

namespace ptxmir {

// Whether anything has changed; the function is in SSA form.
bool EliminateCommonSubexpressionsAsLlvm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_LLVM_CSE_H_
