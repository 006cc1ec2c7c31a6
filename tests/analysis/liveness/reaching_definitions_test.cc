// SPDX-License-Identifier: Apache-2.0

// Compares reaching definitions with a walk back from each use, one instruction at a time.

#include "analysis/liveness/reaching_definitions.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/analysis/mir_fixture.h"

namespace ptxmir {
namespace {

namespace reference {

struct Result {
  std::set<const MachineInstr*> defs;
  bool may_be_undefined = false;
};

bool Defines(const MachineInstr& instr, Register reg) {
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_def() && operand.reg() == reg) return true;
  }
  return false;
}

// Walks back from the end of `block` or from before `instr`.
void Walk(const MachineFunction& function, Register reg, const MachineBasicBlock* block, const MachineInstr* from,
          std::set<const MachineBasicBlock*>& visited, Result& result) {
  for (const MachineInstr* instr = from; instr != nullptr; instr = instr->previous()) {
    if (Defines(*instr, reg)) {
      result.defs.insert(instr);
      return;
    }
  }
  if (block == function.front()) result.may_be_undefined = true;
  for (const MachineBasicBlock* predecessor : block->predecessors()) {
    if (visited.insert(predecessor).second) {
      Walk(function, reg, predecessor, predecessor->back(), visited, result);
    }
  }
}

Result Reaching(const MachineFunction& function, const MachineOperand& use) {
  Result result;
  std::set<const MachineBasicBlock*> visited;
  const MachineInstr* instr = use.parent();
  if (instr->is_phi()) {
    const MachineBasicBlock* from = function.block(instr->operand(use.operand_number() + 1).block());
    visited.insert(from);
    Walk(function, use.reg(), from, from->back(), visited, result);
  } else {
    Walk(function, use.reg(), instr->parent(), instr->previous(), visited, result);
  }
  return result;
}

}  // namespace reference

void ExpectMatchesWalk(MachineFunction& function, size_t max_uses) {
  AnalysisManager analyses(function);
  const auto& reaching = analyses.Get<ReachingDefinitions>();
  size_t num_uses = 0;
  for (const MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_use() || !operand.reads_reg() || !operand.reg().is_virtual()) continue;
        if (++num_uses > max_uses) return;
        const reference::Result wanted = reference::Reaching(function, operand);
        const std::vector<MachineInstr*> got = reaching.Reaching(operand);
        ASSERT_EQ(std::set<const MachineInstr*>(got.begin(), got.end()), wanted.defs);
        ASSERT_EQ(got.size(), wanted.defs.size());
        ASSERT_EQ(reaching.MayBeUndefined(operand), wanted.may_be_undefined);
        ASSERT_EQ(reaching.UniqueReaching(operand) != nullptr, got.size() == 1 && !wanted.may_be_undefined);
      }
    }
  }
  ASSERT_EQ(analyses.CheckCached(), "");
}

TEST(ReachingDefinitionsTest, GeneratedFunctionsMatchTheWalk) {
  const auto check = [](MachineFunction& function, const std::string& where) {
    if (function.num_blocks() > 150) return;
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesWalk(function, 3000)) << where;
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 700, 25, check);
}

// Registers are merged at random, so that each has several definitions, some of which reach nothing.
TEST(ReachingDefinitionsTest, MergedRegistersMatchTheWalk) {
  const auto check = [](MachineFunction& function, const std::string& where) {
    if (function.num_blocks() > 60 || function.HasProperty(FunctionProperty::kIsSsa)) return;
    MachineRegisterInfo& registers = function.reg_info();
    const uint32_t count = registers.num_virtual_registers();
    for (uint32_t i = 7; i < count; ++i) {
      const Register to = Register::Virtual(i % 7);
      if (registers.reg_class(to) == registers.reg_class(Register::Virtual(i))) {
        registers.ReplaceRegister(Register::Virtual(i), to);
      }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectMatchesWalk(function, 2000)) << where;
  };
  testing::ForEachGeneratedFunction(fuzz::FuzzShape::kMixed, 800, 40, check);
}

TEST(ReachingDefinitionsTest, PrintsWhatReachesBlocks) {
  const auto module = testing::ReadBody(
      "  bb.0:\n"
      "    successors: %bb.1, %bb.2\n"
      "    %0:b32 = MOV_B32_i 1\n"
      "    %1:b1 = SETP_i32ri %0, 7, 0\n"
      "    CBranch %1, %bb.2\n"
      "  bb.1:\n"
      "    successors: %bb.2\n"
      "    %2:b32 = MOV_B32_i 3\n"
      "    %0:b32 = ADD32rr %0, %2\n"
      "    %2:b32 = MOV_B32_i 4\n"
      "  bb.2:\n"
      "    successors: %bb.2, %bb.3\n"
      "    %0:b32 = ADD32rr %0, %2\n"
      "    CBranch %1, %bb.2\n"
      "  bb.3:\n"
      "    ST_i32 %0, 0, 0, 1, 32, %2, 0\n"
      "    Return\n");
  ASSERT_NE(module, nullptr);
  MachineFunction& function = testing::OnlyFunction(*module);
  function.SetProperty(FunctionProperty::kIsSsa, false);
  AnalysisManager analyses(function);
  std::string text;
  analyses.Get<ReachingDefinitions>().Print(text);
  EXPECT_EQ(text,
            "%0:\n"
            "  %bb.1: %bb.0:16r\n"
            "  %bb.2: %bb.0:16r %bb.1:96r %bb.2:144r\n"
            "  %bb.3: %bb.2:144r\n"
            "%2:\n"
            "  %bb.0: undefined\n"
            "  %bb.2: undefined %bb.1:112r\n"
            "  %bb.3: undefined %bb.1:112r\n");
}

}  // namespace
}  // namespace ptxmir
