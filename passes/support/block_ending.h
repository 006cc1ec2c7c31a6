// SPDX-License-Identifier: Apache-2.0

// How blocks end, and changing it: what passes that move and join blocks have in common.
//
// A block's ending is known where it is one of four: no branch at all, `GOTO`, `CBranch`, or `CBranch` and `GOTO`.
// Returns, traps and indirect branches are not; such a block keeps its last instructions and what stands behind it. PTX
// could negate a condition (`@!%p bra`), but no opcode says so: as in LLVM, a branch is never turned around.

#ifndef PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_
#define PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

struct BlockEnding {
  bool is_known = false;
  MachineInstr* branch = nullptr;          // the conditional one
  MachineInstr* jump = nullptr;            // the unconditional one
  MachineBasicBlock* taken = nullptr;      // where `branch` leads; without one, where `jump` leads
  MachineBasicBlock* otherwise = nullptr;  // where `jump` leads behind a `branch`

  bool is_conditional() const { return branch != nullptr; }
  bool falls_through() const { return is_known && jump == nullptr; }
};

BlockEnding EndingOf(const MachineBasicBlock& block);

// The next block, if control gets there from this one, by falling through or by a branch.
MachineBasicBlock* LayoutSuccessor(const MachineBasicBlock& block);

// Puts a jump to `target` behind the rest of the block.
void AppendJump(MachineBasicBlock& block, const MachineBasicBlock& target,
                MetadataId debug_loc = MachineInstr::kNoDebugLoc);
// A conditional branch becomes a jump: for one whose ways all lead to the same block.
void ReplaceBranchesByJump(MachineBasicBlock& block, const BlockEnding& ending, const MachineBasicBlock& target);

// Makes the ending of a block lead where it did when `old_next` stood behind it. Whether anything is different now.
bool AdjustEnding(MachineBasicBlock& block, const MachineBasicBlock* old_next);

// Whether code can be put on the edge between two blocks: `from` ends in a conditional branch with two targets.
bool CanSplitEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
// Puts a new block on that edge, behind `from` in layout. Analyses of the control flow are the caller's business.
MachineBasicBlock& SplitEdge(MachineBasicBlock& from, MachineBasicBlock& to);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_
