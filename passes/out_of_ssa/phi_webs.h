// SPDX-License-Identifier: Apache-2.0

// phi-node-elimination with -usedessa=2: out of SSA form by way of conventional SSA form, in which all operands and the
// result of a PHI can have one register.
//
// After Boissinot, Darte, Rastello, Dupont de Dinechin and Guillon, "Revisiting Out-of-SSA Translation for Correctness,
// Code Quality, and Efficiency" (CGO 2009). In thought, a PHI d = PHI(..., s from P, ...) of block B is isolated first:
//
//     at the end of P:  a <- s     one parallel copy for all PHIs; before the terminators
//     in B:             d' = PHI(..., a from P, ...)
//     at the top of B:  d <- d'    one parallel copy again
//
// The register of d' and all a is a node of its own (CongruenceClasses), live from the copies to the ends of the
// predecessors and at the top of B. It never interferes with itself; so this is right whatever terminators read,
// whatever else is live out of P, and for PHIs that swap. Then copies are coalesced away, those that run most often
// first: the class of the PHI is joined with that of d or s, unless they interfere. What is left becomes COPYs.
// Classes become one register each; nothing is ever inserted and taken out again.
//
// Two nodes interfere where both are live with different values, a value being what was copied first (COPY of a
// register of the same class). Live ranges are those of LiveIntervals, but for two things. An operand of a PHI is read
// by the copy, not at the end of P: it ends there, unless it is live into a successor of P or read by a terminator. And
// the results of all PHIs are defined at once at the top of their block, when all webs have been read there.
//
// Before that, of two PHIs of a block that agree wherever both are defined, and of which one is defined wherever the
// other is, one goes. (LLVM's coalescer finds such pairs as PHI values that it may merge.)
//
// A constant that only PHIs read is not joined in places of high pressure (recomputed_constants.h): what would be a
// copy is left as one, which register-coalescer makes a second `mov` of.
//
// -cssa-coalesce=0 leaves all copies in place, 1 (the default) coalesces as said, 2 joins COPYs, too, and 3 also
// those constants. -cssa-verbosity=1 tells how many copies were saved, 2 also the webs, 3 each decision.
//
// Where we differ: segments instead of dominance order (congruence_classes.h), and nothing is split or shared that
// needs a copy more.
//
// Cost: O(n log n) in the operands of PHIs and the segments of the registers in them.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_

#include "passes/pass.h"

namespace ptxmir {

// Replaces all PHIs. Does not set properties. Returns whether there were any.
bool LowerPhiWebs(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_
