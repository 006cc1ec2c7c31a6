// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/split/split_analysis.h"

#include <algorithm>

namespace ptxmir {

void CollectTouches(const AllocationState& state, Register reg, std::vector<RegisterTouch>& touches) {
  touches.clear();
  const SlotIndexes& indexes = state.intervals.indexes();
  for (MachineOperand& operand : state.function.reg_info().Operands(reg)) {
    MachineInstr& instr = *operand.parent();
    if (instr.is_debug()) continue;
    touches.push_back({.instr = &instr,
                       .index = indexes.InstrIndex(instr),
                       .reads = operand.reads_reg(),
                       .writes = operand.is_def()});
  }
  std::sort(touches.begin(), touches.end(),
            [](const RegisterTouch& a, const RegisterTouch& b) { return a.index < b.index; });
  size_t kept = 0;
  for (const RegisterTouch& touch : touches) {
    if (kept > 0 && touches[kept - 1].instr == touch.instr) {
      touches[kept - 1].reads |= touch.reads;
      touches[kept - 1].writes |= touch.writes;
    } else {
      touches[kept++] = touch;
    }
  }
  touches.resize(kept);
}

bool FitsBetween(const LiveRegMatrix& matrix, const MachineFunction& function, RegClassId reg_class, SlotIndex start,
                 SlotIndex end) {
  const auto fits = [&](PressureKind kind, int32_t amount) {
    const int32_t limit = matrix.Limit(kind);
    return limit == LiveRegMatrix::kNoLimit || amount == 0 || matrix.MaxPressure(kind, start, end) + amount <= limit;
  };
  return fits(PressureKind::Class(reg_class), 1) &&
         fits(PressureKind::Total(), function.target().reg_classes[reg_class].pressure_units);
}

SplitAnalysis::BlockInfo& SplitAnalysis::InfoOf(MachineBasicBlock& block) {
  if (blocks_.empty() || blocks_.back().block != &block) {
    BlockInfo info;
    info.block = &block;
    blocks_.push_back(info);
  }
  return blocks_.back();
}

void SplitAnalysis::AddSegment(const LiveSegment& segment) {
  const SlotIndexes& indexes = state_.intervals.indexes();
  const RegClassId reg_class = state_.function.reg_info().reg_class(interval_->reg());
  const auto fits = [&](SlotIndex start, SlotIndex end) {
    return FitsBetween(state_.matrix, state_.function, reg_class, start, end);
  };
  for (MachineBasicBlock* block = indexes.BlockAt(segment.start); block != nullptr; block = block->next()) {
    const SlotIndex block_start = indexes.BlockStart(*block);
    const SlotIndex block_end = indexes.BlockEnd(*block);
    if (block_start >= segment.end) return;
    BlockInfo& info = InfoOf(*block);
    info.is_live_in |= segment.start <= block_start;
    info.is_live_out |= segment.end >= block_end;
    info.interferes |= !fits(std::max(segment.start, block_start), std::min(segment.end, block_end));
  }
}

void SplitAnalysis::Analyze(const LiveInterval& interval) {
  interval_ = &interval;
  blocks_.clear();
  CollectTouches(state_, interval.reg(), touches_);
  for (const LiveSegment& segment : interval.segments()) AddSegment(segment);
  const SlotIndexes& indexes = state_.intervals.indexes();
  const RegClassId reg_class = state_.function.reg_info().reg_class(interval.reg());
  uint32_t touch = 0;
  for (BlockInfo& info : blocks_) {
    const SlotIndex start = indexes.BlockStart(*info.block);
    const SlotIndex end = indexes.BlockEnd(*info.block);
    // Touches outside all segments are undef uses.
    while (touch < touches_.size() && touches_[touch].index < start) ++touch;
    info.first_touch = touch;
    while (touch < touches_.size() && touches_[touch].index < end) ++touch;
    info.end_touch = touch;
    if (!info.interferes) continue;
    info.interferes_at_entry =
        info.is_live_in && !FitsBetween(state_.matrix, state_.function, reg_class, start, start.Next());
    info.interferes_at_exit =
        info.is_live_out && !FitsBetween(state_.matrix, state_.function, reg_class, end.Previous(), end);
  }
}

}  // namespace ptxmir
