// SPDX-License-Identifier: Apache-2.0

#include "passes/support/unreachable_blocks.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"
#include "passes/support/block_ending.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Returns, by block number, the blocks that control may reach.
std::vector<bool> FindReached(const MachineFunction& function) {
  std::vector<bool> is_reached(function.block_number_bound());
  std::vector<const MachineBasicBlock*> work;
  const auto reach = [&](const MachineBasicBlock& block) {
    if (is_reached[block.number()]) return;
    is_reached[block.number()] = true;
    work.push_back(&block);
  };
  for (const MachineBasicBlock& block : function) {
    if (&block == function.front() || HasAddressTaken(block)) reach(block);
  }
  while (!work.empty()) {
    const MachineBasicBlock& block = *work.back();
    work.pop_back();
    for (const MachineBasicBlock* successor : block.successors()) reach(*successor);
  }
  return is_reached;
}

// Removes the operands that PHIs take from blocks for which `is_removed` holds.
template <typename IsRemoved>
void RemovePhiOperands(MachineBasicBlock& block, const IsRemoved& is_removed, std::vector<Register>* lost_a_use) {
  for (MachineInstr* phi = block.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    for (unsigned i = phi->num_operands() - 1; i >= 2; i -= 2) {
      if (!is_removed(phi->operand(i).block())) continue;
      const Register value = phi->operand(i - 1).reg();
      if (lost_a_use != nullptr && value.is_virtual()) lost_a_use->push_back(value);
      phi->RemoveOperand(i);
      phi->RemoveOperand(i - 1);
    }
    if (phi->num_operands() == 1) phi->set_opcode(generic::kImplicitDef);
  }
}

}  // namespace

void RemovePhiIncomings(MachineBasicBlock& block, const MachineBasicBlock& predecessor,
                        std::vector<Register>* lost_a_use) {
  RemovePhiOperands(
      block, [&](BlockNumber number) { return number == predecessor.number(); }, lost_a_use);
}

uint64_t EraseUnreachableBlocks(MachineFunction& function, std::vector<Register>* lost_a_use) {
  const std::vector<bool> is_reached = FindReached(function);
  const auto is_dead = [&](BlockNumber block) { return !is_reached[block]; };
  std::vector<MachineBasicBlock*> dead;
  for (MachineBasicBlock& block : function) {
    if (is_dead(block.number())) dead.push_back(&block);
  }
  if (dead.empty()) return 0;
  std::vector<MachineBasicBlock*> entered;  // reached blocks that dead blocks lead to
  std::vector<Register> defined;
  for (MachineBasicBlock* const block : dead) {
    while (!block->successors().empty()) {
      MachineBasicBlock* const successor = block->successors().back();
      if (!is_dead(successor->number())) entered.push_back(successor);
      block->RemoveSuccessor(successor);
    }
    for (const MachineInstr& instr : *block) {
      for (const MachineOperand& def : VirtualDefs(instr)) defined.push_back(def.reg());
      if (lost_a_use == nullptr) continue;
      for (const MachineOperand& use : VirtualUses(instr)) lost_a_use->push_back(use.reg());
    }
  }
  std::sort(entered.begin(), entered.end(),
            [](const MachineBasicBlock* a, const MachineBasicBlock* b) { return a->number() < b->number(); });
  entered.erase(std::unique(entered.begin(), entered.end()), entered.end());
  for (MachineBasicBlock* const block : entered) RemovePhiOperands(*block, is_dead, lost_a_use);
  // Only an unreachable branch can use a table that names an unreachable block.
  for (JumpTable& table : function.jump_tables()) {
    if (std::any_of(table.blocks.begin(), table.blocks.end(), is_dead)) table.blocks.clear();
  }
  for (MachineBasicBlock* const block : dead) function.EraseBlock(block);
  for (const Register reg : defined) {
    if (function.reg_info().Defs(reg).empty()) DropDebugUses(function.reg_info(), reg);
  }
  return dead.size();
}

}  // namespace ptxmir
