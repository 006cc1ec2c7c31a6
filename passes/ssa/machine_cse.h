// SPDX-License-Identifier: Apache-2.0

// machine-cse erases a computation if the same one was already done on every path to it.
//
// The pass walks the dominator tree with a table of the expressions that dominating blocks compute. It follows
// LLVM's MachineCSE (value numbering by dominance; Briggs, Cooper and Simpson, "Value Numbering", Software:
// Practice and Experience 1997) with cicc's addition, "RP-Aware MachineCSE": a computation is kept if reading the
// earlier result instead would raise the register pressure above the target, because that result would have to
// live longer (-rp-aware-mcse; -pred-aware-mcse does the same for predicates, which are counted separately).
// machine-rpa provides the pressure and follows the edits (-incremental-update-mcse; if off, it is recomputed
// after each edit; -verify-update-mcse checks the updates). COPY operands are looked through (-copy-prop-mcse).
//
// Two instructions are equal if they have the same opcode and equal operands, in either order for commutative
// ones, and depend on nothing else. This excludes collectives, ordered accesses, and loads from memory that may be
// written. The remaining instruction keeps only the promises (nsw, contract, ...) that both made.
//
// If two blocks compute the same expression and neither dominates the other, it is computed in their nearest
// common dominator instead, unless that block executes more often than both together (LLVM's "simple PRE").
//
// Where we differ: the target is never above the number of registers that every thread can have without loss of
// occupancy. LLVM's heuristics about pressure (cheap instructions, uses in PHIs) are omitted, because the pressure
// is known. Moves of immediates stay, because ptxas folds them into the instructions that read them. The pass is
// off unless -enable-mcse is given: ptxas merges equal computations itself if it has enough registers. Without
// -rp-aware-mcse it is LLVM's pass; see llvm_cse.h.

#ifndef PTXMIR_PASSES_SSA_MACHINE_CSE_H_
#define PTXMIR_PASSES_SSA_MACHINE_CSE_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunMachineCse(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_MACHINE_CSE_H_
