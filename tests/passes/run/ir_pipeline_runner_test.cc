// SPDX-License-Identifier: Apache-2.0

#include "passes/run/ir_pipeline_runner.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/program_reader.h"
#include "ir/text/program_writer.h"

namespace ptxmir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Functions with work for several passes; each has its number in it.
std::string Functions(int count) {
  std::string text = "target triple = \"nvptx64-nvidia-cuda\"\n";
  for (int i = 0; i < count; ++i) {
    StrAppend(&text, "define i32 @f", i, "(i32 %x, i1 %c) {\n  %object = alloca [", i % 5 + 1,
              " x i32], align 4\n  store i32 ", i, ", ptr %object, align 4\n  br i1 %c, label %then, label %join\n",
              "then:\n  store i32 %x, ptr %object, align 4\n  br label %join\njoin:\n",
              "  %v = load i32, ptr %object, align 4\n  %a = add i32 %v, 0\n  %b = mul i32 %a, ", i,
              "\n  %d = mul i32 %a, ", i, "\n  %r = add i32 %b, %d\n  ret i32 %r\n}\n");
  }
  return text;
}

struct Result {
  std::string program;
  std::string log;
};

Result RunOn(int threads) {
  DiagnosticEngine diagnostics;
  const ir::ProgramFile file = ir::ReadProgram(std::make_shared<SourceBuffer>("test.ll", Functions(40)), diagnostics);
  PipelineOptions pipeline_options;
  pipeline_options.opt_level = 2;
  const std::optional<Pipeline> pipeline = BuildIrPipeline(pipeline_options, diagnostics);
  RunOptions options;
  options.threads = threads;
  options.print.after_all = true;
  RunReport report;
  EXPECT_TRUE(RunIrPipeline(*file.program, *pipeline, options, diagnostics, report)) << diagnostics.ToString();
  Result result;
  ir::WriteProgram(*file.program, &result.program);
  result.log = report.log;
  return result;
}

TEST(IrPipelineRunnerTest, ResultsAndDumpsDoNotDependOnTheNumberOfThreads) {
  const Result one = RunOn(1);
  EXPECT_THAT(one.program, Not(HasSubstr("alloca")));
  for (const int threads : {2, 4, 64}) {
    const Result several = RunOn(threads);
    EXPECT_EQ(several.program, one.program) << threads;
    EXPECT_EQ(several.log, one.log) << threads;
  }
}

IrPassResult Refuse(ir::Function& function, IrPassContext& context) {
  const std::string_view name = function.signature().name;
  if (name == "f7" || name == "f3") context.diagnostics.Error(StrCat("no ", name));
  return {};
}

TEST(IrPipelineRunnerTest, TheFirstFunctionWithAnErrorIsTheOnlyOneReported) {
  const PassInfo pass = {.name = "refuses", .description = "", .run_on_ir = Refuse};
  PipelineStep step;
  step.pass = &pass;
  step.instance = 1;
  const Pipeline pipeline = {step};
  for (const int threads : {1, 4}) {
    DiagnosticEngine diagnostics;
    const ir::ProgramFile file = ir::ReadProgram(std::make_shared<SourceBuffer>("test.ll", Functions(40)), diagnostics);
    RunOptions options;
    options.threads = threads;
    RunReport report;
    EXPECT_FALSE(RunIrPipeline(*file.program, pipeline, options, diagnostics, report));
    EXPECT_THAT(diagnostics.ToString(), HasSubstr("no f3"));
    EXPECT_THAT(diagnostics.ToString(), Not(HasSubstr("no f7")));
  }
}

}  // namespace
}  // namespace ptxmir
