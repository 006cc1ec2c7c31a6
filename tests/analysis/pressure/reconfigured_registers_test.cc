// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/reconfigured_registers.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "mir/code/operand_ranges.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

constexpr unsigned kAtEntry = 168;

RegisterBudget BudgetOf(RegisterBudget::Origin origin) {
  RegisterBudget budget;
  budget.registers = budget.limit = kAtEntry;
  budget.is_hard = origin != RegisterBudget::Origin::kDefault;
  budget.origin = origin;
  return budget;
}

constexpr RegisterBudget::Origin kGiven = RegisterBudget::Origin::kMinCtas;

// Warps with two tasks, and code that both execute.
constexpr const char* kTwoTasks = R"(
  bb.0:
    successors: %bb.1, %bb.2
    %0:b1 = IMPLICIT_DEF
    CBranch %0, %bb.2

  bb.1:
    successors: %bb.3
    SETMAXNREG_DEC 40
    GOTO %bb.3

  bb.2:
    successors: %bb.3
    INLINEASM &"setmaxnreg.inc.sync.aligned.u32 $1;", 33 /* sideeffect isconvergent attdialect */, 13 /* imm */, 7, 13 /* imm */, 232

  bb.3:
    Return
)";

TEST(ReconfiguredRegistersTest, TheLowestCountHoldsWherePathsMeet) {
  const auto module = testing::ReadBody(kTwoTasks);
  const MachineFunction& function = testing::OnlyFunction(*module);
  const auto registers = ReconfiguredRegisters::Of(function, BudgetOf(kGiven));
  ASSERT_TRUE(registers.has_value());
  EXPECT_EQ(registers->TakenAtEnd(*function.block(0)), 0);
  EXPECT_EQ(registers->TakenAtStart(*function.block(1)), 0);
  EXPECT_EQ(registers->TakenAtEnd(*function.block(1)), 128);
  EXPECT_EQ(registers->TakenAtEnd(*function.block(2)), -64);
  EXPECT_EQ(registers->TakenAtStart(*function.block(3)), 128);
  EXPECT_TRUE(registers->ChangesIn(*function.block(2)));
  EXPECT_FALSE(registers->ChangesIn(*function.block(3)));
}

TEST(ReconfiguredRegistersTest, EachInstructionHasWhatTheOneBeforeItLeft) {
  const auto module = testing::ReadBody(
      "  bb.0:\n    %0:b32 = MOV_B32_i 1\n    SETMAXNREG_DEC 24\n    %1:b32 = MOV_B32_i 2\n    SETMAXNREG_INC 64\n"
      "    Return\n");
  const MachineFunction& function = testing::OnlyFunction(*module);
  const auto registers = ReconfiguredRegisters::Of(function, BudgetOf(kGiven));
  ASSERT_TRUE(registers.has_value());
  std::vector<int32_t> taken;
  registers->TakenAtInstrs(*function.block(0), taken);
  EXPECT_EQ(taken, (std::vector<int32_t>{0, 144, 144, 144, 104}));
  std::vector<int32_t> before;
  for (const MachineInstr& instr : *function.block(0)) before.push_back(registers->TakenBefore(instr));
  EXPECT_EQ(before, (std::vector<int32_t>{0, 0, 144, 144, 104}));
}

TEST(ReconfiguredRegistersTest, LoopsCarryTheCountAround) {
  const auto module = testing::ReadBody(R"(
  bb.0:
    successors: %bb.1
    %0:b1 = IMPLICIT_DEF

  bb.1:
    successors: %bb.2
    %1:b32 = MOV_B32_i 1

  bb.2:
    successors: %bb.1, %bb.3
    SETMAXNREG_DEC 32
    CBranch %0, %bb.1

  bb.3:
    Return
)");
  const MachineFunction& function = testing::OnlyFunction(*module);
  const auto registers = ReconfiguredRegisters::Of(function, BudgetOf(kGiven));
  ASSERT_TRUE(registers.has_value());
  EXPECT_EQ(registers->TakenAtStart(*function.block(1)), 136);
  EXPECT_EQ(registers->TakenAtStart(*function.block(0)), 0);
}

TEST(ReconfiguredRegistersTest, WithoutACountAtTheEntryNothingIsTaken) {
  const auto module = testing::ReadBody(kTwoTasks);
  const MachineFunction& function = testing::OnlyFunction(*module);
  for (const auto origin : {RegisterBudget::Origin::kDefault, RegisterBudget::Origin::kCtaSize}) {
    EXPECT_FALSE(ReconfiguredRegisters::Of(function, BudgetOf(origin)).has_value());
  }
  const auto plain = testing::ReadBody("  bb.0:\n    INLINEASM &\"// setmaxnreg\", 1 /* sideeffect */\n    Return\n");
  EXPECT_FALSE(ReconfiguredRegisters::Of(testing::OnlyFunction(*plain), BudgetOf(kGiven)).has_value());
}

// Assembly that is not understood changes nothing.
TEST(ReconfiguredRegistersTest, CountsThatAreNoImmediatesAreIgnored) {
  for (const std::string operand : {"$0", "$7", "$", "x"}) {
    const auto module =
        testing::ReadBody("  bb.0:\n    %0:b32 = IMPLICIT_DEF\n    INLINEASM &\"setmaxnreg.dec.sync.aligned.u32 " +
                          operand + ";\", 1 /* sideeffect */, 9 /* reguse */, %0\n    Return\n");
    EXPECT_FALSE(ReconfiguredRegisters::Of(testing::OnlyFunction(*module), BudgetOf(kGiven)).has_value()) << operand;
  }
}

}  // namespace
}  // namespace ptxmir
