// SPDX-License-Identifier: Apache-2.0

// inline: inlines functions that are marked alwaysinline and internal functions that are called once, callees first,
// and erases functions that lose their last use by that. No judgment of costs is involved: every other call stays.
//
// Nothing is inlined that is marked noinline or optnone, takes variable arguments, calls itself directly or through
// others, or has stack objects of variable size. A parameter that is passed by value becomes a copy. Debug locations
// get their inlinedAt. Scopes of noalias are dropped: those of two inlined copies would be the same.

#ifndef PTXMIR_IR_PASSES_IPO_INLINER_H_
#define PTXMIR_IR_PASSES_IPO_INLINER_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

// Inlines what is marked, and with optimization what is called once.
IrPassResult RunInliner(ir::Program& program, IrPassContext& context);
// Inlines only what is marked.
IrPassResult RunAlwaysInliner(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_IPO_INLINER_H_
