// SPDX-License-Identifier: Apache-2.0

// The lines of functions from pass to pass: values keep their numbers, and what has changed is written again.

#include "ir/text/function_lines.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"

namespace ptxmir::ir {
namespace {

constexpr std::string_view kFunction = R"(define i32 @f(i32 %0) {
  %2 = add i32 %0, 7
  %3 = mul i32 %0, %0
  %4 = icmp eq i32 %3, 0
  switch i32 %3, label %6 [
    i32 1, label %5
    i32 2, label %5
  ]

5:
  br label %6

6:
  %7 = phi i32 [ %3, %1 ], [ 4, %5 ]
  ret i32 %7
}
)";

class FunctionLinesTest : public ::testing::Test {
 protected:
  void Read(std::string_view text) {
    file_ = ReadProgram(std::make_shared<SourceBuffer>("test.ll", text), diagnostics_);
    ASSERT_NE(file_.program, nullptr) << diagnostics_.ToString();
    function_ = file_.program->functions()[0].get();
  }
  std::vector<std::string> Lines() {
    std::vector<uint32_t> numbers;
    lines_.Append(
        *function_,
        [this](std::string_view text) {
          for (size_t i = 0; i < texts_.size(); ++i) {
            if (texts_[i] == text) return static_cast<uint32_t>(i);
          }
          texts_.emplace_back(text);
          return static_cast<uint32_t>(texts_.size() - 1);
        },
        numbers);
    std::vector<std::string> lines;
    for (const uint32_t number : numbers) lines.push_back(texts_[number]);
    return lines;
  }
  Instruction& First(size_t block) { return *function_->blocks()[block]->first(); }

  DiagnosticEngine diagnostics_;
  ProgramFile file_;
  Function* function_ = nullptr;
  FunctionLines lines_;
  std::vector<std::string> texts_;
};

TEST_F(FunctionLinesTest, WritesWhatTheWriterWrites) {
  Read(kFunction);
  std::string joined;
  for (const std::string& line : Lines()) joined += line + "\n";
  EXPECT_EQ(joined, kFunction);
}

TEST_F(FunctionLinesTest, KeepsNumbersWhenValuesGo) {
  Read(kFunction);
  std::vector<std::string> before = Lines();
  First(0).EraseFromParent();
  const std::vector<std::string> after = Lines();
  before.erase(before.begin() + 1);
  EXPECT_EQ(after, before);
  // LLVM numbers again.
  std::string body;
  WriteBody(*function_, &body);
  EXPECT_NE(body.find("%2 = mul i32 %0, %0"), std::string::npos) << body;
  EXPECT_EQ(lines_.KeptBlockNumber(4), 5u);
  EXPECT_EQ(lines_.KeptBlockNumber(5), 6u);
  EXPECT_EQ(lines_.KeptBlockNumber(77), 77u);
  // Nor does that change the lines.
  EXPECT_EQ(Lines(), before);
}

TEST_F(FunctionLinesTest, GivesNewValuesNumbersOfTheirOwn) {
  Read(kFunction);
  Lines();
  Instruction& add = First(0);
  const std::vector<Function::Operand> factors = {add.operand(0), add.operand(0)};
  add.parent()->Insert(*function_->CreateInstruction(Opcode::kMul, add.type(), factors), add);
  add.EraseFromParent();
  EXPECT_EQ(Lines()[1], "  %8 = mul i32 %0, %0");
}

TEST_F(FunctionLinesTest, WritesAgainWhatHasChanged) {
  Read(kFunction);
  Lines();
  Instruction& add = First(0);
  add.set_flags(add.flags() | kNoSignedWrap);
  EXPECT_EQ(Lines()[1], "  %2 = add nsw i32 %0, 7");
  add.use(1).Set(*add.next());
  EXPECT_EQ(Lines()[1], "  %2 = add nsw i32 %0, %3");
  add.next()->set_name(function_->AddName("square"));
  const std::vector<std::string> lines = Lines();
  EXPECT_EQ(lines[1], "  %2 = add nsw i32 %0, %square");
  EXPECT_EQ(lines[2], "  %square = mul i32 %0, %0");
  EXPECT_EQ(lines[3], "  %4 = icmp eq i32 %square, 0");
  EXPECT_EQ(lines[13], "  %7 = phi i32 [ %square, %1 ], [ 4, %5 ]");
}

// The ids of arguments are small numbers, as those that unnamed values have in the text.
TEST_F(FunctionLinesTest, TellsArgumentsFromInstructions) {
  std::string text = "define i32 @f(i32 %a, i32 %b) {\n";
  for (int i = 1; i <= 30; ++i) text += "  %" + std::to_string(i) + " = add i32 %a, 0\n";
  Read(text + "  %sum = add i32 %a, 0\n  ret i32 %sum\n}\n");
  Instruction& sum = *function_->blocks()[0]->last()->previous();
  for (Instruction* value = &First(0); value != &sum; value = value->next()) {
    sum.use(0).Set(*value);
    const std::vector<std::string> with_value = Lines();
    EXPECT_EQ(with_value[31], "  %sum = add i32 %" + std::to_string(value->slot()) + ", 0");
    for (Argument* argument : function_->arguments()) {
      sum.use(0).Set(*argument);
      EXPECT_EQ(Lines()[31], argument->number() == 0 ? "  %sum = add i32 %a, 0" : "  %sum = add i32 %b, 0");
      sum.use(0).Set(*value);
      EXPECT_EQ(Lines(), with_value);
    }
  }
}

TEST_F(FunctionLinesTest, LeavesDebugInformationOut) {
  Read(R"(define void @f() !dbg !2 {
  ret void, !dbg !4
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !1, unit: !0, type: !3)
!3 = !DISubroutineType(types: !{null})
!4 = !DILocation(line: 3, scope: !2)
!5 = !{i32 2, !"Debug Info Version", i32 3}
)");
  EXPECT_EQ(Lines()[1], "  ret void");
}

}  // namespace
}  // namespace ptxmir::ir
