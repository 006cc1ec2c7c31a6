// SPDX-License-Identifier: Apache-2.0

// Edits of IR functions beyond single instructions: splitting, moving, cloning and erasing.
//
// All keep the PHIs of the blocks that they touch right. Edges are operands of terminators; two edges of one terminator
// to one block are two entries of its PHIs.

#ifndef PTXMIR_IR_CODE_EDITING_H_
#define PTXMIR_IR_CODE_EDITING_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/code/program.h"

namespace ptxmir::ir {

// Adds a block behind another one.
BasicBlock& InsertBlockAfter(BasicBlock& block);

// Moves `first` and what follows it to a new block behind this one, and ends this one with a branch to it. `first` must
// not be a PHI with others in front of it.
BasicBlock& SplitBlockBefore(Instruction& first);
// Puts a new block on an edge. PHIs of the successor get its entry from there; if several edges of the terminator lead
// to the successor, only one entry is taken over.
BasicBlock& SplitEdge(Instruction& terminator, unsigned successor);

// Moves an instruction with the debug records in front of it. It must be dominated by its operands there.
void MoveBefore(Instruction& instruction, Instruction& before);
void MoveToEnd(Instruction& instruction, BasicBlock& block);

// Makes a PHI with other entries in place of one. `values` and `blocks` are as long as each other.
Instruction& ReplacePhi(Instruction& phi, absl::Span<Value* const> values, absl::Span<BasicBlock* const> blocks);
// Removes one entry of `predecessor` from each PHI of a block.
void RemovePhiEntry(BasicBlock& block, const BasicBlock& predecessor);
// Adds to each PHI of a block an entry of `added` with the value that the entry of `known` has.
void AddPhiEntry(BasicBlock& block, const BasicBlock& known, BasicBlock& added);

// Values of the original and the copy. Values that are not in the map are the same in both.
using CloneMap = absl::flat_hash_map<const Value*, Value*>;

// Copies blocks of a function to its end, with their instructions, debug records, attachments and names. Operands that
// are in the map, or become so because they are copied, are those of the map. PHIs outside of the blocks do not get
// entries for the copies (AddPhiEntry).
std::vector<BasicBlock*> CloneBlocks(Function& function, absl::Span<BasicBlock* const> blocks, CloneMap* map);
// Makes a function with the body, signature and attributes of another one of the program. It has internal linkage and
// is in no comdat. `name` must be free.
Function& CloneFunction(const Function& original, std::string_view name, CloneMap* map);

// Erases the blocks that the entry does not reach, with their entries in PHIs. What they define becomes poison where
// debug records mention it. Returns the number of blocks.
size_t EraseUnreachableBlocks(Function& function);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_CODE_EDITING_H_
