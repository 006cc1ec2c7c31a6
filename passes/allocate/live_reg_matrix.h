// SPDX-License-Identifier: Apache-2.0

// live-reg-matrix: how many registers the intervals that have been assigned need, at every point.
//
// LLVM's LiveRegMatrix holds for each unit of the physical registers the intervals that occupy it. PTX has no register
// file; what allocation competes for is a budget. So this one holds for each class, and for all classes together in
// units of 32 bits (RegClassDesc::pressure_units; predicates have none and are counted in their class alone), how much
// is live at each point. An interval interferes where it would exceed a limit.
//
// Two positions an instruction (or block's beginning): while it reads, with what it clobbers early, and from where it
// writes up to the next. Each count is a PressureTree over the positions; adding and asking costs
// O(segments * log(positions)). Which intervals are live at a point is found in a tree over the same positions whose
// nodes have lists of the segments that cover them: O(log(positions) + intervals).
//
// Instructions that are put in later lie between positions, and are counted with what comes before them: two ranges
// that begin and end in one such place count together there, as if they overlapped. Refresh() gives them positions.
// An interval that is assigned must not change: Unassign it, change it, Assign it. Renumbering is followed.

#ifndef PTXMIR_PASSES_ALLOCATE_LIVE_REG_MATRIX_H_
#define PTXMIR_PASSES_ALLOCATE_LIVE_REG_MATRIX_H_

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/live_intervals.h"
#include "analysis/pressure_tree.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// What is counted: the registers of a class, or the 32-bit units of all.
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

  // Pressure of what is assigned.
  int32_t PressureAt(PressureKind kind, SlotIndex index) const;
  int32_t MaxPressure(PressureKind kind, const LiveRange& range) const;
  int32_t MaxPressure(PressureKind kind, SlotIndex start, SlotIndex end) const;
  int32_t MaxPressure(PressureKind kind) const;
  // The first point of a range where the pressure is highest; invalid for an empty range.
  SlotIndex PeakOf(PressureKind kind, const LiveRange& range) const;
  SlotIndex Peak(PressureKind kind) const;
  // The first point of a range with more than `limit`; invalid when there is none.
  SlotIndex FirstOver(PressureKind kind, const LiveRange& range, int32_t limit) const;
  // The first point of the function that is over a limit that was set.
  struct Excess {
    PressureKind kind = PressureKind::Total();
    SlotIndex at;
    int32_t pressure = 0;  // there, with what was asked about
    int32_t limit = 0;
  };
  std::optional<Excess> FindExcess() const;

  // Whether assigning the interval (which is not assigned) would exceed a limit somewhere: where it would most, its
  // class asked before the total. nullopt: it fits.
  std::optional<Excess> FindInterference(const LiveInterval& interval) const;
  // Whether the range, taken for one of a register of the class, would exceed a limit anywhere: for deciding where to
  // split. The first such point.
  std::optional<Excess> FirstInterference(RegClassId reg_class, const LiveRange& range) const;

  // Appends the assigned registers that are live at the point (at either slot of its position), in order of their
  // numbers: all of them, or those that count towards `kind`.
  void CollectLiveAt(SlotIndex index, std::vector<Register>& registers) const;
  void CollectLiveAt(SlotIndex index, PressureKind kind, std::vector<Register>& registers) const;

  // Gives instructions that were put in positions of their own. O((instructions + assigned segments) * log).
  void Refresh();

  void Print(std::string& out) const override;
  // What is assigned was decided by passes: the counts are compared with those of the assigned intervals added anew.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  // A segment in the list of a node. Of a register that has been unassigned since, or assigned again, it is out of
  // date, and is dropped when the lists are made anew.
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
  // The position that holds the point, and the one behind the last that a segment with this end reaches.
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
  std::vector<SlotIndex> bases_;                      // of blocks' beginnings and instructions, in order
  std::vector<std::unique_ptr<PressureTree>> trees_;  // by class; null: none assigned yet
  PressureTree total_;
  std::vector<int32_t> limits_;       // by class, and the total's behind them
  std::vector<uint32_t> generation_;  // by virtual register: odd when assigned
  uint32_t num_assigned_ = 0;
  uint32_t num_buckets_ = 1;
  std::vector<uint32_t> heads_;  // of the lists, by node: see PressureTree
  std::vector<Cover> covers_;
  size_t num_stale_covers_ = 0;
  std::vector<uint32_t> num_covers_;  // by virtual register, while assigned
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_LIVE_REG_MATRIX_H_
