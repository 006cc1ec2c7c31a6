// SPDX-License-Identifier: Apache-2.0

#include "ir/code/function.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ir/code/dominators.h"
#include "ir/code/program.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "ir/verify/verifier.h"

namespace ptxmir::ir {
namespace {

constexpr char kDiamond[] = R"(
@g = global i32 0
define i32 @f(i32 %a, i1 %c) {
entry:
  %x = add i32 %a, 1
  br i1 %c, label %left, label %right
left:
  %l = mul i32 %x, %x
  br label %join
right:
  br label %join
join:
  %r = phi i32 [ %l, %left ], [ 1, %right ]
  ret i32 %r
}
)";

class FunctionTest : public ::testing::Test {
 protected:
  Function& Read(const char* text) {
    DiagnosticEngine diagnostics;
    file_ = ReadProgram(std::make_shared<SourceBuffer>("test.ll", text), diagnostics);
    EXPECT_EQ(diagnostics.ToString(), "");
    return *file_.program->functions()[0];
  }

  static std::vector<std::string> Users(const Value& value) {
    std::vector<std::string> users;
    for (Use& use : value.uses()) {
      users.push_back(std::string(OpcodeWord(use.user().opcode())) + " " + std::to_string(use.operand_number()));
    }
    return users;
  }

  ProgramFile file_;
};

TEST_F(FunctionTest, UseListsNameEveryOperand) {
  const Function& function = Read(kDiamond);
  const Instruction& x = *function.entry().first();
  EXPECT_EQ(Users(x), (std::vector<std::string>{"mul 1", "mul 0"}));
  EXPECT_EQ(Users(*function.arguments()[0]), (std::vector<std::string>{"add 0"}));
  EXPECT_TRUE(function.arguments()[1]->has_one_use());
  size_t operands = 0, uses = 0;
  for (const BasicBlock* block : function.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      for (const Use& use : i->operands()) {
        ++operands;
        for (const Use& listed : use.value().uses()) uses += &listed == &use ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(operands, 14u);
  EXPECT_EQ(uses, operands);
}

TEST_F(FunctionTest, EqualConstantsAreOneValue) {
  Function& function = Read(kDiamond);
  const Instruction& add = *function.entry().first();
  const Instruction& phi = *function.blocks()[3]->first();
  EXPECT_EQ(&add.operand(1), &phi.incoming_value(1));
  EXPECT_EQ(function.Integer(add.type(), 1), &add.operand(1));
  EXPECT_NE(function.Integer(add.type(), 2), &add.operand(1));
  EXPECT_EQ(function.GlobalAddress(0), function.GlobalAddress(0));
}

TEST_F(FunctionTest, ReplacingAllUsesJoinsTheLists) {
  Function& function = Read(kDiamond);
  Instruction& x = *function.entry().first();
  Argument& a = *function.arguments()[0];
  x.ReplaceAllUsesWith(a);
  EXPECT_FALSE(x.has_uses());
  EXPECT_EQ(Users(a), (std::vector<std::string>{"mul 1", "mul 0", "add 0"}));
  x.EraseFromParent();
  EXPECT_EQ(Users(a), (std::vector<std::string>{"mul 1", "mul 0"}));
  EXPECT_EQ(function.entry().first()->opcode(), Opcode::kBr);
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(VerifyFunction(function, diagnostics)) << diagnostics.ToString();
}

TEST_F(FunctionTest, CreatedInstructionsAreWrittenWhereTheyWereInserted) {
  Function& function = Read(kDiamond);
  BasicBlock& right = *function.blocks()[2];
  Argument& a = *function.arguments()[0];
  Instruction* sum = function.CreateInstruction(Opcode::kAdd, a.type(), {{a, *function.Integer(a.type(), 7)}});
  sum->set_flags(kNoSignedWrap);
  right.Insert(*sum, *right.first());
  function.blocks()[3]->first()->use(2).Set(*sum);
  DiagnosticEngine diagnostics;
  EXPECT_TRUE(VerifyFunction(function, diagnostics)) << diagnostics.ToString();
  std::string text;
  WriteBody(function, &text);
  EXPECT_NE(text.find("right:\n  %0 = add nsw i32 %a, 7\n  br label %join\n"), text.npos) << text;
  EXPECT_NE(text.find("%r = phi i32 [ %l, %left ], [ %0, %right ]"), text.npos) << text;
}

TEST_F(FunctionTest, VerifierNamesTheFunctionOfACreatedInstruction) {
  Function& function = Read(kDiamond);
  BasicBlock& right = *function.blocks()[2];
  Value& l = *function.blocks()[1]->first();
  Instruction* use = function.CreateInstruction(Opcode::kFreeze, l.type(), {{l}});
  right.Insert(*use, *right.first());
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(VerifyFunction(function, diagnostics));
  EXPECT_EQ(diagnostics.ToString(), "error: in function 'f': 'freeze': Instruction does not dominate all uses!\n");
}

TEST_F(FunctionTest, OperandsBeyondAChunkOfTheArenaFindTheirInstruction) {
  // 6,000 cases are 12,002 operands of 16 bytes, three times the size of a chunk.
  std::string text = "define void @f(i32 %a) {\n  switch i32 %a, label %b [\n";
  for (int i = 0; i < 6000; ++i) text += "    i32 " + std::to_string(i) + ", label %b\n";
  text += "  ]\nb:\n  ret void\n}\n";
  Function& function = Read(text.c_str());
  const Instruction& branch = *function.entry().last();
  ASSERT_EQ(branch.num_operands(), 12002u);
  EXPECT_EQ(&branch.use(12001).user(), &branch);
  size_t edges = 0;
  function.blocks()[1]->ForEachPredecessor([&](BasicBlock& block) { edges += &block == &function.entry() ? 1 : 0; });
  EXPECT_EQ(edges, 6001u);
}

TEST_F(FunctionTest, DominatorsOfADiamond) {
  Function& function = Read(kDiamond);
  const Dominators dominators(function);
  const std::vector<BasicBlock*>& blocks = function.blocks();
  EXPECT_EQ(dominators.ImmediateDominator(*blocks[0]), nullptr);
  EXPECT_EQ(dominators.ImmediateDominator(*blocks[3]), blocks[0]);
  EXPECT_TRUE(dominators.Dominates(*blocks[0], *blocks[1]));
  EXPECT_TRUE(dominators.Dominates(*blocks[1], *blocks[1]));
  EXPECT_FALSE(dominators.Dominates(*blocks[1], *blocks[3]));
  EXPECT_FALSE(dominators.Dominates(*blocks[3], *blocks[2]));
}

}  // namespace
}  // namespace ptxmir::ir
