// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/control_flow_edit.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

bool IsJump(const InstrDesc& desc) {
  return desc.Has(InstrFlag::kBranch) && desc.Has(InstrFlag::kBarrier) && desc.Has(InstrFlag::kTerminator) &&
         !desc.Has(InstrFlag::kIndirectBranch) && desc.num_operands == 1 && desc.num_defs == 0;
}

bool IsPlainReturn(const InstrDesc& desc) {
  return desc.Has(InstrFlag::kReturn) && desc.Has(InstrFlag::kBarrier) && desc.Has(InstrFlag::kTerminator) &&
         desc.num_operands == 0;
}

template <typename Predicate>
std::optional<Opcode> FindOpcode(const TargetInfo& target, Predicate predicate) {
  for (size_t opcode = 0; opcode < target.instrs.size(); ++opcode) {
    if (predicate(target.instrs[opcode])) return static_cast<Opcode>(opcode);
  }
  return std::nullopt;
}

}  // namespace

unsigned PhiOperandFor(const MachineInstr& phi, const MachineBasicBlock& predecessor) {
  for (const PhiIncoming incoming : PhiIncomings(phi)) {
    if (!incoming.block().is_block() || incoming.predecessor() != predecessor.number()) continue;
    return incoming.value().operand_number();
  }
  return 0;
}

ControlFlowEdit::ControlFlowEdit(MachineFunction& function)
    : function_(function),
      jump_(FindOpcode(function.target(), IsJump)),
      return_(FindOpcode(function.target(), IsPlainReturn)),
      may_fall_through_(function.block_number_bound(), false) {
  if (!is_possible()) return;
  for (MachineBasicBlock& block : function_) {
    MachineBasicBlock* next = block.next();
    if (next == nullptr || !block.IsSuccessor(next) || !block.CanFallThrough()) continue;
    BuildMI(block, nullptr, *jump_).AddBlock(*next).Insert();
    may_fall_through_[block.number()] = true;
  }
}

ControlFlowEdit::~ControlFlowEdit() {
  if (!is_possible()) return;
  EraseUnreachableBlocks();
  for (MachineBasicBlock& block : function_) {
    MachineInstr* last = block.back();
    if (!may_fall_through_[block.number()] || last == nullptr || last->opcode() != *jump_) continue;
    if (block.next() != nullptr && last->operand(0).block() == block.next()->number()) last->EraseFromParent();
  }
}

void ControlFlowEdit::EraseTerminators(MachineBasicBlock& block) {
  for (MachineInstr* instr = block.FirstTerminator(); instr != nullptr;) {
    MachineInstr* next = instr->next();
    instr->EraseFromParent();
    instr = next;
  }
}

void ControlFlowEdit::RemoveEdge(MachineBasicBlock& block, MachineBasicBlock& successor) {
  block.RemoveSuccessor(&successor);
  RemovePhiOperands(block, successor);
}

void ControlFlowEdit::RemovePhiOperands(const MachineBasicBlock& block, MachineBasicBlock& successor) {
  for (MachineInstr* phi = successor.front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    const unsigned operand = PhiOperandFor(*phi, block);
    if (operand == 0) continue;
    phi->RemoveOperand(operand + 1);
    phi->RemoveOperand(operand);
  }
}

void ControlFlowEdit::KeepSuccessor(MachineBasicBlock& block, MachineBasicBlock& successor) {
  EraseTerminators(block);
  const std::vector<MachineBasicBlock*> successors(block.successors().begin(), block.successors().end());
  for (MachineBasicBlock* other : successors) {
    if (other != &successor) RemoveEdge(block, *other);
  }
  block.SetSuccessorProbability(0, BranchProbability::Unknown());
  BuildMI(block, nullptr, *jump_).AddBlock(successor).Insert();
  may_fall_through_[block.number()] = true;
}

void ControlFlowEdit::JoinEdges(MachineBasicBlock& block, MachineBasicBlock& from, MachineBasicBlock& to) {
  RemovePhiOperands(block, from);
  block.RetargetSuccessor(&from, &to);
}

void ControlFlowEdit::ReplaceWithReturn(MachineBasicBlock& block) {
  EraseTerminators(block);
  while (!block.successors().empty()) RemoveEdge(block, *block.successors().front());
  BuildMI(block, nullptr, *return_).Insert();
}

bool ControlFlowEdit::Bypass(MachineBasicBlock& block) {
  MachineBasicBlock& successor = *block.successors().front();
  const bool has_phis = successor.front() != nullptr && successor.front()->is_phi();
  const std::vector<MachineBasicBlock*> predecessors(block.predecessors().begin(), block.predecessors().end());
  if (has_phis && std::any_of(predecessors.begin(), predecessors.end(), [&](const MachineBasicBlock* predecessor) {
        return predecessor->IsSuccessor(&successor);
      })) {
    return false;
  }
  for (MachineInstr* phi = successor.front(); phi != nullptr && phi->is_phi();) {
    const unsigned operand = PhiOperandFor(*phi, block);
    if (operand != 0) {
      const MachineOperand value = MachineOperand::CreateReg(phi->operand(operand).reg());
      for (const MachineBasicBlock* predecessor : predecessors) {
        phi = phi->AddOperand(value)->AddOperand(MachineOperand::CreateBlock(predecessor->number()));
      }
    }
    phi = phi->next();
  }
  for (MachineBasicBlock* predecessor : predecessors) predecessor->RetargetSuccessor(&block, &successor);
  RemoveEdge(block, successor);
  return true;
}

void ControlFlowEdit::MergeSuccessor(MachineBasicBlock& block) {
  MachineBasicBlock& successor = *block.successors().front();
  EraseTerminators(block);
  block.RemoveSuccessor(&successor);
  while (successor.front() != nullptr && successor.front()->is_phi()) {
    MachineInstr* phi = successor.front();
    const Register value = phi->operand(1).reg();
    function_.reg_info().ReplaceRegister(phi->operand(0).reg(), value);
    function_.reg_info().ClearKillFlags(value);
    phi->EraseFromParent();
  }
  may_fall_through_[block.number()] = may_fall_through_[successor.number()];
  successor.SpliceTail(successor.front(), block);
  block.TransferSuccessorsAndUpdatePhis(&successor);
}

void ControlFlowEdit::EraseUnreachableBlocks() {
  std::vector<bool> is_reached(function_.block_number_bound(), false);
  std::vector<MachineBasicBlock*> pending = {function_.front()};
  is_reached[function_.front()->number()] = true;
  while (!pending.empty()) {
    MachineBasicBlock* block = pending.back();
    pending.pop_back();
    for (MachineBasicBlock* successor : block->successors()) {
      if (is_reached[successor->number()]) continue;
      is_reached[successor->number()] = true;
      pending.push_back(successor);
    }
  }
  std::vector<MachineBasicBlock*> unreached;
  for (MachineBasicBlock& block : function_) {
    if (!is_reached[block.number()]) unreached.push_back(&block);
  }
  for (MachineBasicBlock* block : unreached) {
    while (!block->successors().empty()) RemoveEdge(*block, *block->successors().front());
  }
  for (MachineBasicBlock* block : unreached) function_.EraseBlock(block);
}

}  // namespace ptxmir
