// SPDX-License-Identifier: Apache-2.0

// Tail merging, a part of branch-folder: blocks that end alike and go to the same place share one copy of their ends.
//
// It follows LLVM's BranchFolder::TailMergeBlocks. The candidates are the predecessors of a block that go nowhere else,
// and the blocks that end in a return. Of those whose last instructions are equal, the blocks with the longest common
// end are merged first. One of them is split before it, or is it, and the others jump there.
//
// Where we differ:
// - What is convergent is not merged, nor are calls: threads that took different ways would execute it together.
// - All blocks must be in the same innermost cycle. The merged end then has the cycle's header above it, as each of
// them
//   had, so that a reducible graph stays reducible. A latch and a preheader are not merged.
// - An end is merged only if it has -tail-merge-size instructions, or is a whole block. LLVM merges shorter ends where
//   that saves a jump.
// - Threads of a warp that took different ways execute a merged end together, which LLVM's cost model does not know.

#ifndef PTXMIR_PASSES_LAYOUT_TAIL_MERGING_H_
#define PTXMIR_PASSES_LAYOUT_TAIL_MERGING_H_

#include <cstdint>

#include "passes/pass_context.h"

namespace ptxmir {

// Merges the ends of blocks, after SSA form. Returns the number of instructions removed.
uint64_t MergeTails(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_TAIL_MERGING_H_
