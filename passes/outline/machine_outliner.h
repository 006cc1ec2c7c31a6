// SPDX-License-Identifier: Apache-2.0

// machine-outliner: moves instructions that occur in several places of the module to functions of their own, which are
// called instead. It makes code smaller, and slower.
//
// As in LLVM (Paquette, "Reducing code size using outlining", 2016), the instructions of the module are a string of
// numbers; repeated substrings are candidates; those that save most are taken first, and what overlaps them no longer
// counts. LLVM outlines after registers were assigned, and compares them. PTX has no physical registers, so here
// instructions are the same if they do the same to corresponding registers. What flows in and out becomes parameters
// and results, which PTX's calls make expensive. Therefore each candidate is also tried at all of its lengths.
//
// Differences: the search reaches sequences of at most 128 instructions (kMaxLength); predicates are never passed; and
// sizes are SASS's, of which outliner-benefit-threshold counts bytes, 16 for an instruction.
// -enable-machine-outliner=guaranteed-beneficial counts what is live across a call as saved and restored. Functions
// that a linker may replace (linkonce, weak) and functions with the attribute "nooutline" or optnone keep their code.

#ifndef PTXMIR_PASSES_OUTLINE_MACHINE_OUTLINER_H_
#define PTXMIR_PASSES_OUTLINE_MACHINE_OUTLINER_H_

#include "passes/module_pass.h"

namespace ptxmir {

void RunMachineOutliner(ModulePassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUTLINE_MACHINE_OUTLINER_H_
