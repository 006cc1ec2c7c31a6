// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/recomputed_constants.h"

#include <algorithm>

#include "analysis/pressure/register_budget.h"
#include "passes/out_of_ssa/copies.h"

namespace ptxmir {

bool RecomputedConstants::IsBetterRecomputed(Register reg, uint64_t frequency) {
  const uint32_t index = reg.virtual_index();
  if (index >= answers_.size()) answers_.resize(function_.reg_info().num_virtual_registers(), Answer::kUnknown);
  if (answers_[index] == Answer::kUnknown) {
    answers_[index] = IsThereForCopies(reg) && IsLiveInCrowdedBlock(reg) ? Answer::kYes : Answer::kNo;
  }
  return answers_[index] == Answer::kYes &&
         frequency <= frequencies_.Frequency(*function_.reg_info().UniqueDef(reg)->parent());
}

bool RecomputedConstants::IsThereForCopies(Register reg) const {
  const MachineRegisterInfo& reg_info = function_.reg_info();
  const MachineInstr* def = reg_info.UniqueDef(reg);
  if (def == nullptr || !IsConstantMove(*def)) return false;
  for (const MachineOperand& use : reg_info.NonDebugUses(reg)) {
    if (!use.parent()->is_phi() && !IsCoalescableCopy(*use.parent(), reg_info)) return false;
  }
  return true;
}

bool RecomputedConstants::IsLiveInCrowdedBlock(Register reg) {
  if (is_crowded_.empty()) FindCrowdedBlocks();
  const SlotIndexes& indexes = intervals_.indexes();
  for (const LiveSegment& segment : intervals_.Interval(reg).segments()) {
    for (const MachineBasicBlock* block = indexes.BlockAt(segment.start);
         block != nullptr && indexes.BlockStart(*block) < segment.end; block = block->next()) {
      if (is_crowded_[block->number()]) return true;
    }
  }
  return false;
}

void RecomputedConstants::FindCrowdedBlocks() {
  is_crowded_.resize(function_.block_number_bound());
  if (pressure_ != nullptr) {
    MarkCrowdedBlocks(*pressure_);
  } else {
    MarkCrowdedBlocks(MachineRegisterPressure(function_, context_.analyses));
  }
}

void RecomputedConstants::MarkCrowdedBlocks(const MachineRegisterPressure& pressure) {
  const RegisterBudget budget = ComputeRegisterBudget(function_, context_.analyses.inputs());
  for (const MachineBasicBlock* block : pressure.BlocksOver(budget.registers)) is_crowded_[block->number()] = true;
  for (const MachineBasicBlock* block : pressure.BlocksOverPredicates(budget.predicates)) {
    is_crowded_[block->number()] = true;
  }
}

}  // namespace ptxmir
