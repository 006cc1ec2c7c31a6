// SPDX-License-Identifier: Apache-2.0

#include "ir/code/editing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"
#include "ir/verify/verifier.h"

namespace ptxmir::ir {
namespace {

constexpr std::string_view kLoop = R"(define i32 @f(i32 %n, ptr byval(i64) align 8 %p) {
entry:
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %loop, label %exit

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nsw i32 %i, 1
  store i32 %next, ptr %p, align 4
  %d = icmp eq i32 %next, %n
  br i1 %d, label %exit, label %loop

exit:
  %r = phi i32 [ -1, %entry ], [ %next, %loop ]
  ret i32 %r
}
)";

class EditingTest : public ::testing::Test {
 protected:
  void Read(std::string_view text) {
    file_ = ReadProgram(std::make_shared<SourceBuffer>("test.ll", text), diagnostics_);
    ASSERT_NE(file_.program, nullptr) << diagnostics_.ToString();
    function_ = file_.program->functions()[0].get();
  }
  // Returns the module's text, after the verifier accepted it.
  std::string Text() {
    EXPECT_TRUE(VerifyProgram(*file_.program, diagnostics_)) << diagnostics_.ToString();
    std::string out;
    WriteProgram(*file_.program, &out);
    return out;
  }
  BasicBlock& Block(size_t i) { return *function_->blocks()[i]; }

  DiagnosticEngine diagnostics_;
  ProgramFile file_;
  Function* function_ = nullptr;
};

// The copy of inline assembly had the uses of the original, whose numbers name other things in the copy's memory.
TEST_F(EditingTest, CopiesOfInlineAssemblyHaveUsesOfTheirOwn) {
  Read(R"(define i32 @f(i32 %n) {
  %a = call i32 asm "mov $0, $1;", "=r,r"(i32 %n)
  %b = call i32 asm sideeffect "add $0, $1, 1;", "=r,r"(i32 %a)
  ret i32 %b
}
)");
  CloneMap map;
  Function& copy = CloneFunction(*function_, "copy", &map);
  size_t num_calls = 0;
  for (Instruction* i = copy.entry().first(); i != nullptr; i = i->next()) {
    if (i->opcode() != Opcode::kCall) continue;
    ++num_calls;
    ASSERT_TRUE(i->callee().is_inline_asm());
    ASSERT_TRUE(i->callee().has_one_use());
    EXPECT_EQ(&i->callee().first_use()->user(), i);
  }
  EXPECT_EQ(num_calls, 2u);
  Text();
}

TEST_F(EditingTest, SplitsABlock) {
  Read(kLoop);
  Instruction* store = Block(1).first()->next()->next();
  BasicBlock& rest = SplitBlockBefore(*store);
  EXPECT_EQ(rest.number(), 2u);
  EXPECT_EQ(rest.first(), store);
  const std::string text = Text();
  // The latch is the second half now.
  EXPECT_NE(text.find("%i = phi i32 [ 0, %entry ], [ %next, %0 ]"), text.npos) << text;
  EXPECT_NE(text.find("%r = phi i32 [ -1, %entry ], [ %next, %0 ]"), text.npos) << text;
}

TEST_F(EditingTest, SplitsAnEdge) {
  Read(kLoop);
  BasicBlock& between = SplitEdge(*Block(1).terminator(), 1);
  EXPECT_EQ(&Block(1).terminator()->successor(1), &between);
  EXPECT_EQ(&between.terminator()->successor(0), &Block(1));
  const std::string text = Text();
  EXPECT_NE(text.find("%i = phi i32 [ 0, %entry ], [ %next, %0 ]"), text.npos) << text;
  EXPECT_NE(text.find("%r = phi i32 [ -1, %entry ], [ %next, %loop ]"), text.npos) << text;
}

TEST_F(EditingTest, SplitsOneOfTwoEdgesToABlock) {
  Read(
      "define i32 @f(i32 %x) {\n"
      "  switch i32 %x, label %a [ i32 1, label %b\n i32 2, label %b ]\n"
      "a:\n  br label %b\n"
      "b:\n  %r = phi i32 [ 5, %0 ], [ 5, %0 ], [ 6, %a ]\n  ret i32 %r\n}\n");
  SplitEdge(*Block(0).terminator(), 2);
  const std::string text = Text();
  EXPECT_NE(text.find("phi i32 [ 5, %1 ], [ 5, %0 ], [ 6, %a ]"), text.npos) << text;
}

TEST_F(EditingTest, ClonesAFunction) {
  Read(kLoop);
  CloneMap map;
  Function& copy = CloneFunction(*function_, "g", &map);
  EXPECT_EQ(copy.blocks().size(), 3u);
  EXPECT_EQ(map[&Block(1)], copy.blocks()[1]);
  EXPECT_EQ(copy.signature().linkage, Linkage::kInternal);
  const std::string text = Text();
  const size_t begin = text.find("define internal i32 @g(i32 %n, ptr byval(i64) align 8 %p)");
  ASSERT_NE(begin, text.npos) << text;
  // The bodies are equal.
  std::string original, cloned;
  WriteBody(*function_, &original);
  WriteBody(copy, &cloned);
  EXPECT_EQ(cloned, original);
  // The copy shares no value with the original.
  for (const BasicBlock* block : copy.blocks()) {
    for (const Instruction* i = block->first(); i != nullptr; i = i->next()) {
      for (const Use& use : i->operands()) EXPECT_EQ(&use.value().function(), &copy);
    }
  }
}

TEST_F(EditingTest, ClonesBlocks) {
  Read(kLoop);
  CloneMap map;
  // Peels the first iteration: the copy of the loop is entered first.
  BasicBlock* const loop[] = {&Block(1)};
  BasicBlock& exit = Block(2);
  const std::vector<BasicBlock*> copies = CloneBlocks(*function_, loop, &map);
  ASSERT_EQ(copies.size(), 1u);
  BasicBlock& copy = *copies[0];
  Block(0).terminator()->use(1).Set(copy);
  // The copy leads to the loop in place of itself.
  copy.terminator()->use(2).Set(*loop[0]);
  RemovePhiEntry(copy, copy);
  Instruction* phi = loop[0]->first();
  Value* const values[] = {map[&phi->incoming_value(1)], &phi->incoming_value(1)};
  BasicBlock* const blocks[] = {&copy, loop[0]};
  ReplacePhi(*phi, values, blocks);
  AddPhiEntry(exit, *loop[0], copy);
  exit.first()->use(4).Set(*map[&exit.first()->incoming_value(1)]);
  const std::string text = Text();
  EXPECT_NE(text.find("%i = phi i32 [ %next.clone, %loop.clone ], [ %next, %loop ]"), text.npos) << text;
  EXPECT_NE(text.find("%i.clone = phi i32 [ 0, %entry ]"), text.npos) << text;
  EXPECT_NE(text.find("[ %next.clone, %loop.clone ]\n  ret i32 %r"), text.npos) << text;
}

TEST_F(EditingTest, MovesInstructions) {
  Read(kLoop);
  Instruction* store = Block(1).first()->next()->next();
  Instruction* compare = store->next();
  MoveBefore(*compare, *store);
  EXPECT_EQ(compare->next(), store);
  EXPECT_EQ(store->parent(), &Block(1));
  Text();
}

TEST_F(EditingTest, ErasesUnreachableBlocks) {
  Read(kLoop);
  // The entry leads to the exit alone.
  Instruction* terminator = Block(0).terminator();
  terminator->use(1).Set(Block(2));
  terminator->use(2).Set(Block(2));
  AddPhiEntry(Block(2), Block(0), Block(0));
  EXPECT_EQ(EraseUnreachableBlocks(*function_), 1u);
  EXPECT_EQ(function_->blocks().size(), 2u);
  const std::string text = Text();
  EXPECT_NE(text.find("%r = phi i32 [ -1, %entry ], [ -1, %entry ]"), text.npos) << text;
  EXPECT_EQ(EraseUnreachableBlocks(*function_), 0u);
}

}  // namespace
}  // namespace ptxmir::ir
