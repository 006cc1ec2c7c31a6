// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_instr.h"

#include <algorithm>

#include "mir/code/machine_function.h"

namespace ptxmir {

absl::Span<const MachineMemOperand* const> MachineInstr::memoperands() const {
  if (extra_ == 0) return {};
  FunctionArena& arena = function().arena();
  if ((extra_ & kSingleMemOperand) == 0) return arena.Resolve<InstrExtra>(extra_)->memoperands;
  // A single memory operand is stored as a 16-byte cell that contains the pointer.
  return {arena.Resolve<const MachineMemOperand*>(extra_ & ~kSingleMemOperand), 1};
}

const InstrExtra* MachineInstr::extra() const {
  if (extra_ == 0 || (extra_ & kSingleMemOperand) != 0) return nullptr;
  return function().arena().Resolve<InstrExtra>(extra_);
}

void MachineInstr::SetMemOperands(absl::Span<const MachineMemOperand* const> memoperands) {
  FunctionArena& arena = function().arena();
  if (const InstrExtra* old = extra(); old != nullptr) {
    InstrExtra changed = *old;
    changed.memoperands = memoperands;
    SetExtra(changed);
  } else if (memoperands.empty()) {
    extra_ = 0;
  } else if (memoperands.size() == 1) {
    auto* cell = static_cast<const MachineMemOperand**>(arena.Allocate(sizeof(void*)));
    *cell = memoperands[0];
    extra_ = FunctionArena::IdOf(cell) | kSingleMemOperand;
  } else {
    InstrExtra created;
    created.memoperands = memoperands;
    SetExtra(created);
  }
}

void MachineInstr::SetExtra(const InstrExtra& extra) {
  FunctionArena& arena = function().arena();
  InstrExtra* copy = arena.New<InstrExtra>(extra);
  copy->memoperands = arena.CopyArray(extra.memoperands);
  extra_ = FunctionArena::IdOf(copy);
}

MachineInstr* MachineInstr::AddOperand(const MachineOperand& operand) {
  MachineFunction& function = this->function();
  MachineInstr* instr = this;
  if (slack_ == 0) {
    const unsigned capacity = num_operands_ + std::clamp(num_operands_, 2u, 255u);
    instr = function.AllocateInstr(num_operands_, capacity);
    function.MoveContents(*this, *instr);
  }
  const unsigned index = instr->num_operands_++;
  --instr->slack_;
  function.PlaceOperand(*instr, index, operand);
  return instr;
}

void MachineInstr::RemoveOperand(unsigned i) {
  MachineFunction& function = this->function();
  if (operand(i).is_tied()) UntieOperand(i);
  // Ties refer to operands by number, so ties across the gap are set again after the move.
  absl::InlinedVector<std::pair<unsigned, unsigned>, 4> ties;
  for (unsigned k = 0; k < num_operands_; ++k) {
    if (!operand(k).is_def() || !operand(k).is_tied()) continue;
    ties.emplace_back(k, FindTiedOperand(k));
  }
  for (auto [def, use] : ties) UntieOperand(def);
  for (unsigned k = i; k < num_operands_; ++k) function.UnlinkOperand(*this, k);
  for (unsigned k = i; k + 1 < num_operands_; ++k) {
    function.PlaceOperand(*this, k, operand(k + 1));
  }
  --num_operands_;
  if (slack_ < 255) ++slack_;
  for (auto [def, use] : ties) TieOperands(def > i ? def - 1 : def, use > i ? use - 1 : use);
}

void MachineInstr::TieOperands(unsigned def, unsigned use) {
  MachineFunction& function = this->function();
  function.seen_tie_ = true;
  const auto tie = [&](unsigned from, unsigned to) {
    if (to + 1 < MachineOperand::kFarTie) {
      operand(from).tied_ = to + 1;
    } else {
      operand(from).tied_ = MachineOperand::kFarTie;
      function.far_ties_[id() + 2 + from] = to;
    }
  };
  tie(def, use);
  tie(use, def);
}

void MachineInstr::UntieOperand(unsigned i) {
  if (!operand(i).is_tied()) return;
  MachineFunction& function = this->function();
  const unsigned partner = FindTiedOperand(i);
  for (unsigned k : {i, partner}) {
    if (operand(k).tied_ == MachineOperand::kFarTie) function.far_ties_.erase(id() + 2 + k);
    operand(k).tied_ = 0;
  }
}

unsigned MachineInstr::FindTiedOperand(unsigned i) const {
  const unsigned tied = operand(i).tied_;
  if (tied != MachineOperand::kFarTie) return tied - 1;
  return function().far_ties_.find(id() + 2 + i)->second;
}

void MachineInstr::RemoveFromParent() { parent()->Remove(this); }

void MachineInstr::EraseFromParent() {
  MachineFunction& function = this->function();
  parent()->Remove(this);
  function.DeleteInstr(this);
}

}  // namespace ptxmir
