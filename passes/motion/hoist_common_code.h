// SPDX-License-Identifier: Apache-2.0

// Hoists instructions with which both targets of a branch begin above the branch. A part of branch-folder.

#ifndef PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_
#define PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Makes one pass over all blocks that end in a conditional branch to two blocks with no other predecessors.
// Instructions that are identical in both targets, including their results, move before the branch, or before the
// computation of its condition if that immediately precedes it. Only computations that may be executed anywhere
// move; convergent operations stay. The function must be out of SSA form. Returns the number of instructions
// removed.
//
// This is LLVM's BranchFolder::HoistCommonCode. Where we differ: kill and dead flags need not match, and are
// merged.
uint64_t HoistCommonCode(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_
