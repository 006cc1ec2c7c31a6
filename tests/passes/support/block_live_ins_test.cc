// SPDX-License-Identifier: Apache-2.0

// The registers that are live into blocks, asked for once, repeatedly, and after edits.

#include "passes/support/block_live_ins.h"

#include "analysis/pressure/machine_register_pressure.h"
#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

constexpr int kOften = 100;  // more often than it takes until a set is made

void ExpectLiveIns(BlockLiveIns& live_ins, const MachineFunction& function, const MachineRegisterPressure& pressure,
                   int times) {
  for (int i = 0; i < times; ++i) {
    for (const MachineBasicBlock& block : function) {
      for (uint32_t index = 0; index < function.reg_info().num_virtual_registers(); ++index) {
        const Register reg = Register::Virtual(index);
        ASSERT_EQ(live_ins.IsLiveIn(block, reg), pressure.IsLiveIn(block, reg)) << block.number() << " " << index;
      }
    }
  }
}

constexpr std::string_view kBody = R"(  bb.0:
    %0:b32 = MOV_B32_i 1
    %1:b32 = ADD32ri %0, 2
    %2:b1 = SETP_i32ri %1, 5, 0

  bb.1:
    %3:b32 = ADD32rr %0, %1
    CBranch %2, %bb.1

  bb.2:
    %4:b32 = ADD32rr %1, %3
    Return
)";

TEST(BlockLiveInsTest, AreThoseOfRegisterPressureHoweverOftenAsked) {
  const auto module = testing::ReadBody(kBody);
  MachineFunction& function = testing::OnlyFunction(*module);
  const MachineRegisterPressure pressure(function);
  BlockLiveIns live_ins(function, pressure);
  ExpectLiveIns(live_ins, function, pressure, 1);
  ExpectLiveIns(live_ins, function, pressure, kOften);
}

TEST(BlockLiveInsTest, AreThoseAfterAnEditOnceForgotten) {
  const auto module = testing::ReadBody(kBody);
  MachineFunction& function = testing::OnlyFunction(*module);
  MachineRegisterPressure pressure(function);
  BlockLiveIns live_ins(function, pressure);
  ExpectLiveIns(live_ins, function, pressure, kOften);
  MachineInstr& reader = *function.block(2)->front();
  EXPECT_TRUE(live_ins.IsLiveIn(*function.block(2), Register::Virtual(1)));
  pressure.WillErase(reader);
  reader.EraseFromParent();
  live_ins.Forget();
  EXPECT_FALSE(live_ins.IsLiveIn(*function.block(2), Register::Virtual(1)));
  ExpectLiveIns(live_ins, function, pressure, kOften);
}

}  // namespace
}  // namespace ptxmir
