// SPDX-License-Identifier: Apache-2.0

// machine-cse erases a computation if the same one was already done on every path to it.
//
// The pass walks the dominator tree with a table of the expressions that dominating blocks compute. It follows
// LLVM's MachineCSE (value numbering by dominance; Briggs, Cooper and Simpson, "Value Numbering", Software:
// Practice and Experience 1997). The remaining instruction keeps only the promises (nsw, contract, ...) that both
// made. A policy (cse_policy.h) decides which instructions take part and which may be replaced:
//
//  - cse_within_pressure.h asks for the register pressure, as cicc does;
//  - cse_like_llvm.h makes LLVM's decisions, which guess the pressure (-rp-aware-mcse=false).
//
// For the first, machine-rpa provides the pressure and follows the edits (-incremental-update-mcse; if off, it is
// recomputed after each edit; -verify-update-mcse checks the updates).
//
// ptxas merges equal computations itself if it has enough registers. The pass runs because fewer instructions are
// executed where ptxas does not, and because rematerialization then sees the registers that are needed.

#ifndef PTXMIR_PASSES_SSA_MACHINE_CSE_H_
#define PTXMIR_PASSES_SSA_MACHINE_CSE_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachineCse(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_MACHINE_CSE_H_
