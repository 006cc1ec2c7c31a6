// SPDX-License-Identifier: Apache-2.0

// The policy by which machine-cse does what LLVM does (-rp-aware-mcse=false): LLVM's MachineCSE, decision for
// decision, so that the output is what llc produces from the same code.
//
// It starts with LLVM's "simple PRE". It handles an expression that is computed in two blocks of which neither
// dominates the other, but one can be reached from the other. The expression is also computed in their nearest
// common dominator, unless that block executes more often than both together.
//
// The walk over the dominator tree follows. An instruction is erased if a dominating block computes the same
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

#ifndef PTXMIR_PASSES_SSA_CSE_LIKE_LLVM_H_
#define PTXMIR_PASSES_SSA_CSE_LIKE_LLVM_H_

#include <memory>

#include "passes/pass_context.h"
#include "passes/ssa/cse_editor.h"
#include "passes/ssa/cse_policy.h"

namespace ptxmir::like_llvm {

std::unique_ptr<CsePolicy> MakeCsePolicy(MachineFunction& function, PassContext& context, CseEditor& editor);

}  // namespace ptxmir::like_llvm

#endif  // PTXMIR_PASSES_SSA_CSE_LIKE_LLVM_H_
