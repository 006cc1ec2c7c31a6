// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/ssa_repair.h"

#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// Returns the block at whose end a PHI reads this operand, or null if it is not of a PHI.
MachineBasicBlock* IncomingBlock(const MachineOperand& use) {
  const MachineInstr& instr = *use.parent();
  if (!instr.is_phi()) return nullptr;
  return instr.function().block(instr.operand(use.operand_number() + 1).block());
}

}  // namespace

void SsaRepair::Repair(Register old, const std::vector<MachineBasicBlock*>& blocks,
                       const std::vector<Register>& values) {
  of_.resize(function_.block_number_bound());
  for (size_t i = 0; i < blocks.size(); ++i) Of(*blocks[i]) = {State::kDefinition, values[i]};
  DropDebugUses(reg_info_, old);
  CollectUses(old);
  for (size_t i = 0; i < visited_.size(); ++i) {
    for (MachineBasicBlock* predecessor : visited_[i]->predecessors()) Visit(*predecessor);
  }
  num_visited_ += visited_.size();
  Propagate();
  CreatePhis(reg_info_.reg_class(old));
  Rewrite();
  for (const MachineBasicBlock* block : visited_) Of(*block) = {};
  for (const MachineBasicBlock* block : blocks) Of(*block) = {};
  visited_.clear();
}

void SsaRepair::CollectUses(Register old) {
  uses_.clear();
  for (MachineOperand& use : reg_info_.NonDebugUses(old)) uses_.push_back(&use);
  for (const MachineOperand* use : uses_) {
    MachineBasicBlock* const incoming = IncomingBlock(*use);
    Visit(incoming != nullptr ? *incoming : *use->parent()->parent());
  }
}

void SsaRepair::Visit(MachineBasicBlock& block) {
  if (Of(block).state != State::kUnvisited) return;
  Of(block).state = State::kUnknown;
  visited_.push_back(&block);
}

void SsaRepair::Propagate() {
  // The blocks nearest to the definitions were found last.
  worklist_ = visited_;
  while (!worklist_.empty()) {
    MachineBasicBlock* const block = worklist_.back();
    worklist_.pop_back();
    if (!Merge(*block)) continue;
    for (MachineBasicBlock* successor : block->successors()) {
      const State state = Of(*successor).state;
      if (state == State::kUnknown || state == State::kValue) worklist_.push_back(successor);
    }
  }
}

bool SsaRepair::Merge(const MachineBasicBlock& block) {
  BlockValue& known = Of(block);
  if (known.state == State::kPhi) return false;
  Register value;
  for (const MachineBasicBlock* predecessor : block.predecessors()) {
    const BlockValue& incoming = Of(*predecessor);
    if (incoming.state == State::kUnknown || incoming.state == State::kUnvisited) continue;
    if (value.is_valid() && value != incoming.value) {
      // A register of its own, even before the PHI exists.
      known = {State::kPhi, reg_info_.CreateVirtualRegister(kNoRegClass)};
      return true;
    }
    value = incoming.value;
  }
  if (!value.is_valid() || (known.state == State::kValue && known.value == value)) return false;
  known = {State::kValue, value};
  return true;
}

void SsaRepair::CreatePhis(RegClassId reg_class) {
  std::vector<MachineOperand> operands;
  for (MachineBasicBlock* block : visited_) {
    if (Of(*block).state != State::kPhi) continue;
    const Register result = Of(*block).value;
    reg_info_.set_reg_class(result, reg_class);
    operands.assign(1, MachineOperand::CreateReg(result, MachineOperand::kDefine));
    for (const MachineBasicBlock* predecessor : block->predecessors()) {
      // A predecessor that no definition reaches is never executed.
      const Register value = Of(*predecessor).value;
      operands.push_back(value.is_valid() ? MachineOperand::CreateReg(value)
                                          : MachineOperand::CreateReg(result, MachineOperand::kUndef));
      operands.push_back(MachineOperand::CreateBlock(predecessor->number()));
    }
    block->Insert(block->front(), function_.CreateInstr(generic::kPhi, operands));
  }
}

void SsaRepair::Rewrite() {
  for (MachineOperand* use : uses_) {
    const MachineBasicBlock* const incoming = IncomingBlock(*use);
    const Register value = Of(incoming != nullptr ? *incoming : *use->parent()->parent()).value;
    if (value.is_valid()) {
      use->SetReg(value);
      reg_info_.ClearKillFlags(value);
    } else {
      use->set_reg_flag(MachineOperand::kUndef, true);
    }
  }
}

}  // namespace ptxmir
