// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/machine_register_pressure.h"

#include <set>
#include <string>
#include <vector>

#include "analysis/liveness/live_intervals.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/analysis/pressure/register_pressure_reference.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

std::string Describe(const InstrPressure& pressure) {
  return StrCat("entry ", ToString(pressure.entry), " | reads ", ToString(pressure.at_reads), " | writes ",
                ToString(pressure.at_writes), " | exit ", ToString(pressure.exit), " | births ",
                ToString(pressure.births), " | last uses ", ToString(pressure.last_uses));
}

bool Same(const InstrPressure& a, const InstrPressure& b) {
  return a.instr == b.instr && a.entry == b.entry && a.at_reads == b.at_reads && a.at_writes == b.at_writes &&
         a.exit == b.exit && a.births == b.births && a.last_uses == b.last_uses;
}

std::vector<uint32_t> AsVector(const std::set<uint32_t>& registers) { return {registers.begin(), registers.end()}; }

void ExpectAsReference(MachineFunction& function, const std::string& where) {
  const MachineRegisterPressure pressure(function);
  const reference::RegisterPressures expected(function);
  PeakPressure max;
  for (const MachineBasicBlock& block : function) {
    const std::string at = StrCat(where, ", %bb.", block.number());
    const BlockPressure is = pressure.Block(block);
    const BlockPressure should_be = expected.Pressure(block.number());
    EXPECT_EQ(is.entry, should_be.entry) << at;
    EXPECT_EQ(is.peak, should_be.peak) << at;
    EXPECT_EQ(is.exit, should_be.exit) << at;
    max.Include(should_be.peak);
    uint32_t units_at_peak = 0;
    for (const Register reg : pressure.LiveAtPeak(block).live) {
      units_at_peak += function.target().reg_classes[function.reg_info().reg_class(reg)].pressure_units;
    }
    EXPECT_EQ(units_at_peak, should_be.peak.units) << at;
    const absl::Span<const uint32_t> live_in = pressure.LiveIns(block);
    const absl::Span<const uint32_t> live_out = pressure.LiveOuts(block);
    const auto& reference_block = expected.block(block.number());
    EXPECT_EQ(std::vector<uint32_t>(live_in.begin(), live_in.end()), AsVector(reference_block.live_in)) << at;
    EXPECT_EQ(std::vector<uint32_t>(live_out.begin(), live_out.end()), AsVector(reference_block.live_before.back()))
        << at;
    const std::vector<InstrPressure> instrs = pressure.Instrs(block);
    const std::vector<InstrPressure> expected_instrs = expected.Instrs(block.number());
    ASSERT_EQ(instrs.size(), expected_instrs.size()) << at;
    for (size_t i = 0; i < instrs.size(); ++i) {
      if (Same(instrs[i], expected_instrs[i])) continue;
      FAIL() << at << ", instruction " << i << "\n" << Describe(instrs[i]) << "\n" << Describe(expected_instrs[i]);
    }
  }
  EXPECT_EQ(pressure.MaxPressure(), max) << where;
}

// Returns a line for each instruction: units at the entry, at reads, at writes and at the exit, and predicates at
// writes.
std::vector<std::string> Units(const MachineRegisterPressure& pressure, const MachineBasicBlock& block) {
  std::vector<std::string> lines;
  for (const InstrPressure& at : pressure.Instrs(block)) {
    lines.push_back(StrCat(at.entry.units(), " ", at.at_reads.units(), " ", at.at_writes.units(), " ", at.exit.units(),
                           " p", at.at_writes.predicates(), " +", at.births.units(), " -", at.last_uses.units()));
  }
  return lines;
}

TEST(MachineRegisterPressureTest, StraightLineByHand) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b32 = ADD32ri %0, 1
    DBG_VALUE %0, $noreg
    %3:b16 = IMPLICIT_DEF
    %4:b128 = IMPLICIT_DEF
    %5:b1 = SETP_i32ri %2, 10, 1
    %6:b32 = ADD32rr undef %0, %2
    KILL %1, %4, %5
    Return
)");
  MachineRegisterPressure pressure(OnlyFunction(*module));
  const MachineBasicBlock& block = *OnlyFunction(*module).front();
  EXPECT_EQ(Units(pressure, block), (std::vector<std::string>{
                                        "0 0 1 1 p0 +1 -0",  // %0
                                        "1 1 3 3 p0 +2 -0",  // %0 %1
                                        "3 3 3 3 p0 +1 -1",  // reads %0 before it writes %2
                                        "3 3 4 3 p0 +1 -0",  // %3 is dead at once, but takes a register
                                        "3 3 7 7 p0 +4 -0",  // %1 %2 %4
                                        "7 7 7 7 p1 +0 -0",  // with a predicate
                                        "7 7 7 6 p1 +1 -1",  // the undef operand reads nothing; %6 is dead
                                        "6 6 0 0 p0 +0 -6",  // %1 %4 %5
                                        "0 0 0 0 p0 +0 -0",
                                    }));
  const BlockPressure in_block = pressure.Block(block);
  EXPECT_EQ(in_block.peak.units, 7u);
  EXPECT_EQ(in_block.peak.predicates(), 1u);
  EXPECT_EQ(in_block.peak.classes, (RegisterPressure{{1, 1, 1, 1, 1}}));
  EXPECT_EQ(pressure.MaxUnits(), 7u);
  EXPECT_EQ(pressure.MaxPredicates(), 1u);
  EXPECT_EQ(pressure.BlocksOver(7).size(), 0u);
  EXPECT_EQ(pressure.BlocksOver(6).size(), 1u);
  EXPECT_EQ(pressure.BlocksOverPredicates(0).size(), 1u);
}

std::string Names(const std::vector<Register>& registers) {
  std::string text;
  for (const Register reg : registers) StrAppend(&text, "%", reg.virtual_index(), " ");
  return text;
}

TEST(MachineRegisterPressureTest, WhatIsLiveAtThePeak) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b32 = ADD32rr %0, %0
    %3:b64 = ADD64rr %1, %1
    KILL %2, %1
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  MachineRegisterPressure pressure(function);
  // %3 is dead: where it is written, %1 %2 and it take five.
  const auto point = pressure.LiveAtPeak(*function.front());
  EXPECT_EQ(Names(point.live), "%1 %2 %3 ");
  EXPECT_TRUE(point.at_writes);
  ASSERT_NE(point.instr, nullptr);
  EXPECT_EQ(point.instr->operand(0).reg(), Register::Virtual(3));
  EXPECT_EQ(Names(pressure.LiveBefore(*point.instr)), "%1 %2 ");
  EXPECT_EQ(Names(pressure.LiveAfter(*function.front()->front())), "%0 ");
}

TEST(MachineRegisterPressureTest, EarlyClobberByHand) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b32 = IMPLICIT_DEF
    early-clobber %2:b32 = ADD32rr %0, %1
    early-clobber %3:b32 = ADD32rr %2, %2
    early-clobber %4:b32 = ADD32rr undef %0, undef %1
    KILL %3
    Return
)");
  MachineRegisterPressure pressure(OnlyFunction(*module));
  EXPECT_EQ(Units(pressure, *OnlyFunction(*module).front()), (std::vector<std::string>{
                                                                 "0 0 1 1 p0 +1 -0",
                                                                 "1 1 2 2 p0 +1 -0",
                                                                 "2 3 1 1 p0 +1 -2",  // %0, %1 and %2
                                                                 "1 2 1 1 p0 +1 -1",
                                                                 "1 2 2 1 p0 +1 -0",  // also dead
                                                                 "1 1 0 0 p0 +0 -1",
                                                                 "0 0 0 0 p0 +0 -0",
                                                             }));
}

TEST(MachineRegisterPressureTest, AnEarlyClobberResultSharesTheRegisterOfATiedOperandThatEndsThere) {
  const auto module = ReadBody(R"(  bb.0:
    %0:b32 = IMPLICIT_DEF
    %1:b32 = IMPLICIT_DEF
    early-clobber %2:b32 = KILL %0, %1
    KILL %1
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  MachineInstr* instr = function.front()->front()->next()->next();
  const auto at_reads = [&] { return MachineRegisterPressure(function).Instr(*instr).at_reads.units(); };
  EXPECT_EQ(at_reads(), 3u);
  ExpectAsReference(function, "not tied");
  instr->TieOperands(0, 1);  // %0 ends there
  EXPECT_EQ(at_reads(), 2u);
  ExpectAsReference(function, "tied");
  instr->UntieOperand(1);
  instr->TieOperands(0, 2);  // %1 does not: it will be copied
  EXPECT_EQ(at_reads(), 3u);
}

constexpr char kLoop[] = R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
  bb.1:
    successors: %bb.1, %bb.2
    %2:b32 = PHI %0, %bb.0, %4, %bb.1
    %3:b32 = PHI undef %0, %bb.0, %2, %bb.1
    %4:b32 = ADD32ri %2, 1
    %5:b1 = SETP_i32ri %4, 10, 1
    CBranch %5, %bb.1
  bb.2:
    KILL %1
    Return
)";

TEST(MachineRegisterPressureTest, PhisByHand) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  std::string text;
  analyses.Get<MachineRegisterPressure>().Print(text);
  // %0 is read at the end of %bb.0, and %2 and %4 at the end of %bb.1. %3 is dead and counts only at the entry.
  EXPECT_EQ(text,
            "Register pressure of 'f': 4 units, 1 predicates\n"
            "%bb.0:\n"
            "  live-in:\n"
            "  live-out: %0 %1\n"
            "  entry: b1 0, b16 0, b32 0, b64 0, b128 0; units 0\n"
            "  peak:  b1 0, b16 0, b32 1, b64 1, b128 0; units 3\n"
            "  exit:  b1 0, b16 0, b32 1, b64 1, b128 0; units 3\n"
            "%bb.1:\n"
            "  live-in: %1\n"
            "  live-out: %1 %2 %4\n"
            "  entry: b1 0, b16 0, b32 2, b64 1, b128 0; units 4\n"
            "  peak:  b1 1, b16 0, b32 2, b64 1, b128 0; units 4\n"
            "  exit:  b1 0, b16 0, b32 2, b64 1, b128 0; units 4\n"
            "%bb.2:\n"
            "  live-in: %1\n"
            "  live-out:\n"
            "  entry: b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "  peak:  b1 0, b16 0, b32 0, b64 1, b128 0; units 2\n"
            "  exit:  b1 0, b16 0, b32 0, b64 0, b128 0; units 0\n");
  MachineRegisterPressure& pressure = analyses.Get<MachineRegisterPressure>();
  MachineInstr* phi = function.block(1)->front();
  EXPECT_EQ(Names(pressure.LiveBefore(*phi)), "%1 %2 %3 ");
  EXPECT_EQ(Names(pressure.LiveAfter(*phi)), "%1 %2 ");
  EXPECT_TRUE(pressure.IsLiveIn(*function.block(1), Register::Virtual(1)));
  EXPECT_FALSE(pressure.IsLiveIn(*function.block(1), Register::Virtual(2)));
  EXPECT_TRUE(pressure.IsLiveOut(*function.block(1), Register::Virtual(2)));
}

TEST(MachineRegisterPressureTest, UnreachableEmptyAndUndefined) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.2
    KILL %0:b32
  bb.1:
    successors: %bb.2
  bb.2:
    successors: %bb.2
    KILL %0
    $r0 = COPY $r1
  bb.3:
    %1:b64 = COPY %2:b64
)");
  MachineRegisterPressure pressure(OnlyFunction(*module));
  EXPECT_EQ(pressure.Block(*OnlyFunction(*module).block(1)).peak.units, 1u);
  ExpectAsReference(OnlyFunction(*module), "by hand");
}

TEST(MachineRegisterPressureTest, UnitsAreThoseOfTheTarget) {
  const TargetInfo& target = ptx::PtxTargetInfo();
  const PressureClassMap map(target);
  for (size_t i = 0; i < target.reg_classes.size(); ++i) {
    const RegClassId id = static_cast<RegClassId>(i);
    EXPECT_EQ(map.IsCounted(id), target.reg_classes[i].allocatable);
    if (!map.IsCounted(id)) continue;
    EXPECT_EQ(kPressureUnits[map[id]], target.reg_classes[i].pressure_units);
    EXPECT_EQ(kPressureClassNames[map[id]], target.reg_classes[i].name);
  }
  EXPECT_FALSE(map.IsCounted(kNoRegClass));
}

TEST(MachineRegisterPressureTest, GeneratedFunctions) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 30, ExpectAsReference);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kPressure, 1, 1, ExpectAsReference);
}

// live-intervals and machine-rpa must agree about the four slots of each instruction.
TEST(MachineRegisterPressureTest, AgreesWithLiveIntervals) {
  const auto check = [](MachineFunction& function, const std::string& where) {
    AnalysisManager analyses(function);
    const LiveIntervals& intervals = analyses.Get<LiveIntervals>();
    const MachineRegisterPressure& pressure = analyses.Get<MachineRegisterPressure>();
    const PressureClassMap classes(function.target());
    const auto count_at = [&](SlotIndex index) {
      RegisterPressure counts;
      for (uint32_t i = 0; i < function.reg_info().num_virtual_registers(); ++i) {
        const Register reg = Register::Virtual(i);
        const RegClassId reg_class = function.reg_info().reg_class(reg);
        if (classes.IsCounted(reg_class)) counts.counts[classes[reg_class]] += intervals.Interval(reg).LiveAt(index);
      }
      return counts;
    };
    for (const MachineBasicBlock& block : function) {
      for (const InstrPressure& at : pressure.Instrs(block)) {
        if (at.instr->is_phi()) continue;
        const SlotIndex index = intervals.indexes().InstrIndex(*at.instr);
        const bool same = at.entry == count_at(index.Base()) && at.at_reads == count_at(index.RegSlot(true)) &&
                          at.at_writes == count_at(index.RegSlot()) && at.exit == count_at(index.DeadSlot());
        ASSERT_TRUE(same) << where << ", %bb." << block.number() << "\n" << Describe(at);
      }
    }
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 3000, 5, check);
}

// Early-clobber, undef, implicit, dead and repeated definitions, at random.
TEST(MachineRegisterPressureTest, RandomFlags) {
  uint32_t state = 1;
  const auto next = [&state] { return (state = state * 1664525 + 1013904223) >> 8; };
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 5000, 10, [&](MachineFunction& function, const std::string& where) {
        const uint32_t num_registers = function.reg_info().num_virtual_registers();
        for (MachineBasicBlock& block : function) {
          for (MachineInstr& instr : block) {
            for (MachineOperand& operand : instr.operands()) {
              if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
              const uint32_t choice = next() % 16;
              if (choice == 0) operand.set_reg_flag(MachineOperand::kUndef, operand.is_use());
              if (choice < 3) operand.set_reg_flag(MachineOperand::kEarlyClobber, operand.is_def() && !instr.is_phi());
              // Two PHIs of a block must not define the same register.
              if (choice == 4 && !(instr.is_phi() && operand.is_def())) {
                operand.SetReg(Register::Virtual(next() % num_registers));
              }
            }
          }
        }
        ExpectAsReference(function, where);
      });
}

TEST(MachineRegisterPressureTest, LongChainsOfBlocks) {
  const auto module = ReadBody("  bb.0:\n    %0:b32 = IMPLICIT_DEF\n");
  MachineFunction& function = OnlyFunction(*module);
  constexpr int kBlocks = 100000;
  MachineBasicBlock* last = function.front();
  for (int i = 0; i < kBlocks; ++i) {
    MachineBasicBlock* block = function.CreateBlock();
    function.InsertBlock(nullptr, block);
    last->AddSuccessor(block);
    last = block;
  }
  MachineInstr* kill = BuildMI(*last, nullptr, generic::kKill).AddUse(Register::Virtual(0)).Insert();
  MachineRegisterPressure pressure(function);
  EXPECT_EQ(pressure.BlocksOver(0).size(), 1u + kBlocks);
  pressure.WillErase(*kill);
  kill->EraseFromParent();
  EXPECT_EQ(pressure.BlocksOver(0).size(), 1u);
}

}  // namespace
}  // namespace ptxmir
