// SPDX-License-Identifier: Apache-2.0

#include "passes/copies/unreachable_blocks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

bool HasAddressTaken(const MachineBasicBlock& block) {
  return block.is_machine_block_address_taken || !block.ir_block_address_taken.empty();
}

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

class UnreachableBlocks {
 public:
  UnreachableBlocks(MachineFunction& function, PassContext& context)
      : function_(function), context_(context), reg_info_(function.reg_info()), is_reached_(FindReached(function)) {}

  PassResult Run() {
    EraseBlocks();
    for (MachineBasicBlock& block : function_) CleanPhis(block);
    ClearKillFlags(reg_info_, std::move(extended_));
    context_.AddStatistic("blocks removed", num_removed_);
    context_.AddStatistic("PHIs with one operand replaced", num_phis_);
    if (num_removed_ + num_phis_ + num_operands_ == 0) return {};
    if (num_removed_ != 0) {
      context_.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
        return MachineRemark(RemarkKind::kPassed, context_.pass_name, "BlocksRemoved", function_)
               << RemarkArg("NumRemoved", num_removed_) << " blocks erased that control never reaches";
      });
    }
    return {.changed = true,
            .preserved = num_removed_ == 0 ? PreservedAnalyses::ControlFlow() : PreservedAnalyses::None()};
  }

 private:
  void EraseBlocks() {
    const auto is_dead = [&](BlockNumber block) { return !is_reached_[block]; };
    for (MachineBasicBlock& block : function_) {
      if (!is_dead(block.number())) continue;
      while (!block.successors().empty()) block.RemoveSuccessor(block.successors().back());
      for (const MachineInstr& instr : block) {
        for (const MachineOperand& def : VirtualDefs(instr)) defined_in_dead_.push_back(def.reg());
      }
      ++num_removed_;
    }
    if (num_removed_ == 0) return;
    // Only an unreachable branch can use a table that names an unreachable block.
    for (JumpTable& table : function_.jump_tables()) {
      if (std::any_of(table.blocks.begin(), table.blocks.end(), is_dead)) table.blocks.clear();
    }
    for (MachineBasicBlock *block = function_.front(), *next; block != nullptr; block = next) {
      next = block->next();
      if (is_dead(block->number())) function_.EraseBlock(block);
    }
    for (const Register reg : defined_in_dead_) {
      if (reg_info_.Defs(reg).empty()) DropDebugUses(reg_info_, reg);
    }
  }

  void CleanPhis(MachineBasicBlock& block) {
    for (MachineInstr *phi = block.front(), *next; phi != nullptr && phi->is_phi(); phi = next) {
      next = phi->next();
      for (unsigned i = phi->num_operands() - 1; num_removed_ != 0 && i >= 2; i -= 2) {
        // A block that is gone has no number to look for; only its place in the table is left.
        if (is_reached_[phi->operand(i).block()]) continue;
        phi->RemoveOperand(i);
        phi->RemoveOperand(i - 1);
        ++num_operands_;
      }
      if (phi->num_operands() == 3) ReplacePhi(*phi, block);
    }
  }

  void ReplacePhi(MachineInstr& phi, MachineBasicBlock& block) {
    const Register result = phi.operand(0).reg();
    const Register value = phi.operand(1).reg();
    ++num_phis_;
    extended_.push_back(value);
    const bool may_read_value = value.is_virtual() && !phi.operand(1).is_undef() && value != result &&
                                reg_info_.reg_class(value) == reg_info_.reg_class(result) &&
                                reg_info_.UniqueDef(value) != nullptr && reg_info_.UniqueDef(result) == &phi;
    if (may_read_value) {
      phi.EraseFromParent();
      reg_info_.ReplaceRegister(result, value);
      return;
    }
    const uint16_t flags = phi.operand(1).is_undef() ? MachineOperand::kUndef : 0;
    BuildMI(block, block.FirstNonPhi(), generic::kCopy, phi.debug_loc()).AddDef(result).AddUse(value, flags).Insert();
    phi.EraseFromParent();
  }

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const std::vector<bool> is_reached_;
  std::vector<Register> defined_in_dead_;
  std::vector<Register> extended_;
  uint64_t num_removed_ = 0;
  uint64_t num_operands_ = 0;
  uint64_t num_phis_ = 0;
};

}  // namespace

PassResult RunUnreachableBlockElimination(MachineFunction& function, PassContext& context) {
  if (function.empty()) return {};
  return UnreachableBlocks(function, context).Run();
}

}  // namespace ptxmir
