// SPDX-License-Identifier: Apache-2.0

// phi-node-elimination leaves SSA form by replacing PHIs with copies.
//
// On each incoming edge, all PHIs of a block take their values at once. The copies that replace them must preserve
// this (the swap problem), and they must not change a value that is still read on another edge out of the
// predecessor (the lost-copy problem). See Sreedhar et al., "Translating Out of Static Single Assignment Form"
// (SAS 1999), and Boissinot et al., "Revisiting Out-of-SSA Translation" (CGO 2009).
//
// There are two forms for a PHI d = PHI(..., s from P, ...) of block B:
//
//   direct   in each P: d <- s, as part of one parallel copy per predecessor. This is correct if d is not live out of
//            P along any edge other than P -> B and is not read by a terminator of P.
//   staged   in each P: d' <- s, and at the top of B: d <- d', with a new register d'. This is always correct: d' is
//            live only from the copies to the top of B (Sreedhar's method I).
//
// -usedessa=0 stages every PHI. -usedessa=1 uses the direct form wherever the uses of d alone prove it correct,
// without liveness analysis: either every predecessor has B as its only successor, or d is read only in B, by
// ordinary instructions or by PHIs on an edge from B to itself (then d is dead on every other edge out of a
// predecessor). LLVM stages every PHI and leaves the rest to the coalescer. -usedessa=2, the default, coalesces
// during lowering (phi_webs.h). At -O0 the default is 1, which needs no analysis. 0 and 1 are linear in the PHI
// operands.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_
#define PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPhiElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_PHI_ELIMINATION_H_
