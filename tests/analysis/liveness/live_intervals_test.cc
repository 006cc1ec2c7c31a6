// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_intervals.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "tests/analysis/liveness/live_reference.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

std::string Ranges(const LiveIntervals& intervals) {
  std::string text;
  intervals.Print(text);
  const size_t begin = text.find("INTERVALS **********\n") + 21;
  return text.substr(begin, text.find("RegMasks") - begin);
}

// Both texts below are the output of llc-22 -passes='print<live-intervals>'. The differences are the numbers of
// values, which LLVM takes from use lists, and $envreg1, which LLVM does not track.

TEST(LiveIntervalsTest, SsaFormByHand) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b32 = IMPLICIT_DEF
    %2:b32 = ADD32ri %0, 1
  bb.1:
    successors: %bb.1, %bb.2
    %3:b32 = PHI %0, %bb.0, %4, %bb.1
    DBG_VALUE %2, $noreg
    %4:b32 = ADD32ri %3, 1
    %5:b1 = SETP_i32ri %4, 10, 1
    CBranch %5, %bb.1
  bb.2:
    %6:b32 = ADD32rr %4, %1
    Return
)");
  AnalysisManager analyses(OnlyFunction(*module));
  EXPECT_EQ(Ranges(analyses.Get<LiveIntervals>()),
            "%0 [16r,64B:0) 0@16r  weight:0.000000e+00\n"
            "%1 [32r,160r:0) 0@32r  weight:0.000000e+00\n"
            "%2 [48r,48d:0) 0@48r  weight:0.000000e+00\n"
            "%3 [80r,96r:0) 0@80r  weight:0.000000e+00\n"
            "%4 [96r,160r:0) 0@96r  weight:0.000000e+00\n"
            "%5 [112r,128r:0) 0@112r  weight:0.000000e+00\n"
            "%6 [160r,160d:0) 0@160r  weight:0.000000e+00\n");
}

constexpr char kSeveralDefs[] = R"(  bb.0:
    successors: %bb.1, %bb.2
    %0:b32 = IMPLICIT_DEF
    %1:b1 = SETP_i32ri %0, 10, 1
    CBranch %1, %bb.2
  bb.1:
    successors: %bb.3
    %0:b32 = ADD32ri %0, 1
    GOTO %bb.3
  bb.2:
    successors: %bb.3
    %2:b32 = ADD32ri %0, 1
  bb.3:
    successors: %bb.3, %bb.4
    %0:b32 = ADD32ri %0, 1
    %3:b1 = SETP_i32ri %0, 10, 1
    CBranch %3, %bb.3
  bb.4:
    %4:b32 = ADD32rr %0, undef %5:b32
    early-clobber %6:b32 = ADD32rr %0, %0
    $envreg1 = COPY %6
    %7:b32 = COPY $envreg1
    Return
)";

TEST(LiveIntervalsTest, SeveralDefinitionsByHand) {
  const auto module = ReadBody(kSeveralDefs);
  AnalysisManager analyses(OnlyFunction(*module));
  EXPECT_EQ(Ranges(analyses.Get<LiveIntervals>()),
            "$envreg1 [256r,272r:0) 0@256r\n"
            "%0 [16r,80r:0)[80r,112B:1)[112B,144B:0)[144B,160r:2)[160r,240r:3) 0@16r 1@80r 2@144B-phi 3@160r"
            "  weight:0.000000e+00\n"
            "%1 [32r,48r:0) 0@32r  weight:0.000000e+00\n"
            "%2 [128r,128d:0) 0@128r  weight:0.000000e+00\n"
            "%3 [176r,192r:0) 0@176r  weight:0.000000e+00\n"
            "%4 [224r,224d:0) 0@224r  weight:0.000000e+00\n"
            "%5 EMPTY  weight:0.000000e+00\n"
            "%6 [240e,256r:0) 0@240e  weight:0.000000e+00\n"
            "%7 [272r,272d:0) 0@272r  weight:0.000000e+00\n");
}

TEST(LiveIntervalsTest, TiedAndEarlyClobberedOperandsUnreachableBlocksAndBundles) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b32 = IMPLICIT_DEF
    INLINEASM &"", 0, 2752522, def early-clobber %0:b32, 2147483657, %0(tied-def 3)
    BUNDLE implicit-def %2:b32, implicit %0 {
      %2:b32 = ADD32ri %0, 1
      %3:b32 = ADD32rr internal %2, %1
    }
    %4:b32 = ADD32rr %2, %3
    Return
  bb.1:
    successors: %bb.2
    %5:b32 = ADD32ri %1, 1
  bb.2:
    successors: %bb.2
    %6:b32 = ADD32ri %7:b32, 1
    GOTO %bb.2
)");
  AnalysisManager analyses(OnlyFunction(*module));
  // Nothing defines %1 on the path to bb.1, and nothing defines %7 at all.
  EXPECT_EQ(Ranges(analyses.Get<LiveIntervals>()),
            "%0 [16r,48e:0)[48e,64r:1) 0@16r 1@48e  weight:0.000000e+00\n"
            "%1 [32r,64r:0)[112B,128r:1) 0@32r 1@112B-phi  weight:0.000000e+00\n"
            "%2 [64r,80r:0) 0@64r  weight:0.000000e+00\n"
            "%3 [64r,80r:0) 0@64r  weight:0.000000e+00\n"
            "%4 [80r,80d:0) 0@80r  weight:0.000000e+00\n"
            "%5 [128r,128d:0) 0@128r  weight:0.000000e+00\n"
            "%6 [160r,160d:0) 0@160r  weight:0.000000e+00\n"
            "%7 [112B,192B:0) 0@112B-phi  weight:0.000000e+00\n");
}

TEST(LiveRangeTest, Queries) {
  const auto module = ReadBody(kSeveralDefs);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  const SlotIndexes& indexes = intervals.indexes();
  const LiveInterval& range = intervals.Interval(Register::Virtual(0));
  const MachineInstr* add = function.block(3)->front();
  const SlotIndex at = indexes.InstrIndex(*add);
  const LiveQuery query = range.Query(at);
  EXPECT_EQ(query.value_in, 2u);
  EXPECT_TRUE(query.is_kill);
  EXPECT_EQ(query.value_defined(), 3u);
  EXPECT_EQ(query.value_out(), 3u);
  EXPECT_EQ(range.Query(indexes.BlockStart(3)).value_in, kNoValue);  // a PHI-def is not live in
  EXPECT_EQ(range.ValueBefore(indexes.BlockEnd(2)), 0u);
  EXPECT_EQ(range.ValueAt(at.RegSlot()), 3u);
  const LiveInterval& dead = intervals.Interval(Register::Virtual(2));
  const SlotIndex def = indexes.InstrIndex(*function.block(2)->front());
  EXPECT_TRUE(dead.Query(def).is_dead_def());
  EXPECT_EQ(dead.Query(def).value_out(), kNoValue);
  EXPECT_EQ(dead.Query(def).value_out_or_dead(), 0u);
  EXPECT_EQ(intervals.DefiningInstr(range, 3), add);
  EXPECT_EQ(intervals.DefiningInstr(range, 2), nullptr);
  EXPECT_EQ(intervals.OnlyBlock(dead), function.block(2));
  EXPECT_EQ(intervals.OnlyBlock(range), nullptr);
  EXPECT_TRUE(range.Overlaps(dead));
  EXPECT_EQ(range.FirstOverlap(dead), def.RegSlot());
  EXPECT_TRUE(range.Covers(dead));
  EXPECT_FALSE(dead.Covers(range));
  EXPECT_FALSE(dead.Overlaps(intervals.Interval(Register::Virtual(1))));
  EXPECT_TRUE(range.IsLiveAtIndexes({indexes.BlockStart(0), at}));
  EXPECT_FALSE(dead.IsLiveAtIndexes({indexes.BlockStart(0), at}));
}

// Ranges of random segments against sets of points.
TEST(LiveRangeTest, RandomSegmentsAgainstSetsOfPoints) {
  std::mt19937 random(5);
  LiveRangePool pool;
  const auto index = [](uint32_t i) { return SlotIndex::FromBits(i); };
  for (int round = 0; round < 400; ++round) {
    LiveRange ranges[2] = {LiveRange(pool), LiveRange(pool)};
    std::map<uint32_t, ValueId> points[2];
    for (int r = 0; r < 2; ++r) {
      for (int i = 0; i < 3; ++i) ranges[r].CreateValue(index(1000u * 4 + 2));
      for (int edit = 0; edit < 30; ++edit) {
        const uint32_t start = random() % 200;
        const uint32_t end = start + 1 + random() % 12;
        const ValueId value = random() % 3;
        if (random() % 3 == 0) {
          ranges[r].RemoveSegment(index(start), index(end));
          for (uint32_t i = start; i < end; ++i) points[r].erase(i);
          continue;
        }
        bool clash = false;
        for (uint32_t i = start; i < end; ++i) clash |= points[r].count(i) != 0 && points[r][i] != value;
        if (clash) continue;
        ranges[r].AddSegment({index(start), index(end), value});
        for (uint32_t i = start; i < end; ++i) points[r][i] = value;
      }
      ASSERT_EQ(ranges[r].Size(), points[r].size());
      for (uint32_t i = 0; i < 220; ++i) {
        const auto it = points[r].find(i);
        ASSERT_EQ(ranges[r].ValueAt(index(i)), it == points[r].end() ? kNoValue : it->second);
      }
      for (size_t i = 1; i < ranges[r].segments().size(); ++i) {
        const LiveSegment& before = ranges[r].segments()[i - 1];
        const LiveSegment& segment = ranges[r].segments()[i];
        ASSERT_TRUE(before.end < segment.start || (before.end == segment.start && before.value != segment.value));
      }
    }
    SlotIndex first;
    bool covers = true;
    for (const auto& [point, value] : points[1]) {
      if (points[0].count(point) != 0 && !first.is_valid()) first = index(point);
      covers &= points[0].count(point) != 0;
    }
    ASSERT_EQ(ranges[0].FirstOverlap(ranges[1]), first);
    ASSERT_EQ(ranges[1].FirstOverlap(ranges[0]), first);
    ASSERT_EQ(ranges[0].Covers(ranges[1]), covers);
  }
}

TEST(LiveRangeTest, JoinedRangesHaveTheValuesOfBoth) {
  LiveRangePool pool;
  LiveRange a(pool);
  LiveRange b(pool);
  const auto index = [](uint32_t i) { return SlotIndex::FromBits(i); };
  // b is a copy of a at 22, where a ends. Later b is defined once more.
  a.AddSegment({index(2), index(22), a.CreateValue(index(2))});
  b.AddSegment({index(22), index(42), b.CreateValue(index(22))});
  b.AddSegment({index(62), index(82), b.CreateValue(index(62))});
  a.Join(b, {0}, {0, 1}, {index(2), index(62)});
  ASSERT_EQ(a.segments().size(), 2u);
  EXPECT_EQ(a.segments()[0], (LiveSegment{index(2), index(42), 0}));
  EXPECT_EQ(a.segments()[1], (LiveSegment{index(62), index(82), 1}));
  EXPECT_EQ(a.Check(), "");
  b.MergeValueInto(1, 0);
  EXPECT_TRUE(b.IsUnused(1));
  b.RenumberValues();
  EXPECT_EQ(b.num_values(), 1u);
}

TEST(LiveIntervalsTest, GeneratedFunctions) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 150, testing::ExpectIntervalsAsReference);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kPressure, 7, 1, testing::ExpectIntervalsAsReference);
}

// Rewrites a function so that registers have many definitions: merges registers of one class at random, whatever
// happens to the function's meaning.
void JoinRegistersAtRandom(MachineFunction& function, std::mt19937& random) {
  std::vector<Register> of_class[8];
  MachineRegisterInfo& registers = function.reg_info();
  for (uint32_t i = 0; i < registers.num_virtual_registers(); ++i) {
    if (random() % 4 != 0) continue;
    std::vector<Register>& others = of_class[registers.reg_class(Register::Virtual(i))];
    if (!others.empty() && random() % 8 != 0) {
      registers.ReplaceRegister(Register::Virtual(i), others[random() % others.size()]);
    } else {
      others.push_back(Register::Virtual(i));
    }
  }
}

TEST(LiveIntervalsTest, GeneratedFunctionsWithManyDefinitionsOfARegister) {
  std::mt19937 random(11);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 500, 100,
                                    [&](MachineFunction& function, const std::string& where) {
                                      JoinRegistersAtRandom(function, random);
                                      testing::ExpectIntervalsAsReference(function, where);
                                    });
}

// Chains and ladders of blocks, with a register that lives through them all.
TEST(LiveIntervalsTest, HundredThousandBlocks) {
  const auto module = ReadBody("  bb.0:\n    %0:b32 = IMPLICIT_DEF\n");
  MachineFunction& function = OnlyFunction(*module);
  constexpr int kBlocks = 100000;
  std::vector<MachineBasicBlock*> blocks = {function.front()};
  for (int i = 1; i < kBlocks; ++i) {
    blocks.push_back(function.CreateBlock());
    function.InsertBlock(nullptr, blocks.back());
    blocks[i - 1]->AddSuccessor(blocks.back());
    if (i > 2 && i % 3 == 0) blocks[i]->AddSuccessor(blocks[i - 2]);  // loops
  }
  const Register reg = Register::Virtual(0);
  BuildMI(*blocks.back(), nullptr, generic::kKill).AddUse(reg).Insert();
  BuildMI(*blocks[kBlocks / 2], nullptr, generic::kImplicitDef).AddDef(reg).Insert();
  AnalysisManager analyses(function);
  const LiveInterval& interval = analyses.Get<LiveIntervals>().Interval(reg);
  EXPECT_EQ(interval.Check(), "");
  // The first definition does not reach the last use, except around loops that bypass the second definition.
  EXPECT_LE(interval.segments().size(), 3u);
}

// Edits.

TEST(LiveIntervalsEditTest, ExtendingDeadDefinitionsToTheUsesGivesTheRangeAgain) {
  std::mt19937 random(13);
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 900, 40, [&](MachineFunction& function, const std::string& where) {
        JoinRegistersAtRandom(function, random);
        AnalysisManager analyses(function);
        LiveIntervals& intervals = analyses.Get<LiveIntervals>();
        const uint32_t count = std::min(intervals.num_intervals(), 300u);
        for (uint32_t i = 0; i < count; ++i) {
          LiveInterval& interval = intervals.Interval(Register::Virtual(i));
          LiveInterval& built = intervals.CreateIntervalLike(interval.reg());
          std::vector<SlotIndex> uses;
          for (const MachineOperand& operand : function.reg_info().Operands(interval.reg())) {
            const MachineInstr& instr = *operand.parent();
            if (operand.is_def()) {
              built.CreateDeadDef(intervals.indexes().InstrIndex(instr).RegSlot(operand.is_early_clobber()));
            } else if (LiveRangeCalc::ReadsValue(operand)) {
              const unsigned number = operand.operand_number();
              uses.push_back(instr.is_phi()
                                 ? intervals.indexes().BlockEnd(instr.operand(number + 1).block())
                                 : LiveRangeCalc::UseIndex(instr, number, intervals.indexes().InstrIndex(instr)));
            }
          }
          std::shuffle(uses.begin(), uses.end(), random);
          intervals.ExtendToIndices(built, uses);
          built.RenumberValues();
          ASSERT_EQ(testing::RangeText(built), testing::RangeText(interval)) << where << " %" << i;
        }
      });
}

TEST(LiveIntervalsEditTest, PrunedValuesComeBackWhenExtendedToWhereTheyEnded) {
  std::mt19937 random(17);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 950, 40,
                                    [&](MachineFunction& function, const std::string& where) {
                                      JoinRegistersAtRandom(function, random);
                                      AnalysisManager analyses(function);
                                      LiveIntervals& intervals = analyses.Get<LiveIntervals>();
                                      for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
                                        LiveInterval& interval = intervals.Interval(Register::Virtual(i));
                                        if (interval.empty()) continue;
                                        const std::string before = testing::RangeText(interval);
                                        const ValueId value = random() % interval.num_values();
                                        const SlotIndex def = interval.ValueDef(value);
                                        if (def.is_block()) continue;
                                        std::vector<SlotIndex> ends;
                                        intervals.PruneValue(interval, def, &ends);
                                        ASSERT_FALSE(interval.LiveAt(def)) << where;
                                        for (const LiveSegment& segment : interval.segments())
                                          ASSERT_NE(segment.value, value) << where << " %" << i;
                                        interval.AddSegment({def, def.DeadSlot(), value});
                                        intervals.ExtendToIndices(interval, ends);
                                        ASSERT_EQ(testing::RangeText(interval), before) << where << " %" << i;
                                      }
                                    });
}

TEST(LiveIntervalsEditTest, ShrinkingAfterUsesWereRemoved) {
  std::mt19937 random(19);
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 1000, 60, [&](MachineFunction& function, const std::string& where) {
        JoinRegistersAtRandom(function, random);
        AnalysisManager analyses(function);
        LiveIntervals& intervals = analyses.Get<LiveIntervals>();
        for (uint32_t i = 0; i < intervals.num_intervals(); ++i) {
          const Register reg = Register::Virtual(i);
          for (MachineOperand& operand : function.reg_info().Uses(reg)) {
            if (random() % 3 == 0) operand.set_reg_flag(MachineOperand::kUndef, true);
          }
          std::vector<MachineInstr*> dead;
          LiveInterval& interval = intervals.Interval(reg);
          intervals.ShrinkToUses(interval, &dead);
          interval.RenumberValues();
          const std::string shrunk = testing::RangeText(interval);
          ASSERT_EQ(interval.Check(), "") << where;
          // A recomputed interval may have fewer PHI-defs, where only one of the values that met is left.
          const std::string points = testing::PointsText(interval);
          ASSERT_EQ(points, testing::PointsText(intervals.ComputeInterval(reg))) << where << " %" << i;
        }
      });
}

TEST(LiveIntervalsEditTest, ComponentsGetRegistersOfTheirOwn) {
  std::mt19937 random(23);
  size_t split = 0;
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 1100, 60, [&](MachineFunction& function, const std::string& where) {
        JoinRegistersAtRandom(function, random);
        AnalysisManager analyses(function);
        LiveIntervals& intervals = analyses.Get<LiveIntervals>();
        std::vector<LiveInterval*> added;
        const uint32_t count = intervals.num_intervals();
        for (uint32_t i = 0; i < count; ++i) {
          intervals.SplitSeparateComponents(intervals.Interval(Register::Virtual(i)), added);
        }
        split += added.size();
        ASSERT_EQ(analyses.CheckCached(), "") << where;
        for (LiveInterval* interval : added) {
          std::vector<uint32_t> component;
          ASSERT_EQ(intervals.ClassifyComponents(*interval, component), 1u) << where;
        }
      });
  EXPECT_GT(split, 1000u);
}

// Returns true if the two instructions can be exchanged as far as registers are concerned.
bool AreIndependent(const MachineInstr& a, const MachineInstr& b) {
  if (a.is_phi() || b.is_phi() || a.is_terminator() || b.is_terminator() || a.is_debug() || b.is_debug()) return false;
  for (const MachineOperand& x : a.operands()) {
    for (const MachineOperand& y : b.operands()) {
      if (x.is_reg() && y.is_reg() && x.reg().is_valid() && x.reg() == y.reg() && (x.is_def() || y.is_def()))
        return false;
    }
  }
  return true;
}

TEST(LiveIntervalsEditTest, MovesWithinBlocksAndInsertions) {
  std::mt19937 random(29);
  int moves = 0;
  const auto edit = [&](MachineFunction& function, const std::string& where) {
    AnalysisManager analyses(function);
    LiveIntervals& intervals = analyses.Get<LiveIntervals>();
    std::vector<MachineInstr*> instrs;
    for (MachineBasicBlock& block : function) {
      for (MachineInstr& instr : block) instrs.push_back(&instr);
    }
    for (int i = 0; i < 60; ++i) {
      MachineInstr* instr = instrs[random() % instrs.size()];
      MachineBasicBlock* block = instr->parent();
      const size_t distance = 1 + random() % 8;
      MachineInstr* to = instr;  // the instruction to insert before
      if (random() % 2 == 0) {
        for (size_t k = 0; k < distance && to->previous() != nullptr && AreIndependent(*to->previous(), *instr); ++k) {
          to = to->previous();
        }
        if (to == instr) continue;
      } else {
        MachineInstr* last = instr;
        for (size_t k = 0; k < distance && last->next() != nullptr && AreIndependent(*last->next(), *instr); ++k) {
          last = last->next();
        }
        if (last == instr) continue;
        to = last->next();
      }
      block->Remove(instr);
      block->Insert(to, instr);
      intervals.HandleMove(*instr);
      ++moves;
    }
    // Insert many instructions in one place, so that slot numbers run out.
    MachineInstr* place = instrs[random() % instrs.size()];
    while (place->is_phi() || place->is_debug()) place = instrs[random() % instrs.size()];
    for (int i = 0; i < 60; ++i) {
      const Register reg = function.reg_info().CreateVirtualRegister(3);
      MachineInstr* def = BuildMI(*place->parent(), place, generic::kImplicitDef).AddDef(reg).Insert();
      MachineInstr* use = BuildMI(*place->parent(), place, generic::kKill).AddUse(reg).Insert();
      intervals.InsertInstr(*def);
      intervals.InsertInstr(*use);
      intervals.ComputeInterval(reg);
    }
    ASSERT_EQ(analyses.CheckCached(), "") << where;
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1200, 60, edit);
  EXPECT_GT(static_cast<uint64_t>(moves), testing::NumInputs(8000, 10));
}

TEST(LiveIntervalsEditTest, RemovedInstructionsAndNewRegisters) {
  const auto module = ReadBody(kSeveralDefs);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  LiveIntervals& intervals = analyses.Get<LiveIntervals>();
  // The second part of bb.4 reads a copy.
  MachineInstr* user = function.block(4)->front()->next();
  LiveInterval& copy = intervals.CreateIntervalLike(Register::Virtual(0));
  MachineInstr* instr = BuildMI(*function.block(3), function.block(3)->back()->previous(), generic::kCopy)
                            .AddDef(copy.reg())
                            .AddUse(Register::Virtual(0))
                            .Insert();
  intervals.InsertInstr(*instr);
  const LiveSegment segment = intervals.AddSegmentToEndOfBlock(copy.reg(), *instr);
  EXPECT_EQ(segment.end, intervals.indexes().BlockEnd(3));
  user->operand(1).SetReg(copy.reg());
  user->operand(2).SetReg(copy.reg());
  intervals.ExtendToIndices(copy, {intervals.indexes().InstrIndex(*user).RegSlot()});
  intervals.ShrinkToUses(intervals.Interval(Register::Virtual(0)));
  EXPECT_EQ(analyses.CheckCached(), "");
  // Remove %4 and its use of %0.
  MachineInstr* gone = function.block(4)->front();
  intervals.RemoveInstr(*gone);
  intervals.RemoveInterval(Register::Virtual(4));
  gone->EraseFromParent();
  intervals.ShrinkToUses(intervals.Interval(Register::Virtual(0)));
  EXPECT_EQ(analyses.CheckCached(), "");
  function.block(4)->front()->operand(1).SetReg(Register::Virtual(0));
  EXPECT_NE(analyses.CheckCached(), "");
}

}  // namespace
}  // namespace ptxmir
