// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/predicate_room.h"

namespace ptxmir {

bool PredicateRoom::FindBlocks(Register predicate, const MachineInstr& until, const MachineRegisterPressure& pressure) {
  const MachineBasicBlock* const defined_in = function_.reg_info().UniqueDef(predicate)->parent();
  const auto find = [&](const MachineBasicBlock& block) {
    if (is_found_[block.number()]) return true;
    is_found_[block.number()] = true;
    found_.push_back(&block);
    return most_[block.number()] < limit_;
  };
  if (!find(*until.parent())) return false;
  for (size_t i = 0; i < found_.size(); ++i) {
    const MachineBasicBlock& block = *found_[i];
    if (&block == defined_in || pressure.IsLiveIn(block, predicate)) continue;
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (!pressure.IsLiveOut(*predecessor, predicate) && !find(*predecessor)) return false;
    }
  }
  return true;
}

bool PredicateRoom::KeepIfKnown(Register predicate, const MachineInstr& until,
                                const MachineRegisterPressure& pressure) {
  const bool has_room = FindBlocks(predicate, until, pressure);
  for (const MachineBasicBlock* block : found_) {
    is_found_[block->number()] = false;
    most_[block->number()] += has_room;
  }
  found_.clear();
  is_exact_ &= !has_room;
  return has_room;
}

void PredicateRoom::Count(const MachineRegisterPressure& pressure) {
  most_.resize(function_.block_number_bound());
  is_found_.resize(most_.size());
  for (const MachineBasicBlock& block : function_) most_[block.number()] = pressure.Block(block).peak.predicates();
  is_exact_ = true;
}

bool PredicateRoom::Keep(Register predicate, const MachineInstr& until, const MachineRegisterPressure& pressure) {
  if (most_.empty()) Count(pressure);
  if (KeepIfKnown(predicate, until, pressure)) return true;
  if (is_exact_) return false;
  Count(pressure);
  return KeepIfKnown(predicate, until, pressure);
}

}  // namespace ptxmir
