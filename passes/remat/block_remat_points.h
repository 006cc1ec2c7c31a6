// SPDX-License-Identifier: Apache-2.0

// The program points of a function and the pressure at each of them. nvptx-remat-block updates this model to
// evaluate a rematerialization before it edits anything.
//
// Points are numbered in layout order: one for each instruction that is not a debug instruction, and one after the
// last instruction of each block, for the registers that are live out of it. A register is live at the points from
// after its definition up to its last use. A use by a PHI, like a use by a terminator, is assigned to the first
// terminator of the block that it comes from, because a clone would be inserted there. Pressure comes from
// machine-rpa and is kept in a PressureTree (range add, range max). In a block whose peak is at most the target,
// every point is assumed to be at the peak, which is never too low.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "analysis/pressure/pressure_tree.h"
#include "passes/remat/block_remat_pressure.h"

namespace ptxmir {

// The points [first, last).
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
  RematPoints(MachineFunction& function, const RematPressure& pressure, uint32_t target);

  uint32_t target() const { return target_; }
  uint32_t num_points() const { return tree_.size(); }
  uint32_t First(BlockNumber block) const { return bounds_[block].first; }
  // Returns the point after the last instruction.
  uint32_t End(BlockNumber block) const { return bounds_[block].last; }
  // Returns the latest point at which the operands of the block's terminators and of its successors' PHIs can be
  // computed.
  uint32_t TerminatorPoint(BlockNumber block) const { return terminators_[block]; }
  uint32_t PointOf(const MachineInstr& instr) const { return point_of_id_[instr.id()]; }
  // Returns the point at which an operand reads its register.
  PointInBlock PointOfUse(const MachineOperand& use) const;

  // Returns true if a point in [first, last) is currently over the target.
  bool IsHot(uint32_t first, uint32_t last) const {
    return first < last && tree_.Max(first, last) > static_cast<int32_t>(target_);
  }
  // Returns true if a point in [first, last) was over the target before anything was added.
  bool WasHot(uint32_t first, uint32_t last) const { return first < last && excess_[last] > excess_[first]; }
  // Returns the first point with the most units. There is at least one point.
  PointInBlock Peak() const;
  uint32_t MaxUnits() const { return static_cast<uint32_t>(std::max(0, tree_.Max(0, tree_.size()))); }
  void Add(absl::Span<const PointRange> ranges, int32_t units) {
    for (const PointRange& range : ranges) tree_.Add(range.first, range.last, units);
  }
  // Returns the initial excess over the target, summed over the points in the ranges.
  uint64_t Excess(absl::Span<const PointRange> ranges) const;
  // Returns the initial excess over the target at one point.
  uint64_t ExcessAt(uint32_t point) const { return excess_[point + 1] - excess_[point]; }

  // Returns the point after the last one in the block at which the register is read, PHIs of successors excluded, or 0
  // if there is none.
  uint32_t EndOfReads(Register reg, BlockNumber block) const;
  // Returns the last point before `point` in the block at which the register is read, or `fallback` if there is
  // none.
  uint32_t LastReadBefore(Register reg, BlockNumber block, uint32_t point, uint32_t fallback) const;

 private:
  void NumberPoints(MachineFunction& function);
  void FillPressure(MachineFunction& function, const RematPressure& pressure);
  absl::Span<const uint32_t> Reads(Register reg) const;

  // The points at which a register is read: `count` of them from `first` on in `reads_`.
  struct ReadsOfRegister {
    uint32_t first = 0;
    uint32_t count = 0;
    bool is_known = false;
  };

  const MachineRegisterInfo& reg_info_;
  const uint32_t target_;
  PressureTree tree_;
  std::vector<PointRange> bounds_;           // by block: the first point and the end
  std::vector<BlockNumber> layout_;          // the blocks in the order of their points
  std::vector<uint32_t> terminators_;        // by block
  std::unique_ptr<uint32_t[]> point_of_id_;  // by instruction id
  std::vector<uint64_t> excess_;             // prefix sums of the excess
  // Collected when first asked for.
  mutable std::vector<uint32_t> reads_;  // ascending for each register
  mutable std::vector<ReadsOfRegister> reads_of_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_POINTS_H_
