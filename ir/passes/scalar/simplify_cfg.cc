// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/scalar/simplify_cfg.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/code/program.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir {
namespace {

using namespace ir;  // NOLINT: the whole file is about IR

// Returns the only target that the terminator can jump to, or null if there are several.
BasicBlock* CertainTarget(const Instruction& terminator) {
  if (terminator.num_successors() < 2 && terminator.opcode() != Opcode::kSwitch) return nullptr;
  BasicBlock& first = terminator.successor(0);
  bool is_same = true;
  for (unsigned i = 1; i < terminator.num_successors(); ++i) is_same &= &terminator.successor(i) == &first;
  if (is_same) return &first;
  const std::optional<uint64_t> value = ConstantInteger(terminator.operand(0));
  if (!value.has_value()) return nullptr;
  if (terminator.opcode() == Opcode::kBr) return &terminator.successor(*value != 0 ? 0 : 1);
  for (unsigned i = 1; i < terminator.num_successors(); ++i) {
    if (ConstantInteger(terminator.operand(2 * i)) == value) return &terminator.successor(i);
  }
  return &first;
}

// Makes the terminator a jump if its target is certain.
bool FoldTerminator(BasicBlock& block) {
  Instruction& terminator = *block.terminator();
  BasicBlock* target = CertainTarget(terminator);
  if (target == nullptr) return false;
  std::vector<BasicBlock*> others;
  bool is_kept = false;
  for (unsigned i = 0; i < terminator.num_successors(); ++i) {
    BasicBlock* successor = &terminator.successor(i);
    if (successor == target && !is_kept) {
      is_kept = true;
    } else {
      others.push_back(successor);
    }
  }
  for (BasicBlock* other : others) RemovePhiEntries(*other, block);
  Instruction& jump = InsertBefore(terminator, Opcode::kBr, terminator.type(), {{*target}});
  MoveRecords(terminator, jump, /*at_beginning=*/true);
  if (terminator.num_successors() > 1 && terminator.opcode() == Opcode::kBr) {
    jump.SetAttachments(terminator.attachments());  // !llvm.loop; weights of branches are gone with the branch
  }
  Value* condition = terminator.num_operands() > 1 ? &terminator.operand(0) : nullptr;
  terminator.EraseFromParent();
  if (condition != nullptr && condition->is_instruction()) EraseIfDead(static_cast<Instruction&>(*condition));
  return true;
}

// Keeps of a jump's attachments what is not about a choice.
void DropBranchWeights(Instruction& jump) {
  std::vector<Attachment> kept;
  for (const Attachment& attachment : jump.attachments()) {
    const std::string_view kind = jump.function().program().metadata_kind(attachment.kind);
    if (kind != "prof" && kind != "unpredictable") kept.push_back(attachment);
  }
  if (kept.size() != jump.attachments().size()) jump.SetAttachments(kept);
}

bool FoldPhis(BasicBlock& block) {
  bool changed = false;
  for (Instruction* phi = block.first(); phi != nullptr && phi->opcode() == Opcode::kPhi;) {
    Instruction* next = phi->next();
    Value* value = Simplify(*phi);
    const bool is_from_here =
        value != nullptr && value->is_instruction() && static_cast<Instruction*>(value)->parent() == &block;
    if (value != nullptr && !is_from_here) {
      ReplaceAndErase(*phi, *value);
      changed = true;
    }
    phi = next;
  }
  return changed;
}

// Appends the block to its only predecessor if that jumps nowhere else. The block is left empty.
bool JoinPredecessor(BasicBlock& block) {
  if (&block == &block.function().entry() || !block.has_uses()) return false;
  const std::vector<BasicBlock*> predecessors = PredecessorsOf(block);
  if (predecessors.size() != 1 || predecessors[0] == &block) return false;
  BasicBlock& above = *predecessors[0];
  Instruction& jump = *above.terminator();
  if (jump.num_successors() != 1 || jump.opcode() != Opcode::kBr) return false;
  while (block.first()->opcode() == Opcode::kPhi) {
    Instruction& phi = *block.first();
    Value& value = phi.incoming_value(0);
    if (&value == &phi) return false;
    ReplaceAndErase(phi, value);
  }
  MoveRecords(jump, *block.first(), /*at_beginning=*/true);
  jump.EraseFromParent();
  while (block.first() != nullptr) {
    Instruction& instruction = *block.first();
    block.Remove(instruction);
    above.Append(instruction);
  }
  block.ReplaceAllUsesWith(above);
  return true;
}

// Leads jumps to an empty block on to its target.
bool JumpOver(BasicBlock& block) {
  Instruction& jump = *block.first();
  if (&block == &block.function().entry() || jump.opcode() != Opcode::kBr || jump.num_successors() != 1) return false;
  BasicBlock& target = jump.successor(0);
  if (&target == &block || !jump.attachments().empty() || !block.has_uses()) return false;
  if (target.first()->opcode() == Opcode::kPhi) return false;
  for (const Use& use : block.uses()) {
    if (!use.user().is_terminator()) return false;
  }
  block.ReplaceAllUsesWith(target);
  return true;
}

void RemoveEmptied(Function& function) {
  std::vector<BasicBlock*> kept;
  for (BasicBlock* block : function.blocks()) {
    if (!block->empty()) kept.push_back(block);
  }
  if (kept.size() != function.blocks().size()) function.ReplaceBlocks(std::move(kept));
}

IrPassResult Run(Function& function, IrPassContext& context, bool only_constants) {
  const size_t blocks_before = function.blocks().size();
  unsigned folded = 0;
  bool changed = false;
  for (bool again = true; again;) {
    again = RemoveUnreachableBlocks(function);
    for (BasicBlock* block : function.blocks()) {
      if (block->empty()) continue;
      if (FoldTerminator(*block)) {
        DropBranchWeights(*block->terminator());
        ++folded;
        again = true;
      }
      if (only_constants) continue;
      if (FoldPhis(*block)) again = true;
      if (JumpOver(*block) || JoinPredecessor(*block)) again = true;
    }
    RemoveEmptied(function);
    changed |= again;
  }
  context.AddStatistic("branches folded", folded);
  context.AddStatistic("blocks removed", blocks_before - function.blocks().size());
  return {.changed = changed};
}

}  // namespace

IrPassResult RunSimplifyCfg(Function& function, IrPassContext& context) {
  return Run(function, context, /*only_constants=*/false);
}

IrPassResult RunNvvmReflectPp(Function& function, IrPassContext& context) {
  return Run(function, context, /*only_constants=*/true);
}

}  // namespace ptxmir
