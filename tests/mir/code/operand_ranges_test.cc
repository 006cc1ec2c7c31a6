// SPDX-License-Identifier: Apache-2.0

#include "mir/code/operand_ranges.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "tests/mir/code/tiny_target.h"

namespace ptxmir {
namespace {

using testing::kI32;
using testing::kTinyAdd;
using testing::TinyTarget;

class OperandRangesTest : public ::testing::Test {
 protected:
  OperandRangesTest() : function_(nullptr, TinyTarget(), "f", 0) {
    for (Register& reg : regs_) reg = function_.reg_info().CreateVirtualRegister(kI32);
  }

  MachineInstr& Create(Opcode opcode, std::initializer_list<MachineOperand> operands) {
    return *function_.CreateInstr(opcode, std::vector<MachineOperand>(operands));
  }
  MachineOperand Reg(size_t i, uint16_t flags = 0) const { return MachineOperand::CreateReg(regs_[i], flags); }

  template <typename Range>
  static std::vector<unsigned> NumbersOf(const Range& range) {
    std::vector<unsigned> numbers;
    for (const MachineOperand& operand : range) numbers.push_back(operand.operand_number());
    return numbers;
  }

  MachineFunction function_;
  Register regs_[5];
};

using Numbers = std::vector<unsigned>;

TEST_F(OperandRangesTest, PhiIncomingsAreThePairsInOrder) {
  const MachineInstr& phi =
      Create(generic::kPhi,
             {Reg(0, MachineOperand::kDefine), Reg(1), MachineOperand::CreateBlock(7), Reg(2, MachineOperand::kUndef),
              MachineOperand::CreateBlock(3), Reg(1), MachineOperand::CreateBlock(7)});
  std::vector<std::pair<Register, BlockNumber>> pairs;
  for (const PhiIncoming incoming : PhiIncomings(phi)) pairs.emplace_back(incoming.reg(), incoming.predecessor());
  EXPECT_EQ(pairs, (std::vector<std::pair<Register, BlockNumber>>{{regs_[1], 7}, {regs_[2], 3}, {regs_[1], 7}}));
  const auto incomings = PhiIncomings(phi);
  EXPECT_FALSE(incomings.empty());
  ASSERT_EQ(incomings.size(), 3u);
  EXPECT_EQ(&incomings[1].value(), &phi.operand(3));
  EXPECT_EQ(&incomings[1].block(), &phi.operand(4));
  EXPECT_TRUE(incomings[1].value().is_undef());
  EXPECT_TRUE(std::any_of(incomings.begin(), incomings.end(),
                          [](PhiIncoming incoming) { return incoming.predecessor() == 3; }));
}

TEST_F(OperandRangesTest, PhiIncomingsLeaveOutWhatIsNoPair) {
  EXPECT_TRUE(PhiIncomings(std::as_const(Create(generic::kPhi, {}))).empty());
  EXPECT_TRUE(PhiIncomings(Create(generic::kPhi, {Reg(0, MachineOperand::kDefine)})).empty());
  EXPECT_TRUE(PhiIncomings(Create(generic::kPhi, {Reg(0, MachineOperand::kDefine), Reg(1)})).empty());
  const auto incomings = PhiIncomings(
      Create(generic::kPhi, {Reg(0, MachineOperand::kDefine), Reg(1), MachineOperand::CreateBlock(2), Reg(3)}));
  EXPECT_EQ(incomings.size(), 1u);
  EXPECT_EQ(std::distance(incomings.begin(), incomings.end()), 1);
}

TEST_F(OperandRangesTest, PhiIncomingsCanBeChanged) {
  MachineInstr& phi = Create(generic::kPhi, {Reg(0, MachineOperand::kDefine), Reg(1), MachineOperand::CreateBlock(1),
                                             Reg(2), MachineOperand::CreateBlock(2)});
  for (const MutablePhiIncoming incoming : PhiIncomings(phi)) {
    incoming.block().set_block(incoming.predecessor() + 10);
    incoming.value().SetReg(regs_[4]);
  }
  EXPECT_EQ(phi.operand(2).block(), 11u);
  EXPECT_EQ(phi.operand(4).block(), 12u);
  EXPECT_EQ(phi.operand(0).reg(), regs_[0]);
  EXPECT_EQ(phi.operand(1).reg(), regs_[4]);
  EXPECT_EQ(phi.operand(3).reg(), regs_[4]);
  EXPECT_TRUE(function_.reg_info().HasNoUses(regs_[1]));
  // Of an instruction that can be changed, a loop may ask for pairs that cannot.
  for (const PhiIncoming incoming : PhiIncomings(phi)) EXPECT_EQ(incoming.reg(), regs_[4]);
}

TEST_F(OperandRangesTest, AUseLeadsToItsPredecessor) {
  const MachineInstr& phi =
      Create(generic::kPhi, {Reg(0, MachineOperand::kDefine), Reg(1), MachineOperand::CreateBlock(5), Reg(2),
                             MachineOperand::CreateBlock(6)});
  EXPECT_EQ(PhiIncoming(phi.operand(1)).predecessor(), 5u);
  EXPECT_EQ(PhiIncoming(phi.operand(3)).predecessor(), 6u);
}

TEST_F(OperandRangesTest, UsesReadsAndDefsAreThoseOfVirtualRegisters) {
  const Register frame = Register::Physical(1);
  const MachineInstr& instr = Create(
      kTinyAdd, {Reg(0, MachineOperand::kDefine), MachineOperand::CreateReg(frame, MachineOperand::kDefine), Reg(1),
                 MachineOperand::CreateReg(frame), Reg(2, MachineOperand::kUndef), MachineOperand::CreateImm(-1),
                 MachineOperand::CreateReg(Register()), MachineOperand::CreateBlock(Register::kVirtualBit),
                 Reg(3, MachineOperand::kImplicit | MachineOperand::kDefine | MachineOperand::kDead),
                 Reg(4, MachineOperand::kImplicit | MachineOperand::kKill)});
  EXPECT_EQ(NumbersOf(VirtualUses(instr)), (Numbers{2, 4, 9}));
  EXPECT_EQ(NumbersOf(VirtualReads(instr)), (Numbers{2, 9}));
  EXPECT_EQ(NumbersOf(VirtualDefs(instr)), (Numbers{0, 8}));
}

TEST_F(OperandRangesTest, UsesOfDebugInstructionsAreUses) {
  const MachineInstr& instr = Create(generic::kDbgValue, {Reg(1), MachineOperand::CreateReg(Register())});
  EXPECT_EQ(NumbersOf(VirtualUses(instr)), Numbers{0});
  EXPECT_EQ(NumbersOf(VirtualReads(instr)), Numbers{0});
}

TEST_F(OperandRangesTest, RangesMayBeEmpty) {
  const MachineInstr& none = Create(generic::kKill, {});
  EXPECT_TRUE(VirtualUses(none).empty());
  EXPECT_TRUE(VirtualReads(none).empty());
  EXPECT_TRUE(VirtualDefs(none).empty());
  const MachineInstr& undefined = Create(generic::kKill, {Reg(0, MachineOperand::kUndef)});
  EXPECT_FALSE(VirtualUses(undefined).empty());
  EXPECT_TRUE(VirtualReads(undefined).empty());
}

TEST_F(OperandRangesTest, OperandsCanBeChangedWhileTheyAreVisited) {
  MachineInstr& instr = Create(kTinyAdd, {Reg(0, MachineOperand::kDefine), Reg(1), Reg(2), Reg(1)});
  unsigned visited = 0;
  for (MachineOperand& use : VirtualUses(instr)) {
    ++visited;
    if (use.operand_number() == 1) instr.operand(2).ChangeTo(MachineOperand::CreateImm(1));
    use.SetReg(Register::Physical(1));
  }
  // The loop made operand 2 an immediate before it arrived there.
  EXPECT_EQ(visited, 2u);
  for (MachineOperand& def : VirtualDefs(instr)) def.set_reg_flag(MachineOperand::kDead, true);
  EXPECT_TRUE(instr.operand(0).is_dead());
  EXPECT_TRUE(VirtualUses(instr).empty());
  EXPECT_EQ(function_.reg_info().CheckUseLists(), "");
}

}  // namespace
}  // namespace ptxmir
