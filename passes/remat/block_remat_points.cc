// SPDX-License-Identifier: Apache-2.0

#include "passes/remat/block_remat_points.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "mir/code/operand_ranges.h"

namespace ptxmir {

RematPoints::RematPoints(MachineFunction& function, const RematPressure& pressure, uint32_t target) : target_(target) {
  NumberPoints(function);
  FillPressure(function, pressure);
  CollectReads(function);
}

void RematPoints::NumberPoints(MachineFunction& function) {
  bounds_.resize(function.block_number_bound());
  terminators_.resize(function.block_number_bound());
  point_of_id_.resize(function.arena().id_bound());
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

void RematPoints::CollectReads(MachineFunction& function) {
  const uint32_t num_registers = function.reg_info().num_virtual_registers();
  first_read_.assign(num_registers + 1, 0);
  const auto for_each_read = [&](auto visit) {
    for (const MachineBasicBlock& block : function) {
      for (const MachineInstr& instr : block) {
        if (instr.is_debug() || instr.is_phi()) continue;
        const uint32_t point = std::min(PointOf(instr), TerminatorPoint(block.number()));
        for (const MachineOperand& read : VirtualReads(instr)) visit(read.reg().virtual_index(), point);
      }
    }
  };
  for_each_read([&](uint32_t reg, uint32_t) { ++first_read_[reg]; });
  uint32_t sum = 0;
  for (uint32_t& first : first_read_) {
    const uint32_t count = first;
    first = sum;
    sum += count;
  }
  reads_.resize(sum);
  std::vector<uint32_t> next(first_read_.begin(), first_read_.end());
  for_each_read([&](uint32_t reg, uint32_t point) { reads_[next[reg]++] = point; });
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
  if (index + 1 >= first_read_.size()) return {};
  return absl::MakeConstSpan(reads_).subspan(first_read_[index], first_read_[index + 1] - first_read_[index]);
}

bool RematPoints::IsReadFrom(Register reg, BlockNumber block, uint32_t point) const {
  const absl::Span<const uint32_t> reads = Reads(reg);
  const auto next = std::lower_bound(reads.begin(), reads.end(), point);
  return next != reads.end() && *next <= End(block);
}

uint32_t RematPoints::LastReadBefore(Register reg, BlockNumber block, uint32_t point, uint32_t fallback) const {
  const absl::Span<const uint32_t> reads = Reads(reg);
  const auto next = std::lower_bound(reads.begin(), reads.end(), point);
  return next != reads.begin() && *(next - 1) >= First(block) ? *(next - 1) : fallback;
}

}  // namespace ptxmir
