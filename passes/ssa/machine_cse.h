// SPDX-License-Identifier: Apache-2.0

// machine-cse: one computation where the same one was done before on every way there.
//
// A walk over the dominator tree with a table of the expressions computed in the blocks on the way from the root, after
// LLVM's MachineCSE (value numbering by dominance, Briggs, Cooper and Simpson, "Value Numbering", Software: Practice
// and Experience 1997) with what NVIDIA added to it (reference: "RP-Aware MachineCSE"): a computation is kept where
// reading the earlier result instead would raise the register pressure over the target, since that result would have
// to live longer (-rp-aware-mcse; predicates apart, -pred-aware-mcse). machine-rpa says what the pressure would be, and
// follows the edits (-incremental-update-mcse; off: it is computed anew after each; -verify-update-mcse checks).
// Operands that are COPYs are looked through (-copy-prop-mcse).
//
// Equal are instructions of one opcode with equal operands, for commutative ones in either order, that depend on
// nothing else: no collectives, nothing ordered, and loads only from memory that nobody writes. The one that stays
// keeps only those promises (nsw, contract ...) that both made.
//
// What two blocks compute of which neither dominates the other is computed in their nearest common dominator instead,
// where that is executed no more often than both together (LLVM's "simple PRE").
//
// Where we differ: the target is never above the registers that every thread may have for nothing. LLVM's guesses about
// pressure (cheap instructions, uses in PHIs) are left out, since it is known; moves of immediates stay, which ptxas
// puts into the instructions that read them. Off unless -enable-mcse is given: ptxas joins equal computations itself,
// where it has the registers. Without -rp-aware-mcse it is LLVM's pass: see llvm_cse.h.

#ifndef PTXMIR_PASSES_SSA_MACHINE_CSE_H_
#define PTXMIR_PASSES_SSA_MACHINE_CSE_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMachineCse(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_MACHINE_CSE_H_
