// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/last_chance_recoloring.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

// %0 to %2 are live over the definition of %3 and its use, which reads %1, too. %4 is a pair of units.
constexpr char kCode[] = R"(  bb.0:
    %0:b32 = MOV_B32_i 10
    %1:b32 = MOV_B32_i 11
    %2:b32 = MOV_B32_i 12
    %4:b64 = MOV_B64_i 14
    %3:b32 = MOV_B32_i 13
    %5:b32 = ADD32rr %3, %1
    KILL %0, %1, %2, %4
    Return
)";

class LastChanceTest : public ::testing::Test {
 protected:
  LastChanceTest()
      : module_(ReadBody(kCode)),
        analyses_(OnlyFunction(*module_)),
        state_(analyses_.Get<RegAllocEvictionAdvisor>().state()),
        edit_(state_),
        spiller_(edit_) {
    for (const uint32_t i : {0, 1, 2, 4}) {
      Interval(i).set_weight(static_cast<float>(1 + i));
      state_.matrix.Assign(Interval(i));
    }
    Interval(3).MarkUnspillable();
  }

  static Register Reg(uint32_t i) { return Register::Virtual(i); }
  LiveInterval& Interval(uint32_t i) { return state_.intervals.Interval(Reg(i)); }
  void SetLimit(int32_t units) { state_.matrix.SetLimit(PressureKind::Total(), units); }
  void SetKnob(std::string_view name, std::string_view value) { EXPECT_TRUE(knobs_.Set(name, value).ok()); }
  LastChanceRecoloring Recoloring(uint64_t effort = 1000) {
    return LastChanceRecoloring(state_, spiller_, options_, knobs_, effort);
  }
  // Returns the registers that leave for %3, in order of their numbers.
  std::vector<Register> LeavingFor(LastChanceRecoloring recoloring) {
    std::vector<Register> leaving;
    const bool is_possible = recoloring.MakeRoomFor(Interval(3), leaving);
    EXPECT_EQ(is_possible, !leaving.empty());
    std::sort(leaving.begin(), leaving.end());
    return leaving;
  }

  std::unique_ptr<Module> module_;
  AnalysisManager analyses_;
  AllocationState& state_;
  LiveRangeEdit edit_;
  InlineSpiller spiller_;
  SpillOptions options_;
  Knobs knobs_;
};

TEST_F(LastChanceTest, TheCheapestLeave) {
  SetLimit(5);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(0)});
  Interval(0).set_weight(10);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(2)});
  // Weights count for each unit that is missing.
  SetLimit(4);
  Interval(4).set_weight(6);
  EXPECT_EQ(LeavingFor(Recoloring()), (std::vector<Register>{Reg(2), Reg(4)}));
  Interval(4).set_weight(5);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(4)});
  // Nothing was changed.
  for (const uint32_t i : {0, 1, 2, 4}) EXPECT_TRUE(state_.matrix.IsAssigned(Reg(i)));
  EXPECT_FALSE(state_.matrix.IsAssigned(Reg(3)));
}

TEST_F(LastChanceTest, WhatTheInstructionReadsIsWorthNothing) {
  Interval(1).set_weight(0.1f);
  SetLimit(5);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(0)});
  // Where all others have left, %1 alone remains with %3.
  SetLimit(2);
  EXPECT_EQ(LeavingFor(Recoloring()), (std::vector<Register>{Reg(0), Reg(2), Reg(4)}));
  SetLimit(1);
  EXPECT_TRUE(LeavingFor(Recoloring()).empty());
}

TEST_F(LastChanceTest, WhatCannotBeSpilledStays) {
  SetLimit(5);
  for (const uint32_t i : {0, 2}) Interval(i).MarkUnspillable();
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(4)});
  Interval(4).MarkUnspillable();
  EXPECT_TRUE(LeavingFor(Recoloring()).empty());
}

TEST_F(LastChanceTest, LimitsOfClassesCount) {
  state_.matrix.SetLimit(PressureKind::Class(ptx::reg_class::kB32), 3);
  Interval(4).set_weight(0.1f);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(0)});
  // A register that leaves for the class makes room in the total, too.
  SetLimit(5);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(0)});
  SetLimit(4);
  EXPECT_EQ(LeavingFor(Recoloring()), (std::vector<Register>{Reg(0), Reg(4)}));
}

TEST_F(LastChanceTest, DepthAndNumberAreBounded) {
  SetLimit(2);
  SetKnob("lcr-max-interf", "2");
  EXPECT_TRUE(LeavingFor(Recoloring()).empty());
  SetKnob("lcr-max-interf", "3");
  EXPECT_EQ(LeavingFor(Recoloring()).size(), 3u);
  LastChanceRecoloring recoloring = Recoloring();
  recoloring.SetDepth(Reg(3), 5);
  EXPECT_EQ(recoloring.Depth(Reg(3)), 5u);
  EXPECT_TRUE(LeavingFor(recoloring).empty());
  recoloring.SetDepth(Reg(3), 4);
  EXPECT_EQ(LeavingFor(recoloring).size(), 3u);
  // A register from a last chance at the last level does not leave.
  recoloring.SetDepth(Reg(0), 5);
  EXPECT_TRUE(LeavingFor(recoloring).empty());
  SetKnob("exhaustive-register-search", "true");
  SetKnob("lcr-max-interf", "0");
  SetKnob("lcr-max-depth", "0");
  EXPECT_EQ(LeavingFor(Recoloring()).size(), 3u);
}

TEST_F(LastChanceTest, EffortIsBounded) {
  SetLimit(5);
  EXPECT_TRUE(LeavingFor(Recoloring(0)).empty());
  EXPECT_TRUE(LeavingFor(Recoloring(8)).empty());
  EXPECT_FALSE(LeavingFor(Recoloring(100)).empty());
  std::vector<Register> leaving;
  SetLimit(1);
  EXPECT_FALSE(Recoloring(0).Relieve(leaving));
}

TEST_F(LastChanceTest, WithoutMemoryOnlyWhatCanBeRecomputedLeaves) {
  options_.use_memory = false;
  SetLimit(5);
  EXPECT_EQ(LeavingFor(Recoloring()), std::vector<Register>{Reg(0)});
}

TEST_F(LastChanceTest, PointsThatAreOverAreRelievedWherePossible) {
  state_.matrix.Assign(Interval(3));
  std::vector<Register> leaving;
  EXPECT_FALSE(Recoloring().Relieve(leaving));
  SetLimit(5);
  EXPECT_TRUE(Recoloring().Relieve(leaving));
  EXPECT_EQ(leaving, std::vector<Register>{Reg(0)});
  // The last instruction reads all four, so that there is no help for it, nor for the point before it.
  leaving.clear();
  SetLimit(1);
  Recoloring().Relieve(leaving);
  for (const Register reg : leaving) EXPECT_NE(reg, Reg(3));
}

}  // namespace
}  // namespace ptxmir
