// SPDX-License-Identifier: Apache-2.0

#include "mir/code/clone_function.h"

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "options/knobs.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

std::unique_ptr<Module> ReadFile(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(path);
  EXPECT_TRUE(buffer.ok()) << path;
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

std::string TextOf(const MachineFunction& function) {
  std::string text;
  WriteMirFunction(function, {}, text);
  return text;
}

TEST(CloneFunctionTest, CopiesEverythingThatIsWritten) {
  for (const std::string& path : testing::CorpusSample()) {
    const std::unique_ptr<Module> module = ReadFile(path);
    for (OwnedMachineFunction& function : module->machine_functions()) {
      const std::string text = TextOf(*function);
      const OwnedMachineFunction copy = CloneFunction(*function);
      // A copy that refers to the original would read freed memory from here on.
      function.reset();
      EXPECT_EQ(TextOf(*copy), text) << path;
      EXPECT_EQ(copy->reg_info().CheckUseLists(), "") << path;
    }
  }
}

TEST(CloneFunctionTest, ACopyIsCompiledToTheSameCode) {
  DiagnosticEngine diagnostics;
  const std::optional<Pipeline> pipeline = BuildPipeline(PipelineOptions(), diagnostics);
  ASSERT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  const RunOptions options;
  const PipelineRunner runner(*pipeline, options);
  for (const std::string& path : testing::CorpusSample()) {
    const std::unique_ptr<Module> module = ReadFile(path);
    for (const OwnedMachineFunction& function : module->machine_functions()) {
      const OwnedMachineFunction copy = CloneFunction(*function);
      FunctionReport report_of_function;
      FunctionReport report_of_copy;
      ASSERT_TRUE(runner.Run(*function, report_of_function)) << report_of_function.diagnostics.ToString();
      ASSERT_TRUE(runner.Run(*copy, report_of_copy)) << report_of_copy.diagnostics.ToString();
      EXPECT_EQ(TextOf(*copy), TextOf(*function)) << path;
    }
  }
}

}  // namespace
}  // namespace ptxmir
