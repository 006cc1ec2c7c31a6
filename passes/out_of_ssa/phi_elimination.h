// SPDX-License-Identifier: Apache-2.0

// phi-node-elimination: leaves SSA form by replacing PHIs with copies.
//
// A PHI means that on each incoming edge all PHIs of the block take their values at once. The copies that
// stand for it must keep that (the swap problem), and must not change a value that is still read on
// another way out of the predecessor (the lost-copy problem). See Sreedhar et al., "Translating Out of
// Static Single Assignment Form" (SAS 1999), and Boissinot et al., "Revisiting Out-of-SSA Translation"
// (CGO 2009).
//
// For a PHI d = PHI(..., s from P, ...) of block B there are two forms:
//
//   direct   in each P: d <- s, as part of one parallel copy a predecessor. Right if d is not live out of
//            P along any edge but P -> B, nor read by a terminator of P.
//   staged   in each P: d' <- s, and at the top of B: d <- d', with a new register d'. Always right: d' is
//            live only from the copies to the top of B (Sreedhar's method I).
//
// -usedessa=0 stages every PHI. -usedessa=1 uses the direct form wherever a look at the uses of d proves it, with no
// liveness analysis: when every predecessor has B as its only successor, or when d is read in B alone, by its ordinary
// instructions or by its PHIs on an edge from B to itself (then d is dead on every other edge out of a predecessor).
// LLVM stages every PHI and leaves the rest to the coalescer. -usedessa=2, the default, coalesces while it lowers
// (phi_webs.h); at -O0 it is 1, which costs no analysis. Linear in the PHI operands but for 2.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_
#define PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunPhiElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_
