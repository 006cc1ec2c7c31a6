// SPDX-License-Identifier: Apache-2.0

// The policy by which machine-cse asks for the register pressure (-rp-aware-mcse): cicc's "RP-Aware MachineCSE".
//
// A computation is kept if reading the earlier result instead would raise the pressure anywhere, because that result
// would have to live longer. With -mcse-raise-pressure it is kept only if the pressure would rise above a target, as in
// cicc. Predicates are counted separately and may reach their target (-pred-aware-mcse). COPY operands are looked
// through before the search (-copy-prop-mcse).
//
// Two instructions are equal if they have the same opcode and equal operands, in either order for commutative
// ones, and depend on nothing else. This excludes collectives, ordered accesses, and loads from memory that may be
// written.
//
// If two blocks compute the same expression and neither dominates the other, it is computed in their nearest
// common dominator instead, unless that block executes more often than both together (LLVM's "simple PRE"), as soon
// as the walk reaches the second of them. Loads do not move there, because they could fault, except those of kernel
// parameters.
//
// Where we differ from cicc: by default the pressure may not rise at all, because what is shared up to cicc's target
// costs registers at ptxas (docs/tried-and-lost.md). Nor may an earlier result stay live across blocks in place of an
// operand. The target is never above the number of registers that every thread can have without loss of occupancy.
// LLVM's heuristics about pressure (cheap instructions, uses in PHIs) are omitted, because the pressure is known. Moves
// of immediates stay, because ptxas folds them into the instructions that read them.

#ifndef PTXMIR_PASSES_SSA_CSE_WITHIN_PRESSURE_H_
#define PTXMIR_PASSES_SSA_CSE_WITHIN_PRESSURE_H_

#include <memory>

#include "passes/pass_context.h"
#include "passes/ssa/cse_editor.h"
#include "passes/ssa/cse_policy.h"

namespace ptxmir {

// Returns the policy, which asks `editor` for the pressure.
std::unique_ptr<CsePolicy> MakeCsePolicyWithinPressure(MachineFunction& function, PassContext& context,
                                                       CseEditor& editor);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_CSE_WITHIN_PRESSURE_H_
