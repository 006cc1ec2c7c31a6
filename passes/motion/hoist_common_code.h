// SPDX-License-Identifier: Apache-2.0

// What both targets of a branch begin with goes ahead of it: a part of branch-folder.

#ifndef PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_
#define PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Once over all blocks that end in a conditional branch to two blocks that nobody else leads to. Instructions that are
// the same in both, results too, move in front of the branch, or of what computes its condition if that stands next to
// it. Only computations move that may be executed anywhere; what threads do together stays. The function is out of SSA
// form. Returns how many instructions are gone.
//
// LLVM's BranchFolder::HoistCommonCode. Where we differ: kill and dead flags need not be the same, and are joined.
uint64_t HoistCommonCode(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_HOIST_COMMON_CODE_H_
