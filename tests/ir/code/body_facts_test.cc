// SPDX-License-Identifier: Apache-2.0

#include "ir/code/body_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"

namespace ptxmir::ir {
namespace {

using ::testing::ElementsAre;

constexpr char kProgram[] = R"(
@called_by_table = internal global ptr @in_table
@"quoted name" = internal global i32 0
@in_expression = internal global [4 x i32] zeroinitializer
@in_record = internal global i32 0
define internal void @only_called() {
  ret void
}
define internal void @passed(ptr %f) {
  ret void
}
define internal void @in_table() {
  ret void
}
define internal void @unused() {
  ret void
}
define void @user(i32 %n) !dbg !8 {
  call void @only_called()
  call void @passed(ptr @passed)
    #dbg_value(ptr @in_record, !10, !DIExpression(), !11)
  store i32 1, ptr @"quoted name"
  %p = load i32, ptr getelementptr (i8, ptr @in_expression, i64 4)
  br label %named
named:
  %i = phi i32 [ 0, %0 ], [ %j, %named ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %named, label %1, !llvm.loop !3
1:
  br i1 %c, label %1, label %2, !llvm.loop !4
2:
  ret void
}
!llvm.module.flags = !{!20}
!llvm.dbg.cu = !{!6}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2}
!4 = distinct !{!4, !2}
!6 = distinct !DICompileUnit(language: DW_LANG_C99, file: !7, emissionKind: FullDebug)
!7 = !DIFile(filename: "a.c", directory: "/")
!8 = distinct !DISubprogram(name: "user", file: !7, unit: !6, spFlags: DISPFlagDefinition)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = !DILocalVariable(name: "v", scope: !8, file: !7, type: !9)
!11 = !DILocation(line: 1, scope: !8)
!20 = !{i32 2, !"Debug Info Version", i32 3}
)";

struct Answers {
  std::vector<std::string> users;  // "used: user user"
  std::vector<std::string> taken;
  std::vector<MetadataId> loops;  // of the blocks "named", 1 and 2 of the last function; 0 if there is none
  std::vector<MetadataId> all_loops;
};

template <typename Prepare>
Answers AnswersAfter(const Prepare& prepare) {
  DiagnosticEngine diagnostics;
  const ProgramFile file = ReadProgram(std::make_shared<SourceBuffer>("test.ll", kProgram), diagnostics);
  EXPECT_EQ(diagnostics.ToString(), "");
  prepare(*file.program);
  const Module& module = *file.module;
  Answers answers;
  for (const GlobalValue* value : module.global_values()) {
    std::string& users = answers.users.emplace_back(std::string(value->name) + ":");
    for (const GlobalId user : module.Users(value->id())) users += " " + std::string(module.global_value(user).name);
    if (module.IsAddressTaken(value->id())) answers.taken.push_back(std::string(value->name));
  }
  const IrFunction& user = *module.FindFunction("user");
  for (const auto& [name, ir_block] : {std::pair("named", ""), std::pair("", "%ir-block.1"), std::pair("", "2")}) {
    const IrBlock* block = module.FindIrBlock(user, name, ir_block);
    answers.loops.push_back(block == nullptr ? 0 : block->loop.value_or(0));
  }
  ForEachLoopMetadata(user, [&](MetadataId loop) { answers.all_loops.push_back(loop); });
  return answers;
}

TEST(BodyFactsTest, AnswerWhatTextsWould) {
  const Answers by_text = AnswersAfter([](Program& program) { UpdateBodyTexts(program); });
  const Answers by_facts = AnswersAfter([](Program& program) { ReplaceBodyTexts(program); });
  EXPECT_EQ(by_facts.users, by_text.users);
  EXPECT_EQ(by_facts.taken, by_text.taken);
  EXPECT_EQ(by_facts.loops, by_text.loops);
  EXPECT_EQ(by_facts.all_loops, by_text.all_loops);
}

TEST(BodyFactsTest, LeaveNoText) {
  const Answers answers = AnswersAfter([](Program& program) {
    ReplaceBodyTexts(program);
    for (const IrFunction& function : program.module().functions()) EXPECT_EQ(function.body_text, "");
  });
  EXPECT_THAT(answers.users, ElementsAre("called_by_table:", "quoted name: user", "in_expression: user",
                                         "in_record:", "only_called: user", "passed: user", "in_table: called_by_table",
                                         "unused:", "user:"));
  EXPECT_THAT(answers.taken, ElementsAre("quoted name", "in_expression", "passed", "in_table"));
  EXPECT_THAT(answers.loops, ElementsAre(3u, 4u, 0u));
}

}  // namespace
}  // namespace ptxmir::ir
