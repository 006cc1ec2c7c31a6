// SPDX-License-Identifier: Apache-2.0

// Merges PHIs that always have the same value, part of opt-phis.
//
// Two PHIs of a block are equal if they have equal operands from each predecessor. Operands that are PHIs themselves
// are taken to be equal until that is refuted, so that cycles merge: loops often carry the same sum twice, under two
// names, when a variable was split into one for each loop of a nest. This is the congruence of Alpern, Wegman and
// Zadeck, "Detecting Equality of Variables in Programs", POPL 1988, restricted to PHIs. Classes begin with all PHIs of
// a block and a register class, and are split until the operands of all members agree. The largest part of a class
// keeps its number, so that a PHI changes its class at most log n times. Copies are looked through.
//
// LLVM does not merge such PHIs in SSA form. Its register coalescer joins their registers later, because it takes PHIs
// at one place to conflict only if the values from some predecessor do. In SSA form the passes in between gain, too:
// both values would count in the register pressure, and a value that goes into both would need copies. PHIs that are
// equal only if undefined operands have some value are not congruent; passes/out_of_ssa/equal_phis.h merges them.

#ifndef PTXMIR_PASSES_COPIES_CONGRUENT_PHIS_H_
#define PTXMIR_PASSES_COPIES_CONGRUENT_PHIS_H_

#include <cstdint>

#include "passes/copies/numbered_phis.h"

namespace ptxmir {

// Merges congruent PHIs of a function in SSA form, and returns how many are gone. Merges none where the search takes
// too long.
uint64_t MergeCongruentPhis(MachineRegisterInfo& reg_info, NumberedPhis& phis);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_CONGRUENT_PHIS_H_
