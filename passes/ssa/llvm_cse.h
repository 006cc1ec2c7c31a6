// SPDX-License-Identifier: Apache-2.0

// machine-cse as LLVM does it (-rp-aware-mcse=false): LLVM's MachineCSE, decision for decision, so that the output
// is what llc produces from the same code.
//
// It starts with LLVM's "simple PRE". It handles an expression that is computed in two blocks of which neither
// dominates the other, but one can be reached from the other. The expression is also computed in their nearest
// common dominator, unless that block executes more often than both together.
//
// A walk over the dominator tree follows. An instruction is erased if a dominating block computes the same
// expression, unless LLVM's heuristics expect that this raises the register pressure. If every user of the later
// result also uses the earlier one, it is always erased. Otherwise:
//
//  - a cheap instruction is replaced only by a result from the same block or from an immediate predecessor;
//  - an instruction that reads no register and whose results are only copied stays;
//  - an instruction stays if PHIs use the earlier result, unless that result is used in the same block anyway.
//
// If no equal expression is found, operands that are copies are looked through and the search is repeated.
//
// An instruction that has unmodeled side effects according to LLVM stays. This includes ld.global.nc.

#ifndef PTXMIR_PASSES_SSA_LLVM_CSE_H_
#define PTXMIR_PASSES_SSA_LLVM_CSE_H_

#include "passes/pass.h"

namespace ptxmir {

// Runs the pass on a function in SSA form. Returns true if it changed anything.
bool EliminateCommonSubexpressionsAsLlvm(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_LLVM_CSE_H_
