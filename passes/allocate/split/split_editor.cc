// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/split/split_editor.h"

namespace ptxmir {

void SplitEditor::Copy(MachineBasicBlock& block, MachineInstr* before, Register from, Register to) {
  const MetadataId loc = before == nullptr ? MachineInstr::kNoDebugLoc : before->debug_loc();
  MachineInstr* copy = BuildMI(block, before, generic::kCopy, loc).AddDef(to).AddUse(from).Insert();
  state_.intervals.InsertInstr(*copy);
  ++num_copies_;
}

void SplitEditor::EditBlock(const SplitAnalysis& analysis, const SplitAnalysis::BlockInfo& info,
                            const BlockPlacement& placement) {
  MachineBasicBlock& block = *info.block;
  MachineInstr* const terminator = block.FirstTerminator();
  MachineInstr* first = block.FirstNonPhi();
  MachineInstr* behind_last = terminator;
  if (info.has_touches()) {
    MachineInstr& first_touch = *analysis.touches()[info.first_touch].instr;
    MachineInstr& last_touch = *analysis.touches()[info.end_touch - 1].instr;
    if (placement.at_touches) {
      first = &LiveRangeEdit::PlaceBefore(first_touch);
      if (!last_touch.is_terminator()) behind_last = last_touch.next();
    }
  }
  const bool has_value_in_new = placement.at_touches;
  if (info.is_live_in && placement.at_entry != has_value_in_new) {
    Copy(block, first, placement.at_entry ? new_ : old_, placement.at_entry ? old_ : new_);
  }
  if (info.is_live_out && placement.at_exit != has_value_in_new) {
    Copy(block, behind_last, has_value_in_new ? new_ : old_, has_value_in_new ? old_ : new_);
  }
}

void SplitEditor::Rename(const SplitAnalysis& analysis, absl::Span<const BlockPlacement> placements) {
  MachineRegisterInfo& reg_info = state_.function.reg_info();
  // A debug instruction names the register that its block uses at its touches.
  std::vector<const BlockPlacement*> of_block(state_.function.block_number_bound(), nullptr);
  std::vector<MachineOperand*> debug_uses;
  for (MachineOperand& operand : reg_info.Uses(old_)) {
    if (operand.is_debug()) debug_uses.push_back(&operand);
  }
  for (size_t i = 0; i < placements.size(); ++i) {
    const SplitAnalysis::BlockInfo& info = analysis.blocks()[i];
    if (!debug_uses.empty()) of_block[info.block->number()] = &placements[i];
    if (!placements[i].at_touches) continue;
    for (uint32_t touch = info.first_touch; touch < info.end_touch; ++touch) {
      for (MachineOperand& operand : analysis.touches()[touch].instr->operands()) {
        if (operand.is_reg() && operand.reg() == old_) operand.SetReg(new_);
      }
    }
  }
  for (MachineOperand* operand : debug_uses) {
    const BlockPlacement* placement = of_block[operand->parent()->parent()->number()];
    if (placement != nullptr && placement->at_touches) operand->SetReg(new_);
  }
  for (const Register reg : {old_, new_}) {
    for (MachineOperand& operand : reg_info.Operands(reg)) {
      if (operand.is_def()) {
        operand.set_reg_flag(MachineOperand::kDead, false);
      } else {
        operand.set_reg_flag(MachineOperand::kKill, false);
      }
    }
  }
}

Register SplitEditor::Split(const SplitAnalysis& analysis, absl::Span<const BlockPlacement> placements,
                            std::vector<Register>& created) {
  old_ = analysis.interval().reg();
  new_ = edit_.CreateFrom(old_);
  for (size_t i = 0; i < placements.size(); ++i) EditBlock(analysis, analysis.blocks()[i], placements[i]);
  Rename(analysis, placements);
  state_.intervals.ComputeInterval(old_);
  state_.intervals.ComputeInterval(new_);
  created.push_back(new_);
  edit_.SplitComponents(old_, created);
  edit_.SplitComponents(new_, created);
  return new_;
}

}  // namespace ptxmir
