// SPDX-License-Identifier: Apache-2.0

// branch-folder: takes out what control flow does not need. Blocks without code, jumps to jumps, jumps to what comes
// next, branches whose ways all lead to one place and blocks that nobody reaches go; a block that only falls into one
// that nobody else reaches is joined with it; a block that is only jumped to moves to where it is fallen into.
//
// What both targets of a branch begin with goes ahead of it (hoist_common_code.h).
//
// After LLVM's BranchFolding with what llc lets it do for PTX, which is to keep control flow structured: what blocks
// have in common at their ends stays apart.
//
// Ends: each step takes out a block, a branch or an instruction, or makes one more block be fallen into, and none
// undoes such a thing.
//
// Where we differ from LLVM: a block without code and without successors (what follows an endless loop or a trap) does
// not lead to the next block.

#ifndef PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_
#define PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunBranchFolder(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_
