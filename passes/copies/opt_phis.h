// SPDX-License-Identifier: Apache-2.0

// opt-phis erases PHIs that are not needed: those that can only have one value, those that nothing reads, and then
// those that have the value of another one (congruent_phis.h).
//
// - A set of PHIs that read only each other and one other value has that value everywhere. The pass finds these sets as
//   strong components of the graph of PHIs, operands first, so that a component sees what its operands became (Braun,
//   Buchwald, Hack, Leissa, Mallon and Zwinkau, "Simple and Efficient Construction of Static Single Assignment Form",
//   CC 2013, algorithm 5). In a component that reads several other values, the PHIs that read none of them are searched
//   again, to a depth of kMaxDepth. Copies between PHIs are looked through.
// - A PHI that no other instruction reads, directly or through PHIs, is dead.
//
// Both are near-linear in the operands of PHIs. LLVM's OptimizePHIs walks from each PHI over all PHIs that it reads,
// and gives up on cycles of more than 16; here they may have any size. An undefined operand may have any value, but the
// other value need not be available at the PHI; such PHIs stay.

#ifndef PTXMIR_PASSES_COPIES_OPT_PHIS_H_
#define PTXMIR_PASSES_COPIES_OPT_PHIS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunOptPhis(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_OPT_PHIS_H_
