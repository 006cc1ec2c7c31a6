// SPDX-License-Identifier: Apache-2.0

#include "passes/support/block_ending.h"

#include "ptx/isa/isa_opcodes.h"

namespace ptxmir {

BlockEnding EndingOf(const MachineBasicBlock& block) {
  BlockEnding ending;
  const MachineFunction& function = block.function();
  MachineInstr* const first = block.FirstTerminator();
  for (MachineInstr* instr = first; instr != nullptr; instr = instr->next()) {
    if (instr->is_debug()) continue;
    if (instr->opcode() == ptx::op::GOTO && ending.jump == nullptr) {
      ending.jump = instr;
    } else if (instr->opcode() == ptx::op::CBranch && ending.branch == nullptr && ending.jump == nullptr) {
      ending.branch = instr;
    } else {
      return {};
    }
  }
  ending.is_known = true;
  MachineBasicBlock* const target = ending.jump == nullptr ? nullptr : function.block(ending.jump->operand(0).block());
  if (ending.branch == nullptr) {
    ending.taken = target;
  } else {
    ending.taken = function.block(ending.branch->operand(1).block());
    ending.otherwise = target;
  }
  return ending;
}

bool HasAddressTaken(const MachineBasicBlock& block) {
  return block.is_machine_block_address_taken || !block.ir_block_address_taken.empty() || block.is_landing_pad ||
         block.is_inlineasm_br_indirect_target;
}

MachineBasicBlock* LayoutSuccessor(const MachineBasicBlock& block) {
  MachineBasicBlock* const next = block.next();
  if (next == nullptr || !block.IsSuccessor(next)) return nullptr;
  const BlockEnding ending = EndingOf(block);
  if (!ending.is_known) return block.CanFallThrough() ? next : nullptr;
  return ending.falls_through() || ending.taken == next || ending.otherwise == next ? next : nullptr;
}

void AppendJump(MachineBasicBlock& block, const MachineBasicBlock& target, MetadataId debug_loc) {
  BuildMI(block, nullptr, ptx::op::GOTO, debug_loc).AddBlock(target).Insert();
}

void TurnBranch(const BlockEnding& ending) {
  ending.branch->operand(1).set_block(ending.otherwise->number());
  ending.jump->operand(0).set_block(ending.taken->number());
}

void ReplaceBranchesByJump(MachineBasicBlock& block, const BlockEnding& ending, const MachineBasicBlock& target) {
  const MetadataId debug_loc = ending.branch->debug_loc();
  ending.branch->EraseFromParent();
  if (ending.jump != nullptr) ending.jump->EraseFromParent();
  if (!block.IsLayoutSuccessor(&target)) AppendJump(block, target, debug_loc);
}

bool AdjustEnding(MachineBasicBlock& block, const MachineBasicBlock* old_next) {
  const BlockEnding ending = EndingOf(block);
  if (block.successors().empty() || !ending.is_known) return false;
  if (ending.jump != nullptr) {
    const MachineBasicBlock* const target = ending.is_conditional() ? ending.otherwise : ending.taken;
    if (!block.IsLayoutSuccessor(target)) return false;
    ending.jump->EraseFromParent();
    return true;
  }
  if (old_next == nullptr || !block.IsSuccessor(old_next)) return false;
  if (ending.is_conditional() && ending.taken == old_next) {
    ReplaceBranchesByJump(block, ending, *old_next);
    return true;
  }
  if (block.IsLayoutSuccessor(old_next)) return false;
  AppendJump(block, *old_next, ending.is_conditional() ? ending.branch->debug_loc() : MachineInstr::kNoDebugLoc);
  return true;
}

bool CanSplitEdge(const MachineBasicBlock& from, const MachineBasicBlock& to) {
  const BlockEnding ending = EndingOf(from);
  return ending.is_conditional() && from.successors().size() == 2 && from.successors()[0] != from.successors()[1] &&
         from.IsSuccessor(&to) && !to.is_landing_pad && !to.is_inlineasm_br_indirect_target;
}

MachineBasicBlock& SplitEdge(MachineBasicBlock& from, MachineBasicBlock& to) {
  MachineFunction& function = from.function();
  const MachineBasicBlock* const old_next = from.next();
  MachineBasicBlock* const middle = function.CreateBlock();
  function.InsertBlock(from.next(), middle);
  from.RetargetSuccessor(&to, middle);
  middle->AddSuccessor(&to, BranchProbability::One());
  to.ReplacePhiUsesWith(&from, middle);
  // Falling through to `to` has become falling through to the new block.
  AdjustEnding(from, old_next == &to ? middle : old_next);
  if (!middle->IsLayoutSuccessor(&to)) AppendJump(*middle, to);
  return *middle;
}

}  // namespace ptxmir
