// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_points.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "mir/code/operand_ranges.h"

namespace ptxmir {

RematPoints::RematPoints(MachineFunction& function, const RematPressure& pressure, uint32_t target)
    : reg_info_(function.reg_info()), target_(target), reads_of_(reg_info_.num_virtual_registers()) {
  NumberPoints(function);
  FillPressure(function, pressure);
}

void RematPoints::NumberPoints(MachineFunction& function) {
  bounds_.resize(function.block_number_bound());
  terminators_.resize(function.block_number_bound());
  point_of_id_ = std::make_unique_for_overwrite<uint32_t[]>(function.arena().id_bound());
  uint32_t point = 0;
  for (const MachineBasicBlock& block : function) {
    layout_.push_back(block.number());
    bounds_[block.number()].first = point;
    const MachineInstr* const terminator = block.FirstTerminator();
    uint32_t terminator_point = PressureTree::kNone;
    for (const MachineInstr& instr : block) {
      if (&instr == terminator) terminator_point = point;
      point_of_id_[instr.id()] = point;
      if (!instr.is_debug()) ++point;
    }
    bounds_[block.number()].last = point;
    terminators_[block.number()] = terminator == nullptr ? point : terminator_point;
    ++point;
  }
  excess_.assign(point + 1, 0);
}

void RematPoints::FillPressure(MachineFunction& function, const RematPressure& pressure) {
  std::vector<int32_t> units_at(excess_.size() - 1);
  std::vector<uint32_t> units_at_instrs;
  for (const MachineBasicBlock& block : function) {
    const PointRange bounds = bounds_[block.number()];
    const uint32_t peak = pressure.Peak(block);
    if (peak <= target_) {
      std::fill(units_at.begin() + bounds.first, units_at.begin() + bounds.last + 1, static_cast<int32_t>(peak));
      continue;
    }
    pressure.AtInstrs(block, units_at_instrs);
    uint32_t point = bounds.first;
    for (const uint32_t units : units_at_instrs) {
      units_at[point++] = static_cast<int32_t>(units);
      excess_[point] = units > target_ ? units - target_ : 0;
    }
    assert(point == bounds.last);
    const uint32_t at_exit = pressure.AtEnd(block);
    units_at[bounds.last] = static_cast<int32_t>(at_exit);
    excess_[bounds.last + 1] = at_exit > target_ ? at_exit - target_ : 0;
  }
  tree_ = PressureTree(std::move(units_at));
  for (size_t i = 1; i < excess_.size(); ++i) excess_[i] += excess_[i - 1];
}

PointInBlock RematPoints::PointOfUse(const MachineOperand& use) const {
  const MachineInstr& instr = *use.parent();
  if (instr.is_phi()) {
    const BlockNumber block = PhiIncoming(use).predecessor();
    return {block, TerminatorPoint(block)};
  }
  const BlockNumber block = instr.parent()->number();
  return {block, std::min(PointOf(instr), TerminatorPoint(block))};
}

PointInBlock RematPoints::Peak() const {
  const uint32_t point = tree_.FirstMax(0, tree_.size());
  const auto after = std::upper_bound(layout_.begin(), layout_.end(), point,
                                      [&](uint32_t at, BlockNumber block) { return at < First(block); });
  return {*(after - 1), point};
}

uint64_t RematPoints::Excess(absl::Span<const PointRange> ranges) const {
  uint64_t sum = 0;
  for (const PointRange& range : ranges) {
    if (range.first < range.last) sum += excess_[range.last] - excess_[range.first];
  }
  return sum;
}

absl::Span<const uint32_t> RematPoints::Reads(Register reg) const {
  const uint32_t index = reg.virtual_index();
  if (index >= reads_of_.size()) return {};
  ReadsOfRegister& of_register = reads_of_[index];
  if (!of_register.is_known) {
    const size_t first = reads_.size();
    for (const MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      if (!use.is_undef() && !use.parent()->is_phi()) reads_.push_back(PointOfUse(use).point);
    }
    const auto begin = reads_.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::is_sorted(begin, reads_.end())) std::sort(begin, reads_.end());
    of_register = {static_cast<uint32_t>(first), static_cast<uint32_t>(reads_.size() - first), true};
  }
  return absl::MakeConstSpan(reads_).subspan(of_register.first, of_register.count);
}

uint32_t RematPoints::EndOfReads(Register reg, BlockNumber block) const {
  const absl::Span<const uint32_t> reads = Reads(reg);
  const auto after = std::upper_bound(reads.begin(), reads.end(), End(block));
  return after != reads.begin() && *(after - 1) >= First(block) ? *(after - 1) + 1 : 0;
}

uint32_t RematPoints::LastReadBefore(Register reg, BlockNumber block, uint32_t point, uint32_t fallback) const {
  const absl::Span<const uint32_t> reads = Reads(reg);
  const auto next = std::lower_bound(reads.begin(), reads.end(), point);
  return next != reads.begin() && *(next - 1) >= First(block) ? *(next - 1) : fallback;
}

}  // namespace ptxmir
