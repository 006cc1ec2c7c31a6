// SPDX-License-Identifier: Apache-2.0

// peephole-opt and nvvm-peephole-optimizer replace a few instructions by fewer or cheaper ones that compute the same.
//
// Both are tables of rules (peephole_rule.h) that a worklist applies until none fits, as LLVM's InstCombine does. A
// rule looks at an instruction and at the definitions of its operands, in any block, because in SSA form these hold
// everywhere. Facts about registers and all edits are in PeepholeEditor. The themes:
//
// - peephole-opt: constants are folded, and go into the forms that take one; copies and extensions of extensions go;
//   bits, bytes, products and selections become the instructions that PTX has for them; offsets go into loads and
//   stores (passes/addresses/address_offset_folding.h); branches on known predicates become jumps.
// - nvvm-peephole-optimizer: conversions of addresses to the generic space and back, and the detours of predicates:
//   inverted comparisons, selected constants that are compared again, branches on a negation.
//
// LLVM's peephole-opt rewrites copies of subregisters and folds loads into their uses, neither of which PTX has. What
// cicc's two passes do is known from their documentation only. Where we differ from it: a conversion *to* a state space
// (cvta.to.global) is never dropped for the reason that all uses are in that space. The generic address and the address
// in the space have the same bits on today's GPUs for global memory only, and PTX does not promise that.
//
// A pass visits each instruction once, and again when one of its operands has got a new definition or lost a use. Every
// rewrite leaves fewer instructions or a simpler one, and a limit on the number of rewrites stands behind that.

#ifndef PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_OPT_H_
#define PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_OPT_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPeepholeOpt(MachineFunction& function, PassContext& context);
PassResult RunNvvmPeepholeOptimizer(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PEEPHOLE_PEEPHOLE_OPT_H_
