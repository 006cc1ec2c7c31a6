// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/sinking.h"

#include <optional>
#include <utility>

#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

std::optional<SinkMove> FindMove(MachineInstr& instr, SinkPolicy& policy) {
  if (!policy.MayMove(instr)) return std::nullopt;
  MachineBasicBlock* const target = policy.FindTarget(instr);
  if (target == nullptr || !policy.Pays(instr, *target)) return std::nullopt;
  const SinkMove move{.instr = &instr, .target = target, .place = policy.FindPlace(instr, *target)};
  return policy.IsSafe(move) ? std::optional(move) : std::nullopt;
}

}  // namespace

MachineBasicBlock& BlockOfUse(const MachineOperand& use) {
  const MachineInstr& user = *use.parent();
  if (!user.is_phi()) return *use.parent()->parent();
  return *user.parent()->function().block(user.operand(use.operand_number() + 1).block());
}

void SinkEditor::Move(const SinkMove& move) {
  MachineInstr& instr = *move.instr;
  if (pressure_ != nullptr) pressure_->WillErase(instr);
  for (const MachineOperand& result : instr.explicit_defs()) DropDebugUses(reg_info_, result.reg());
  instr.RemoveFromParent();
  move.target->Insert(move.place, &instr);
  if (pressure_ != nullptr) pressure_->DidInsert(instr);
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_use() && operand.reg().is_virtual()) DidExtend(operand.reg());
  }
  ++num_changes_;
}

void SinkEditor::Coalesce(MachineInstr& copy) {
  const Register result = copy.operand(0).reg(), source = copy.operand(1).reg();
  if (pressure_ != nullptr) pressure_->WillErase(copy);
  copy.EraseFromParent();
  if (pressure_ != nullptr) pressure_->WillReplaceRegister(result, source);
  reg_info_.ReplaceRegister(result, source);
  reg_info_.ClearKillFlags(source);
  ++num_changes_;
}

void SinkEditor::Finish() { ClearKillFlags(reg_info_, std::move(extended_)); }

void SinkFrom(MachineBasicBlock& block, SinkPolicy& policy, SinkEditor& editor) {
  if (!policy.EnterBlock(block)) return;
  for (MachineInstr *instr = block.back(), *previous; instr != nullptr; instr = previous) {
    previous = instr->previous();
    if (instr->is_debug()) continue;
    if (policy.ShouldCoalesce(*instr)) {
      editor.Coalesce(*instr);
    } else if (const std::optional<SinkMove> move = FindMove(*instr, policy); move.has_value()) {
      editor.Move(*move);
    } else {
      policy.DidKeep(*instr);
    }
  }
}

}  // namespace ptxmir
