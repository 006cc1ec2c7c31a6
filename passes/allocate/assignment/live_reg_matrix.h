// SPDX-License-Identifier: Apache-2.0

// live-reg-matrix: the number of registers that the assigned intervals need at every point.
//
// LLVM's LiveRegMatrix stores for each unit of the physical registers the intervals that occupy it. PTX has no
// register file; allocation competes for a budget. This analysis therefore stores the amount that is live at each
// point, for each class and for all classes together. The total is in units of 32 bits
// (RegClassDesc::pressure_units; predicates have none and count only in their class). An interval interferes where
// it would exceed a limit.
//
// There are two positions per instruction (or block beginning): one while it reads, which includes early clobbers,
// and one from where it writes up to the next instruction. Each count is a PressureTree over the positions;
// updates and queries take O(segments * log(positions)). The intervals that are live at a point are found in a
// tree over the same positions whose nodes have lists of the segments that cover them: O(log(positions) +
// intervals).
//
// Instructions inserted later lie between positions and are counted with the position before them. Two ranges that
// begin and end at one such place therefore count as if they overlapped. Refresh() gives the instructions
// positions of their own. An assigned interval must not change: Unassign it, change it, Assign it. Renumberings
// are tracked.

#ifndef PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_REG_MATRIX_H_
#define PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_REG_MATRIX_H_

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/liveness/live_intervals.h"
#include "analysis/pressure/pressure_tree.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The quantity to count: the registers of a class, or the 32-bit units of all classes.
class PressureKind {
 public:
  static constexpr PressureKind Class(RegClassId reg_class) { return PressureKind(reg_class); }
  static constexpr PressureKind Total() { return PressureKind(kTotal); }
  constexpr bool is_total() const { return bits_ == kTotal; }
  constexpr RegClassId reg_class() const { return bits_; }
  friend constexpr bool operator==(PressureKind, PressureKind) = default;

 private:
  static constexpr uint8_t kTotal = kNoRegClass;
  constexpr explicit PressureKind(uint8_t bits) : bits_(bits) {}
  uint8_t bits_;
};

class LiveRegMatrix : public Analysis, private SlotRenumberingListener {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kLiveRegMatrix;
  static constexpr int32_t kNoLimit = std::numeric_limits<int32_t>::max();

  LiveRegMatrix(MachineFunction& function, AnalysisManager& analyses);
  ~LiveRegMatrix() override { intervals_.indexes().RemoveListener(*this); }

  void SetLimit(PressureKind kind, int32_t limit);
  int32_t Limit(PressureKind kind) const;

  void Assign(const LiveInterval& interval);
  void Unassign(const LiveInterval& interval);
  bool IsAssigned(Register reg) const {
    return reg.virtual_index() < generation_.size() && generation_[reg.virtual_index()] % 2 == 1;
  }
  uint32_t num_assigned() const { return num_assigned_; }

  // Return the pressure of the assigned intervals.
  int32_t PressureAt(PressureKind kind, SlotIndex index) const;
  int32_t MaxPressure(PressureKind kind, const LiveRange& range) const;
  int32_t MaxPressure(PressureKind kind, SlotIndex start, SlotIndex end) const;
  int32_t MaxPressure(PressureKind kind) const;
  // Returns the first point of a range where the pressure is highest, or an invalid index for an empty range.
  SlotIndex PeakOf(PressureKind kind, const LiveRange& range) const;
  SlotIndex Peak(PressureKind kind) const;
  // Returns the first point of a range with a pressure above `limit`, or an invalid index if there is none.
  SlotIndex FirstOver(PressureKind kind, const LiveRange& range, int32_t limit) const;
  // Append the points with a pressure above `limit`, in order and at most `max_points`: those of a range, or of the
  // function. O(log(positions)) for each.
  void CollectOver(PressureKind kind, const LiveRange& range, int32_t limit, size_t max_points,
                   std::vector<SlotIndex>& points) const;
  void CollectOver(PressureKind kind, int32_t limit, size_t max_points, std::vector<SlotIndex>& points) const;
  // A point where the pressure exceeds a limit that was set. FindExcess returns the first such point of the
  // function.
  struct Excess {
    PressureKind kind = PressureKind::Total();
    SlotIndex at;
    int32_t pressure = 0;  // at that point, including the interval that was asked about
    int32_t limit = 0;
  };
  std::optional<Excess> FindExcess() const;

  // Returns the point where assigning the interval, which is not assigned, would exceed a limit by the most; its
  // class is checked before the total. Returns nullopt if the interval fits.
  std::optional<Excess> FindInterference(const LiveInterval& interval) const;
  // Returns the first point at which the range, as a range of a register of the class, would exceed a limit, or
  // nullopt if there is none. For deciding where to split.
  std::optional<Excess> FirstInterference(RegClassId reg_class, const LiveRange& range) const;

  // Append the assigned registers that are live at the point (at either slot of its position), in order of their
  // numbers: all of them, or those that count towards `kind`.
  void CollectLiveAt(SlotIndex index, std::vector<Register>& registers) const;
  void CollectLiveAt(SlotIndex index, PressureKind kind, std::vector<Register>& registers) const;

  // Gives inserted instructions positions of their own. O((instructions + assigned segments) * log).
  void Refresh();

  void Print(std::string& out) const override;
  // Compares the counts with those recomputed from the assigned intervals. The assignment itself was decided by
  // passes and cannot be recomputed.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  // A segment in the list of a node. It is stale if its register has since been unassigned or reassigned, and is
  // dropped when the lists are rebuilt.
  struct Cover {
    Register reg;
    uint32_t generation;
    uint32_t next;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  int32_t UnitsOf(RegClassId reg_class) const { return function_.target().reg_classes[reg_class].pressure_units; }
  RegClassId ClassOf(const LiveInterval& interval) const { return function_.reg_info().reg_class(interval.reg()); }
  const PressureTree* TreeOf(PressureKind kind) const {
    return kind.is_total() ? &total_ : trees_[kind.reg_class()].get();
  }
  PressureTree& MutableTree(RegClassId reg_class);

  void BuildPositions();
  // Return the position that contains the point, and one past the last position that a segment with this end
  // reaches.
  uint32_t PositionOf(SlotIndex index) const;
  uint32_t EndPosition(SlotIndex end) const;
  SlotIndex IndexOf(uint32_t position) const;
  void AddPressure(const LiveInterval& interval, int32_t sign);
  void AddCovers(const LiveInterval& interval);
  void AddCover(uint32_t node, Register reg);
  void RebuildCovers();
  std::optional<Excess> Interference(PressureKind kind, int32_t amount, const LiveRange& range, bool first) const;
  void OnRenumbering(const SlotRenumbering& renumbering) override;

  MachineFunction& function_;
  LiveIntervals& intervals_;
  std::vector<SlotIndex> bases_;                      // the beginnings of blocks and the instructions, in order
  std::vector<std::unique_ptr<PressureTree>> trees_;  // by class; null if no register of the class has been assigned
                                                      // yet
  PressureTree total_;
  std::vector<int32_t> limits_;       // by class; the limit of the total comes last
  std::vector<uint32_t> generation_;  // by virtual register: odd while it is assigned
  uint32_t num_assigned_ = 0;
  uint32_t num_buckets_ = 1;
  std::vector<uint32_t> heads_;  // the heads of the lists, by node; see PressureTree
  std::vector<Cover> covers_;
  size_t num_stale_covers_ = 0;
  std::vector<uint32_t> num_covers_;  // by virtual register, while assigned
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_ASSIGNMENT_LIVE_REG_MATRIX_H_
