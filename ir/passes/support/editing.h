// SPDX-License-Identifier: Apache-2.0

// Editing of IR functions: what passes need besides the editing functions of ir/code.

#ifndef PTXMIR_IR_PASSES_SUPPORT_EDITING_H_
#define PTXMIR_IR_PASSES_SUPPORT_EDITING_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

// Returns true if the use only describes a variable for debuggers.
inline bool IsDebugUse(const Use& use) { return use.user().is_debug_record() || use.is_metadata(); }
// Returns true if code uses the value. Debug records do not count.
bool IsUsedByCode(const Value& value);
bool HasOneUseByCode(const Value& value);

// Makes debug records that mention the value say that the variable has no known value.
void ForgetInDebugRecords(Value& value);
// Moves the debug records in front of `from` to the end of those in front of `to`, or to their beginning if
// `at_beginning`.
void MoveRecords(Instruction& from, Instruction& to, bool at_beginning);
// Erases an instruction that code does not use. The debug records in front of it move to the next instruction.
void Erase(Instruction& instruction);
// Makes all users of the instruction use `value`, and erases it.
void ReplaceAndErase(Instruction& instruction, Value& value);
// Erases the instruction if nothing uses it and it has no effects, then its operands in the same way. Returns the
// number of erased instructions.
unsigned EraseIfDead(Instruction& instruction);
// The same for each instruction of the list that is still in a block. The list may name an instruction twice.
unsigned EraseDeadOf(std::vector<Instruction*>& candidates);

// Inserts a new instruction in front of `before`, with the debug location of that.
Instruction& InsertBefore(Instruction& before, Opcode opcode, const IrType* type,
                          absl::Span<const Function::Operand> operands);
Instruction& AppendBr(BasicBlock& block, BasicBlock& target);
// Makes a GEP over bytes, or returns `pointer` if the offset is 0. `flags` are those of the GEP.
Value& PointerPlus(Instruction& before, Value& pointer, uint64_t offset, uint32_t flags);

// Makes a copy of the instruction that is in no block, in `function`. Operands are those of the original; if `values`
// is not null, they are looked up there, and constants are copied (for an original of another function). Names,
// attachments, records and the debug location are not copied.
using ValueMap = absl::flat_hash_map<const Value*, Value*>;
Instruction* CloneInstruction(Function& function, const Instruction& original, const ValueMap* values);
// Copies what CloneInstruction copies besides operands: flags, alignment, ordering and detail.
void CopyProperties(const Instruction& from, Instruction& to);
// Returns the constant, or inline assembly, or metadata, as a value of another function; poison for an instruction,
// which the caller sets later.
Value& ImportValue(Function& function, const Value& value);

// Removes one entry for an edge from `predecessor` from each PHI of the block. PHIs that are left with one entry stay.
void RemovePhiEntries(BasicBlock& block, const BasicBlock& predecessor);
// Makes a PHI at the beginning of the block, with an entry of the value `initial` for each edge to the block.
Instruction& MakePhi(BasicBlock& block, const IrType* type, Value& initial);

// Moves the instructions from `first` on to the new block, which is placed behind this one. PHIs of the successors
// follow. The first block is left without a terminator.
BasicBlock& SplitBlock(Instruction& first);

// Erases blocks that the entry does not reach, with their entries in PHIs. Returns true if there were any.
bool RemoveUnreachableBlocks(Function& function);

// Returns the values of the predecessors: one for each edge.
std::vector<BasicBlock*> PredecessorsOf(const BasicBlock& block);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_EDITING_H_
