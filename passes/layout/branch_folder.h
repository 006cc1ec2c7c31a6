// SPDX-License-Identifier: Apache-2.0

// branch-folder simplifies the control flow graph. It removes empty blocks, jumps to jumps, jumps to the next
// block, branches whose targets all lead to the same place, and unreachable blocks. It merges a block into its
// predecessor if that one falls through into it and is the only one, and it moves a block that is only reached by
// jumps to a place where a predecessor can fall through into it.
//
// Common instructions at the beginning of both targets of a branch are hoisted above the branch
// (hoist_common_code.h).
//
// Common code at the ends of blocks is merged with -enable-tail-merge (tail_merging.h), once, before everything else.
//
// The pass follows LLVM's BranchFolding, by default restricted to what llc allows for PTX, where control flow must stay
// structured: no ends are merged.
//
// The pass terminates: each step removes a block, a branch or an instruction, or makes one more block reachable by
// fallthrough, and no step undoes another.
//
// Where we differ from LLVM: an empty block without successors (after an endless loop or a trap) does not lead to
// the next block.

#ifndef PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_
#define PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunBranchFolder(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_BRANCH_FOLDER_H_
