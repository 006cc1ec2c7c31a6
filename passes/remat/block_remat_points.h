// SPDX-License-Identifier: Apache-2.0

// The program points of a function with the registers that are live there, as nvptx-remat-block changes them in
// thought: for trying out what rematerialization would do to the pressure before anything is edited.
//
// Points are numbers in layout order: one for each instruction that is no debug instruction, and one behind the last
// of each block, for what is live out of it. A register is live at the points behind its definition up to its last
// use. A use by a PHI stands, like one by a terminator, at the first terminator of the block that it comes from:
// there a clone would be put. Pressure comes from machine-rpa; a PressureTree holds it (range add, range max). In
// blocks whose peak is at most the target every point is taken to be at the peak, which is never too low.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/pressure_tree.h"

namespace ptxmir {

// Points [first, last).
struct PointRange {
  uint32_t first = 0;
  uint32_t last = 0;
};

// A point in a block, where something is read or computed.
struct PointInBlock {
  BlockNumber block = 0;
  uint32_t point = 0;
};

class RematPoints {
 public:
  RematPoints(MachineFunction& function, const MachineRegisterPressure& pressure, uint32_t target);

  uint32_t target() const { return target_; }
  uint32_t num_points() const { return tree_.size(); }
  uint32_t First(BlockNumber block) const { return bounds_[block].first; }
  // The point behind the last instruction.
  uint32_t End(BlockNumber block) const { return bounds_[block].last; }
  // Where what the block's terminators and its successors' PHIs read is computed at the latest.
  uint32_t TerminatorPoint(BlockNumber block) const { return terminators_[block]; }
  uint32_t PointOf(const MachineInstr& instr) const { return point_of_id_[instr.id()]; }
  // Where an operand reads its register.
  PointInBlock PointOfUse(const MachineOperand& use) const;

  // Over the target, now.
  bool IsHot(uint32_t first, uint32_t last) const {
    return first < last && tree_.Max(first, last) > static_cast<int32_t>(target_);
  }
  uint32_t MaxUnits() const { return static_cast<uint32_t>(std::max(0, tree_.Max(0, tree_.size()))); }
  void Add(absl::Span<const PointRange> ranges, int32_t units) {
    for (const PointRange& range : ranges) tree_.Add(range.first, range.last, units);
  }
  // What was over the target at first in the ranges, summed up over their points.
  uint64_t Excess(absl::Span<const PointRange> ranges) const;

  // Whether the register is read in the block at the point or behind it (not by PHIs of successors).
  bool IsReadFrom(Register reg, BlockNumber block, uint32_t point) const;
  // The last point before `point` in the block at which it is read; `fallback` if there is none.
  uint32_t LastReadBefore(Register reg, BlockNumber block, uint32_t point, uint32_t fallback) const;

 private:
  void NumberPoints(MachineFunction& function);
  void FillPressure(MachineFunction& function, const MachineRegisterPressure& pressure);
  void CollectReads(MachineFunction& function);
  absl::Span<const uint32_t> Reads(Register reg) const;

  const uint32_t target_;
  PressureTree tree_;
  std::vector<PointRange> bounds_;            // by block: first point and end
  std::vector<uint32_t> terminators_;         // by block
  std::vector<uint32_t> point_of_id_;         // by id of instruction
  std::vector<uint64_t> excess_;              // sums up to each point
  std::vector<uint32_t> reads_, first_read_;  // points, ascending for each register; where a register's begin
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_
