// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_variables.h"

#include <set>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/verify/verifier.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

// Solves the equations of liveness by iterating over sets until nothing changes.
namespace reference {

struct Sets {
  std::vector<std::set<Register>> in;
  std::vector<std::set<Register>> out;
};

bool Reads(const MachineOperand& operand) {
  return operand.reads_reg() && !operand.is_debug() && !operand.is_internal_read() && operand.reg().is_virtual();
}

std::set<Register> Transfer(const MachineBasicBlock& block, std::set<Register> live) {
  for (const MachineInstr* instr = block.back(); instr != nullptr; instr = instr->previous()) {
    for (const MachineOperand& operand : instr->operands()) {
      if (operand.is_def()) live.erase(operand.reg());
    }
    if (instr->is_phi()) continue;
    for (const MachineOperand& operand : instr->operands()) {
      if (Reads(operand)) live.insert(operand.reg());
    }
  }
  return live;
}

Sets Compute(const MachineFunction& function) {
  Sets sets{std::vector<std::set<Register>>(function.block_number_bound()),
            std::vector<std::set<Register>>(function.block_number_bound())};
  for (bool changed = true; changed;) {
    changed = false;
    for (const MachineBasicBlock* block = function.back(); block != nullptr; block = block->previous()) {
      std::set<Register> out;
      for (const MachineBasicBlock* successor : block->successors()) {
        out.insert(sets.in[successor->number()].begin(), sets.in[successor->number()].end());
        for (const MachineInstr& phi : *successor) {
          if (!phi.is_phi()) continue;
          for (unsigned i = 1; i + 1 < phi.num_operands(); i += 2) {
            if (phi.operand(i + 1).block() == block->number() && Reads(phi.operand(i)))
              out.insert(phi.operand(i).reg());
          }
        }
      }
      std::set<Register> in = Transfer(*block, out);
      changed |= out != sets.out[block->number()] || in != sets.in[block->number()];
      sets.out[block->number()] = std::move(out);
      sets.in[block->number()] = std::move(in);
    }
  }
  return sets;
}

}  // namespace reference

std::set<Register> AsSet(absl::Span<const Register> registers) { return {registers.begin(), registers.end()}; }

void ExpectAsReference(MachineFunction& function, const std::string& where) {
  AnalysisManager analyses(function);
  const LiveVariables& live = analyses.Get<LiveVariables>();
  const reference::Sets sets = reference::Compute(function);
  for (const MachineBasicBlock& block : function) {
    ASSERT_EQ(AsSet(live.LiveIn(block)), sets.in[block.number()]) << where << ", %bb." << block.number();
    ASSERT_EQ(AsSet(live.LiveOut(block)), sets.out[block.number()]) << where << ", %bb." << block.number();
    ASSERT_EQ(live.LiveIn(block).size(), sets.in[block.number()].size()) << where;
  }
}

constexpr char kLoop[] = R"(  bb.0:
    successors: %bb.1, %bb.4
    %0:b32 = IMPLICIT_DEF
    %1:b32 = ADD32ri %0, 1
    %7:b1 = SETP_i32ri %0, 10, 1
    CBranch %7, %bb.4
  bb.1:
    successors: %bb.1, %bb.2
    %2:b32 = PHI %1, %bb.0, %3, %bb.1
    %3:b32 = ADD32ri %2, 1
    %4:b1 = SETP_i32ri %3, 10, 1
    DBG_VALUE %1, $noreg
    CBranch %4, %bb.1
  bb.2:
    successors: %bb.4
    %5:b32 = ADD32rr %3, %0
    GOTO %bb.4
  bb.3:
    successors: %bb.4
    %6:b32 = ADD32rr %5, undef %0
  bb.4:
    Return
)";

TEST(LiveVariablesTest, LoopByHand) {
  const auto module = ReadBody(kLoop);
  AnalysisManager analyses(OnlyFunction(*module));
  std::string text;
  analyses.Get<LiveVariables>().Print(text);
  // %5 is read in an unreachable block, and is live into that block only. The undef use and the debug instruction
  // do not count.
  EXPECT_EQ(text,
            "Live variables in machine function: f\n"
            "%bb.0:\n  live-in:\n  live-out: %0 %1\n"
            "%bb.1:\n  live-in: %0\n  live-out: %0 %3\n"
            "%bb.2:\n  live-in: %0 %3\n  live-out:\n"
            "%bb.3:\n  live-in: %5\n  live-out:\n"
            "%bb.4:\n  live-in:\n  live-out:\n");
  const LiveVariables& live = analyses.Get<LiveVariables>();
  const MachineBasicBlock& loop = *OnlyFunction(*module).block(1);
  EXPECT_TRUE(live.IsLiveThrough(Register::Virtual(0), loop));
  EXPECT_FALSE(live.IsLiveThrough(Register::Virtual(3), loop));
  EXPECT_EQ(live.num_entries(), 8u);
}

std::string Line(const MachineFunction& function, BlockNumber block, int line) {
  const MachineInstr* instr = function.block(block)->front();
  for (; line > 0; --line) instr = instr->next();
  std::string flags;
  for (const MachineOperand& operand : instr->operands()) {
    if (operand.is_reg()) flags += operand.is_kill() ? 'k' : operand.is_dead() ? 'd' : '-';
  }
  return flags;
}

TEST(LiveVariablesTest, KillAndDeadFlags) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1
    %0:b32 = IMPLICIT_DEF
    %1:b32 = ADD32rr %0, %0
    %1:b32 = ADD32rr %1, %0
    %2:b32 = ADD32rr killed %1, killed %0
  bb.1:
    %3:b32 = ADD32rr %1, undef %0
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  analyses.Get<LiveVariables>().SetKillAndDeadFlags();
  EXPECT_EQ(Line(function, 0, 1), "---");
  EXPECT_EQ(Line(function, 0, 2), "-k-");
  EXPECT_EQ(Line(function, 0, 3), "d-k");  // %1 is read in bb.1
  EXPECT_EQ(Line(function, 1, 0), "dk-");
}

TEST(LiveVariablesTest, CheckFindsWhatAnEditChanged) {
  const auto module = ReadBody(kLoop);
  MachineFunction& function = OnlyFunction(*module);
  AnalysisManager analyses(function);
  analyses.Get<LiveVariables>();
  EXPECT_EQ(analyses.CheckCached(), "");
  function.block(2)->front()->operand(2).SetReg(Register::Virtual(1));
  EXPECT_EQ(analyses.CheckCached(), "live-variables: what is live out of %bb.0 differs");
}

TEST(LiveVariablesTest, GeneratedFunctions) {
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1, 250, ExpectAsReference);
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kPressure, 1, 4, ExpectAsReference);
}

TEST(LiveVariablesTest, FlagsOfGeneratedFunctionsPleaseTheVerifier) {
  int killed = 0;
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 1000, 100,
                                    [&](MachineFunction& function, const std::string& where) {
                                      AnalysisManager analyses(function);
                                      analyses.Get<LiveVariables>().SetKillAndDeadFlags();
                                      std::string report;
                                      EXPECT_TRUE(VerifyMachineFunction(function, report)) << where << report;
                                      for (const MachineBasicBlock& block : function) {
                                        for (const MachineInstr& instr : block) {
                                          for (const MachineOperand& operand : instr.operands()) {
                                            killed += operand.is_reg() && operand.is_kill();
                                          }
                                        }
                                      }
                                    });
  EXPECT_GT(killed, 1000);
}

// A chain of blocks. Registers that are live through all of them take four bytes per border and no recursion.
TEST(LiveVariablesTest, LongChainsOfBlocks) {
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
  BuildMI(*last, nullptr, generic::kKill).AddUse(Register::Virtual(0)).Insert();
  AnalysisManager analyses(function);
  EXPECT_EQ(analyses.Get<LiveVariables>().num_entries(), 2u * kBlocks);
}

}  // namespace
}  // namespace ptxmir
