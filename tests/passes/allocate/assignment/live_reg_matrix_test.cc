// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/live_reg_matrix.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/allocate/assignment/virt_reg_map.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

TEST(PressureTreeTest, RandomEditsAgainstAnArray) {
  std::mt19937 random(1);
  for (const uint32_t size : {1u, 31u, 32u, 33u, 100u, 1000u, 4097u}) {
    PressureTree tree(size);
    std::vector<int32_t> array(size);
    for (int round = 0; round < 400; ++round) {
      uint32_t first = random() % size;
      uint32_t last = random() % (size + 1);
      if (first > last) std::swap(first, last);
      const int32_t amount = static_cast<int32_t>(random() % 7) - 3;
      tree.Add(first, last, amount);
      for (uint32_t i = first; i < last; ++i) array[i] += amount;
      first = random() % size;
      last = random() % (size + 1);
      if (first > last) std::swap(first, last);
      if (first == last) {
        EXPECT_EQ(tree.Max(first, last), 0);
        EXPECT_EQ(tree.FirstMax(first, last), PressureTree::kNone);
        continue;
      }
      const auto max = std::max_element(array.begin() + first, array.begin() + last);
      ASSERT_EQ(tree.Max(first, last), *max);
      ASSERT_EQ(tree.FirstMax(first, last), max - array.begin());
      const int32_t limit = static_cast<int32_t>(random() % 9) - 4;
      const auto over = std::find_if(array.begin() + first, array.begin() + last, [&](int32_t n) { return n > limit; });
      ASSERT_EQ(tree.FirstOver(first, last, limit),
                over == array.begin() + last ? PressureTree::kNone : static_cast<uint32_t>(over - array.begin()));
      ASSERT_EQ(tree.At(first), array[first]);
    }
  }
}

// Counts at single slots, interval by interval.
class Reference {
 public:
  Reference(const MachineFunction& function, const LiveIntervals& intervals)
      : function_(function), intervals_(intervals) {
    for (const MachineBasicBlock& block : function) {
      Add(intervals.indexes().BlockStart(block));
      for (const MachineInstr& instr : block) {
        if (SlotIndexes::IsIndexed(instr)) Add(intervals.indexes().InstrIndex(instr));
      }
    }
  }
  std::set<Register> assigned;

  // The two slots of each instruction at which its positions begin.
  const std::vector<SlotIndex>& points() const { return points_; }

  std::vector<Register> LiveAt(SlotIndex point) const {
    std::vector<Register> live;
    for (const Register reg : assigned) {
      const LiveInterval& interval = intervals_.Interval(reg);
      // When an instruction reads its operands, early-clobber results are already written.
      if (interval.LiveAt(point) || (point.is_block() && interval.LiveAt(point.RegSlot(true)))) live.push_back(reg);
    }
    return live;
  }
  // Returns the pressure at every point.
  std::vector<int32_t> Pressure(PressureKind kind, const std::vector<std::vector<Register>>& live) const {
    std::vector<int32_t> pressure;
    for (const std::vector<Register>& registers : live) {
      int32_t count = 0;
      for (const Register reg : registers) {
        const RegClassId reg_class = function_.reg_info().reg_class(reg);
        if (kind.is_total()) count += function_.target().reg_classes[reg_class].pressure_units;
        if (!kind.is_total() && reg_class == kind.reg_class()) ++count;
      }
      pressure.push_back(count);
    }
    return pressure;
  }

 private:
  void Add(SlotIndex base) {
    points_.push_back(base);
    points_.push_back(base.RegSlot());
  }
  const MachineFunction& function_;
  const LiveIntervals& intervals_;
  std::vector<SlotIndex> points_;
};

void ExpectAsReference(MachineFunction& function, const std::string& where) {
  std::mt19937 random(function.reg_info().num_virtual_registers());
  AnalysisManager analyses(function);
  LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
  Reference reference(function, intervals);
  const PressureKind kinds[] = {PressureKind::Class(ptx::reg_class::kB1), PressureKind::Class(ptx::reg_class::kB32),
                                PressureKind::Class(ptx::reg_class::kB64), PressureKind::Total()};
  for (int step = 0; step < 4; ++step) {
    for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
      const LiveInterval& interval = intervals.Interval(Register::Virtual(i));
      if (random() % 2 == 0) continue;
      if (matrix.IsAssigned(interval.reg())) {
        matrix.Unassign(interval);
        reference.assigned.erase(interval.reg());
      } else {
        matrix.Assign(interval);
        reference.assigned.insert(interval.reg());
      }
    }
    ASSERT_EQ(matrix.num_assigned(), reference.assigned.size());
    std::vector<std::vector<Register>> live_at;
    for (const SlotIndex point : reference.points()) live_at.push_back(reference.LiveAt(point));
    for (const PressureKind kind : kinds) {
      const std::vector<int32_t> pressure = reference.Pressure(kind, live_at);
      for (size_t i = 0; i < pressure.size(); i += 5) {
        ASSERT_EQ(matrix.PressureAt(kind, reference.points()[i]), pressure[i]) << where;
      }
      const auto peak = std::max_element(pressure.begin(), pressure.end());
      ASSERT_EQ(matrix.MaxPressure(kind), *peak) << where;
      ASSERT_EQ(matrix.Peak(kind), reference.points()[static_cast<size_t>(peak - pressure.begin())]) << where;
      const Register reg = Register::Virtual(static_cast<uint32_t>(random() % intervals.num_intervals()));
      const LiveInterval& range = intervals.Interval(reg);
      int32_t max = 0;
      for (size_t i = 0; i < pressure.size(); ++i) {
        const SlotIndex point = reference.points()[i];
        if (range.LiveAt(point) || (point.is_block() && range.LiveAt(point.RegSlot(true))))
          max = std::max(max, pressure[i]);
      }
      ASSERT_EQ(matrix.MaxPressure(kind, range), max) << where;
      if (max > 0) {
        const SlotIndex at = matrix.PeakOf(kind, range);
        ASSERT_TRUE(range.LiveAt(at)) << where;
        ASSERT_EQ(matrix.PressureAt(kind, at), max) << where;
        ASSERT_TRUE(matrix.FirstOver(kind, range, max - 1).is_valid()) << where;
      }
      ASSERT_FALSE(matrix.FirstOver(kind, range, max).is_valid()) << where;
    }
    for (int i = 0; i < 8; ++i) {
      const SlotIndex point = reference.points()[random() % reference.points().size()];
      std::vector<Register> live;
      matrix.CollectLiveAt(point, live);
      ASSERT_EQ(live, reference.LiveAt(point)) << where;
    }
  }
  ASSERT_EQ(matrix.DifferenceFrom(matrix), "") << where;
}

TEST(LiveRegMatrixTest, GeneratedFunctions) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 16, ExpectAsReference);
}

constexpr char kStraight[] = R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b32 = ADD32ri %0, 1
    %3:b64 = ADD64ri %1, 1
    %4:b1 = SETP_i32rr %0, %2, 1
    KILL %2, %3, %4
    Return
)";

TEST(LiveRegMatrixTest, LimitsAndInterferenceByHand) {
  const auto module = ReadBody(kStraight);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
  const auto interval = [&](uint32_t i) -> LiveInterval& { return intervals.Interval(Register::Virtual(i)); };
  const PressureKind words = PressureKind::Class(ptx::reg_class::kB32);
  matrix.SetLimit(PressureKind::Total(), 4);
  for (const uint32_t i : {0u, 2u, 4u}) matrix.Assign(interval(i));
  // %0 and %2 from 48r to 80r.
  EXPECT_EQ(matrix.MaxPressure(words), 2);
  EXPECT_EQ(matrix.MaxPressure(PressureKind::Total()), 2);
  EXPECT_EQ(matrix.MaxPressure(PressureKind::Class(ptx::reg_class::kB1)), 1);
  EXPECT_EQ(intervals.indexes().ToString(matrix.Peak(words)), "48r");
  EXPECT_FALSE(matrix.FindInterference(interval(1)).has_value());
  matrix.Assign(interval(1));
  // From 64r on, %3 takes the place that %1 left.
  EXPECT_FALSE(matrix.FindInterference(interval(3)).has_value());
  matrix.Assign(interval(3));
  EXPECT_FALSE(matrix.FindExcess().has_value());
  matrix.SetLimit(PressureKind::Total(), 3);
  const auto excess = matrix.FindExcess();
  ASSERT_TRUE(excess.has_value());
  EXPECT_TRUE(excess->kind.is_total());
  EXPECT_EQ(intervals.indexes().ToString(excess->at), "48r");
  EXPECT_EQ(excess->pressure, 4);
  matrix.Unassign(interval(1));
  matrix.Unassign(interval(3));
  ASSERT_TRUE(matrix.FindInterference(interval(1)).has_value());
  EXPECT_EQ(intervals.indexes().ToString(matrix.FindInterference(interval(1))->at), "48r");
  EXPECT_EQ(intervals.indexes().ToString(matrix.FirstInterference(ptx::reg_class::kB64, interval(3))->at), "64r");
  std::vector<Register> live;
  matrix.CollectLiveAt(excess->at, words, live);
  EXPECT_EQ(live, (std::vector<Register>{Register::Virtual(0), Register::Virtual(2)}));
  std::string text;
  matrix.Print(text);
  EXPECT_EQ(text,
            "Live register matrix of machine function: f, 3 registers assigned\n"
            "b1: 1 at 80r\nb32: 2 at 48r\nunits of 32 bits: 2 at 48r, limit 3\n");
  EXPECT_EQ(analyses.CheckCached(), "");
}

TEST(LiveRegMatrixTest, FollowsInsertionsAndRenumbering) {
  const auto module = ReadBody(kStraight);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
  for (uint32_t i = 0; i < 5; ++i) matrix.Assign(intervals.Interval(Register::Virtual(i)));
  MachineInstr* place = function.front()->back();
  for (int i = 0; i < 100; ++i) {
    const Register reg = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB32);
    intervals.InsertInstr(*BuildMI(*function.front(), place, generic::kImplicitDef).AddDef(reg).Insert());
    intervals.InsertInstr(*BuildMI(*function.front(), place, generic::kKill).AddUse(reg).Insert());
    matrix.Assign(intervals.ComputeInterval(reg));
  }
  ASSERT_EQ(analyses.CheckCached(), "");
  // Put all into one place, until it has room.
  EXPECT_EQ(matrix.MaxPressure(PressureKind::Class(ptx::reg_class::kB32)), 100);
  matrix.Refresh();
  EXPECT_EQ(matrix.MaxPressure(PressureKind::Class(ptx::reg_class::kB32)), 2);
  ASSERT_EQ(analyses.CheckCached(), "");
}

TEST(LiveRegMatrixTest, CheckFindsAnIntervalThatChangedWhileAssigned) {
  const auto module = ReadBody(kStraight);
  AnalysisManager analyses(OnlyFunction(*module));
  LiveInterval& interval = analyses.Get<LiveIntervals>().Interval(Register::Virtual(0));
  LiveRegMatrix& matrix = analyses.Get<LiveRegMatrix>();
  matrix.Assign(interval);
  interval.RemoveSegment(interval.begin_index(), interval.end_index());
  EXPECT_NE(matrix.DifferenceFrom(matrix), "");
}

TEST(VirtRegMapTest, ColorsSlotsAndOriginals) {
  const auto module = ReadBody(kStraight);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  VirtRegMap& map = analyses.Get<VirtRegMap>();
  const Register word = Register::Virtual(0);
  const Register wide = Register::Virtual(1);
  const Register predicate = Register::Virtual(4);
  EXPECT_FALSE(map.HasColor(word));
  map.Assign(word, 7);
  EXPECT_EQ(map.Color(word), 7u);
  EXPECT_EQ(map.NumColors(ptx::reg_class::kB32), 8u);
  EXPECT_EQ(map.NumColors(ptx::reg_class::kB64), 0u);
  const Register piece = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
  const Register smaller = function.reg_info().CreateVirtualRegister(ptx::reg_class::kB64);
  map.SetSplitFrom(piece, wide);
  map.SetSplitFrom(smaller, piece);
  EXPECT_EQ(map.Original(smaller), wide);
  EXPECT_EQ(map.SplitFrom(smaller), piece);
  EXPECT_EQ(map.Original(word), word);
  const int slot = map.AssignStackSlot(smaller);
  EXPECT_EQ(map.StackSlot(wide), slot);
  EXPECT_EQ(map.AssignStackSlot(piece), slot);
  EXPECT_EQ(function.frame_info().object(slot).size, 8u);
  EXPECT_EQ(function.frame_info().object(slot).align_log2, 3);
  EXPECT_EQ(function.frame_info().object(slot).type, StackObject::Type::kSpillSlot);
  EXPECT_EQ(function.frame_info().object(map.AssignStackSlot(predicate)).size, 4u);
  std::string text;
  map.Print(text);
  EXPECT_EQ(text,
            "********** REGISTER MAP **********\n[%0 -> b32#7] b32\n[%1 -> fi#0] b64\n[%4 -> fi#1] b1\n"
            "[%5 -> fi#0] b64\n[%6 -> fi#0] b64\n");
  EXPECT_EQ(analyses.CheckCached(), "");
  map.ClearAssignment(word);
  EXPECT_FALSE(map.HasColor(word));
}

}  // namespace
}  // namespace ptxmir
