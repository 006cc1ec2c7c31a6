// SPDX-License-Identifier: Apache-2.0

// phi-node-elimination with -usedessa=2 leaves SSA form by way of conventional SSA form, in which all operands and
// the result of a PHI can share one register.
//
// It follows Boissinot, Darte, Rastello, Dupont de Dinechin and Guillon, "Revisiting Out-of-SSA Translation for
// Correctness, Code Quality, and Efficiency" (CGO 2009). Conceptually, a PHI d = PHI(..., s from P, ...) of block
// B is first isolated:
//
//     at the end of P:  a <- s     one parallel copy for all PHIs, before the terminators
//     in B:             d' = PHI(..., a from P, ...)
//     at the top of B:  d <- d'    again one parallel copy
//
// The register of d' and all a is a separate node (CongruenceClasses), live from the copies to the ends of the
// predecessors and at the top of B. It never interferes with itself, so this form is correct whatever the
// terminators read, whatever else is live out of P, and for PHIs that swap values. The copies are then coalesced,
// the most frequently executed first: the class of the PHI is joined with that of d or s unless they interfere.
// The remaining copies become COPYs. Each class becomes one register; nothing is inserted only to be removed
// again.
//
// Two nodes interfere if both are live at a point with different values. The value of a node is the one that was
// copied first (by COPYs between registers of the same class). The live ranges are those of LiveIntervals, with
// two exceptions. An operand of a PHI is read by the copy, not at the end of P: its range ends at the copy, unless
// it is live into a successor of P or read by a terminator. And the results of all PHIs are defined at once at the
// top of their block, after all webs have been read there.
//
// Before that, one of two PHIs of a block is erased if they agree wherever both are defined and one of them is
// defined wherever the other is. (LLVM's coalescer finds such pairs as PHI values that it may merge.)
//
// A constant that only PHIs read is not joined where pressure is high (recomputed_constants.h). The copy remains,
// and register-coalescer turns it into a second `mov`.
//
// -cssa-coalesce=0 leaves all copies in place, 1 (the default) coalesces as described, 2 also joins COPYs, and 3
// also joins those constants. -cssa-verbosity=1 prints the number of copies saved, 2 also prints the webs, and 3
// each decision.
//
// Where we differ: segments replace dominance order (congruence_classes.h), and no splitting or sharing is done
// that needs an additional copy.
//
// The cost is O(n log n) in the operands of PHIs and the segments of the registers in them.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_

#include "passes/pass_context.h"

namespace ptxmir {

// Replaces all PHIs. Does not set properties. Returns true if there were any.
bool LowerPhiWebs(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_PHI_WEBS_H_
