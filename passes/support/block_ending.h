// SPDX-License-Identifier: Apache-2.0

// Analyzes and changes the branches at the end of a block, for passes that move and join blocks.
//
// The ending of a block is known if it has one of four forms: no branch, `GOTO`, `CBranch`, or `CBranch` followed
// by `GOTO`. Returns, traps and indirect branches are unknown endings; such a block keeps its last instructions
// and its layout successor. PTX could negate a condition (`@!%p bra`), but no opcode expresses this: as in LLVM,
// branches are never inverted.

#ifndef PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_
#define PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

struct BlockEnding {
  bool is_known = false;
  MachineInstr* branch = nullptr;          // the conditional branch
  MachineInstr* jump = nullptr;            // the unconditional branch
  MachineBasicBlock* taken = nullptr;      // the target of `branch`, or of `jump` if there is no `branch`
  MachineBasicBlock* otherwise = nullptr;  // the target of `jump` after a `branch`

  bool is_conditional() const { return branch != nullptr; }
  bool falls_through() const { return is_known && jump == nullptr; }
};

BlockEnding EndingOf(const MachineBasicBlock& block);

// Returns true if control may come to the block by other means than the branches of its predecessors, so that it must
// stay.
bool HasAddressTaken(const MachineBasicBlock& block);

// Returns the next block in layout if control can reach it from this one, by fallthrough or by a branch; null
// otherwise.
MachineBasicBlock* LayoutSuccessor(const MachineBasicBlock& block);

// Appends a jump to `target` to the block.
void AppendJump(MachineBasicBlock& block, const MachineBasicBlock& target,
                MetadataId debug_loc = MachineInstr::kNoDebugLoc);
// Exchanges the targets of a conditional branch and of the jump after it.
void TurnBranch(const BlockEnding& ending);
// Replaces the branches of a block, all of which lead to `target`, by a jump.
void ReplaceBranchesByJump(MachineBasicBlock& block, const BlockEnding& ending, const MachineBasicBlock& target);

// Changes the ending of a block so that it leads where it did when `old_next` was the next block. Returns true if
// it changed anything.
bool AdjustEnding(MachineBasicBlock& block, const MachineBasicBlock* old_next);

// Returns true if code can be inserted on the edge between two blocks: `from` must end in a conditional branch
// with two targets.
bool CanSplitEdge(const MachineBasicBlock& from, const MachineBasicBlock& to);
// Inserts a new block on that edge, after `from` in layout. The caller must update control-flow analyses.
MachineBasicBlock& SplitEdge(MachineBasicBlock& from, MachineBasicBlock& to);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_BLOCK_ENDING_H_
