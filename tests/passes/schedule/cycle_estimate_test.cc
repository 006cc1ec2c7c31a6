// SPDX-License-Identifier: Apache-2.0

// Cycles of sequences and loops, counted by hand with the figures of sm_80.

#include "passes/schedule/cycle_estimate.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

std::vector<const MachineInstr*> InstrsOf(const MachineFunction& function, BlockNumber number) {
  std::vector<const MachineInstr*> instrs;
  for (const MachineBasicBlock& block : function) {
    if (block.number() != number) continue;
    for (const MachineInstr& instr : block) {
      if (!instr.is_terminator()) instrs.push_back(&instr);
    }
  }
  return instrs;
}

class CycleEstimateTest : public ::testing::Test {
 protected:
  uint32_t Cycles(std::string_view body, unsigned warps) {
    const auto module = testing::ReadBody(body);
    return CyclesOf(InstrsOf(testing::OnlyFunction(*module), 0), model_, warps);
  }
  uint32_t LoopCycles(std::string_view body, unsigned warps) {
    const auto module = testing::ReadBody(body);
    return CyclesPerIteration(InstrsOf(testing::OnlyFunction(*module), 1), model_, warps);
  }
  const ptx::MachineModel& model_ = ptx::MachineModel::Default();
};

constexpr std::string_view kChain = R"(  bb.0:
    %0:b32 = MOV_B32_i 1
    %1:b32 = ADD32ri %0, 2
    %2:b32 = ADD32ri %1, 3
    Return
)";
constexpr std::string_view kIndependent = R"(  bb.0:
    %0:b32 = MOV_B32_i 1
    %1:b32 = MOV_B32_i 2
    %2:b32 = MOV_B32_i 3
    Return
)";
constexpr std::string_view kTwoUnits = R"(  bb.0:
    %0:b32 = MOV_B32_i 1
    %1:b32 = FADD_rnf32rr undef %5:b32, undef %5:b32, 0
    %2:b32 = MOV_B32_i 3
    %3:b32 = COPY %2
    Return
)";

TEST_F(CycleEstimateTest, ResultsAreReadyAfterTheLatency) {
  EXPECT_EQ(Cycles(kChain, 1), 12u);
  EXPECT_EQ(Cycles(kChain, 2), 6u);  // 0, 2, 4, each ready after 2
  EXPECT_EQ(Cycles(kChain, 4), 5u);  // the unit is busy for 2
}

TEST_F(CycleEstimateTest, UnitsAreBusyForTheIssueInterval) {
  EXPECT_EQ(Cycles(kIndependent, 1), 8u);  // 0, 2, 4, and 4 more
  EXPECT_EQ(Cycles(kIndependent, 8), 5u);
  EXPECT_EQ(Cycles(kTwoUnits, 1), 6u);  // 0, 1, 2, and 4 more; the copy is free
}

TEST_F(CycleEstimateTest, NothingTakesNoTime) { EXPECT_EQ(CyclesOf({}, model_, 1), 0u); }

// A recurrence of one addition, and a load whose value is used in the next iteration.
constexpr std::string_view kRecurrence = R"(  bb.0:
    %0:b32 = MOV_B32_i 0

  bb.1:
    %1:b32 = PHI %0, %bb.0, %2, %bb.1
    %2:b32 = ADD32ri %1, 2
    GOTO %bb.1
)";
// The same registers around the loop without a PHI.
constexpr std::string_view kRedefinition = R"(  bb.0:
    %0:b32 = MOV_B32_i 0

  bb.1:
    %1:b32 = ADD32ri %0, 2
    %0:b32 = ADD32ri %1, 2
    GOTO %bb.1
)";
// The PHIs exchange two values: each is read before it is written.
constexpr std::string_view kSwap = R"(  bb.0:
    %0:b32 = MOV_B32_i 0

  bb.1:
    %1:b32 = PHI %0, %bb.0, %2, %bb.1
    %2:b32 = PHI %0, %bb.0, %3, %bb.1
    %3:b32 = ADD32ri %1, 2
    GOTO %bb.1
)";

TEST_F(CycleEstimateTest, LoopsAreBoundByRecurrences) {
  EXPECT_EQ(LoopCycles(kRecurrence, 1), 4u);
  EXPECT_EQ(LoopCycles(kRecurrence, 2), 2u);
  EXPECT_EQ(LoopCycles(kRecurrence, 16), 2u);
  EXPECT_EQ(LoopCycles(kRedefinition, 1), 8u);
  EXPECT_EQ(LoopCycles(kSwap, 1), 2u);  // over two iterations 4, the latency
}

}  // namespace
}  // namespace ptxmir
