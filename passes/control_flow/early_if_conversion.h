// SPDX-License-Identifier: Apache-2.0

// early-ifcvt turns branches over short code into selects. The code of both sides is executed always, and `selp` picks
// the values of the side to which the branch would have led.
//
// On a GPU, a branch costs issue slots, a wait until its condition is known, and, if the threads of a warp disagree,
// both sides anyway and a place to meet. Larger blocks also give ptxas and the schedulers more to choose from, and the
// pipeliner takes only loops of one block.
//
// The pass follows LLVM's EarlyIfConversion: inner regions first, so that a region whose side was one becomes small
// enough. if_region.h has the shapes and the edits, speculation.h says what may be executed too often, and
// if_conversion_profit.h what is worth it, by machine-trace-metrics, uniformity and machine-rpa.
//
// Where we differ from LLVM:
// - What a branch costs is a GPU's; see if_conversion_profit.h.
// - Predicates are selected by and, not and or, because `selp` has no predicates.
// - A value that is undefined on one way needs no select.
// - Regions are judged with the analyses of the whole function, then converted. That is repeated while regions appear
//   that were nested, up to kMaxRounds times, instead of repairing the analyses after each.
// - There are no predicated moves. Of LLVM's NVPTX opcodes only the branch (CBranch) has a guard, so machine code
//   cannot express `@%p mov`. In SSA form the move would need the old value as an operand, which makes it a select.
//   ptxas chooses between selects and guards itself.
//
// Nothing convergent moves: the sides contain only computations and loads that are safe to repeat. What follows the
// region gains no control dependence.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_EARLY_IF_CONVERSION_H_
#define PTXMIR_PASSES_CONTROL_FLOW_EARLY_IF_CONVERSION_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunEarlyIfConversion(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_EARLY_IF_CONVERSION_H_
