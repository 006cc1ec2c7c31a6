// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_basic_block.h"

#include <algorithm>

#include "mir/code/machine_function.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {

void MachineBasicBlock::Insert(MachineInstr* before, MachineInstr* instr) {
  const ArenaId id = instr->id();
  const ArenaId next = before == nullptr ? 0 : before->id();
  const ArenaId previous = before == nullptr ? last_ : before->previous_;
  instr->block_ = number_;
  instr->previous_ = previous;
  instr->next_ = next;
  if (previous == 0) {
    first_ = id;
  } else {
    Resolve(previous)->next_ = id;
  }
  if (next == 0) {
    last_ = id;
  } else {
    before->previous_ = id;
  }
}

void MachineBasicBlock::Remove(MachineInstr* instr) {
  if (instr->previous_ == 0) {
    first_ = instr->next_;
  } else {
    Resolve(instr->previous_)->next_ = instr->next_;
  }
  if (instr->next_ == 0) {
    last_ = instr->previous_;
  } else {
    Resolve(instr->next_)->previous_ = instr->previous_;
  }
  instr->previous_ = 0;
  instr->next_ = 0;
  instr->block_ = MachineInstr::kNoBlock;
}

void MachineBasicBlock::SpliceTail(MachineInstr* first, MachineBasicBlock& target) {
  if (first == nullptr) return;
  for (MachineInstr* instr = first; instr != nullptr; instr = instr->next()) {
    instr->block_ = target.number_;
  }
  const ArenaId id = first->id();
  const ArenaId previous = first->previous_;
  const ArenaId last = last_;
  if (previous == 0) {
    first_ = 0;
  } else {
    Resolve(previous)->next_ = 0;
  }
  last_ = previous;
  first->previous_ = target.last_;
  if (target.last_ == 0) {
    target.first_ = id;
  } else {
    Resolve(target.last_)->next_ = id;
  }
  target.last_ = last;
}

MachineInstr* MachineBasicBlock::FirstNonPhi() const {
  MachineInstr* instr = front();
  while (instr != nullptr && instr->is_phi()) instr = instr->next();
  return instr;
}

MachineInstr* MachineBasicBlock::FirstTerminator() const {
  MachineInstr* first = nullptr;
  for (MachineInstr* instr = back(); instr != nullptr; instr = instr->previous()) {
    if (instr->is_terminator()) {
      first = instr;
    } else if (!instr->is_debug()) {
      break;
    }
  }
  return first;
}

MachineInstr* MachineBasicBlock::FirstNonDebug() const {
  MachineInstr* instr = front();
  while (instr != nullptr && instr->is_debug()) instr = instr->next();
  return instr;
}

size_t MachineBasicBlock::CountInstrs() const {
  size_t n = 0;
  for (MachineInstr* instr = front(); instr != nullptr; instr = instr->next()) ++n;
  return n;
}

bool MachineBasicBlock::IsSuccessor(const MachineBasicBlock* block) const {
  return std::find(successors_.begin(), successors_.end(), block) != successors_.end();
}

void MachineBasicBlock::AddSuccessor(MachineBasicBlock* block, BranchProbability probability) {
  FunctionArena& arena = function().arena();
  successors_.push_back(arena, block);
  probabilities_.push_back(arena, probability);
  block->predecessors_.push_back(arena, this);
}

void MachineBasicBlock::RemoveSuccessor(MachineBasicBlock* block) {
  const auto at = std::find(successors_.begin(), successors_.end(), block);
  if (at == successors_.end()) return;
  const size_t i = static_cast<size_t>(at - successors_.begin());
  successors_.erase(i);
  probabilities_.erase(i);
  const auto back = std::find(block->predecessors_.begin(), block->predecessors_.end(), this);
  block->predecessors_.erase(static_cast<size_t>(back - block->predecessors_.begin()));
}

void MachineBasicBlock::RetargetSuccessor(MachineBasicBlock* from, MachineBasicBlock* to) {
  if (from == to) return;
  for (MachineInstr* instr = FirstTerminator(); instr != nullptr; instr = instr->next()) {
    for (MachineOperand& operand : instr->operands()) {
      if (operand.is_block() && operand.block() == from->number()) operand.set_block(to->number());
      if (operand.kind() != MachineOperand::Kind::kJumpTableIndex) continue;
      for (BlockNumber& target : function().jump_tables()[operand.index()].blocks) {
        if (target == from->number()) target = to->number();
      }
    }
  }
  const auto old_edge = std::find(successors_.begin(), successors_.end(), from);
  if (old_edge == successors_.end()) return;
  const size_t i = static_cast<size_t>(old_edge - successors_.begin());
  const auto new_edge = std::find(successors_.begin(), successors_.end(), to);
  if (new_edge != successors_.end()) {
    BranchProbability& joined = probabilities_[static_cast<size_t>(new_edge - successors_.begin())];
    if (!joined.is_unknown() && !probabilities_[i].is_unknown()) {
      const uint64_t sum = uint64_t{joined.numerator()} + probabilities_[i].numerator();
      joined = BranchProbability(static_cast<uint32_t>(std::min<uint64_t>(sum, BranchProbability::kDenominator)));
    }
    RemoveSuccessor(from);
    return;
  }
  successors_[i] = to;
  const auto back = std::find(from->predecessors_.begin(), from->predecessors_.end(), this);
  from->predecessors_.erase(static_cast<size_t>(back - from->predecessors_.begin()));
  to->predecessors_.push_back(function().arena(), this);
}

void MachineBasicBlock::TransferSuccessorsAndUpdatePhis(MachineBasicBlock* from) {
  FunctionArena& arena = function().arena();
  for (size_t i = 0; i < from->successors_.size(); ++i) {
    MachineBasicBlock* successor = from->successors_[i];
    successors_.push_back(arena, successor);
    probabilities_.push_back(arena, from->probabilities_[i]);
    std::replace(successor->predecessors_.begin(), successor->predecessors_.end(), from, this);
    successor->ReplacePhiUsesWith(from, this);
  }
  from->successors_.clear();
  from->probabilities_.clear();
}

void MachineBasicBlock::ReplacePhiUsesWith(const MachineBasicBlock* from, const MachineBasicBlock* to) {
  for (MachineInstr* phi = front(); phi != nullptr && phi->is_phi(); phi = phi->next()) {
    for (const MutablePhiIncoming incoming : PhiIncomings(*phi)) {
      MachineOperand& block = incoming.block();
      if (block.is_block() && block.block() == from->number()) block.set_block(to->number());
    }
  }
}

bool MachineBasicBlock::CanFallThrough() const {
  for (MachineInstr* instr = back(); instr != nullptr; instr = instr->previous()) {
    if (instr->is_debug()) continue;
    return !instr->is_barrier();
  }
  return true;
}

void MachineBasicBlock::AddLiveIn(Register reg, uint64_t lane_mask) {
  live_ins_.push_back(function().arena(), {reg, lane_mask});
}

void MachineBasicBlock::AddLiveOut(Register reg, uint64_t lane_mask) {
  live_outs_.push_back(function().arena(), {reg, lane_mask});
}

}  // namespace ptxmir
