// SPDX-License-Identifier: Apache-2.0

#include "compiler/version_chooser.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "compiler/compilation.h"
#include "compiler/option_parser.h"
#include "gtest/gtest.h"
#include "passes/pipeline/pipeline.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

struct Result {
  std::string ptx;
  uint64_t num_chosen = 0;                         // kernels under another option set
  std::map<std::string, uint32_t> registers = {};  // expected, by kernel
};

std::optional<Result> Compile(const std::string& file, const std::vector<std::string_view>& flags) {
  DriverOptions options;
  options.input = StrCat("tests/corpus/", file, ".mir");
  EXPECT_TRUE(ParseCommandLine(flags, options).ok());
  DiagnosticEngine diagnostics;
  std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, diagnostics);
  EXPECT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  if (!pipeline.has_value()) return std::nullopt;
  const CompilationPlan plan(options, *std::move(pipeline));
  Compilation compilation(plan);
  compilation.ReportPressure();
  if (!compilation.Run()) {
    ADD_FAILURE() << compilation.diagnostics().ToString();
    return std::nullopt;
  }
  Result result;
  for (const std::string_view part : compilation.output()) StrAppend(&result.ptx, part);
  result.num_chosen = testing::CounterOf(compilation.report().statistics, "kernels compiled under another option set");
  for (const FunctionPressure& function : compilation.report().pressure) {
    if (function.ptxas.has_value()) result.registers[function.function] = function.ptxas->registers;
  }
  return result;
}

TEST(VersionChooserTest, ChoosesVersionsWithFewerExpectedRegisters) {
  const std::optional<Result> plain = Compile("training", {"-O2"});
  const std::optional<Result> chosen = Compile("training", {"-O3"});
  ASSERT_TRUE(plain.has_value() && chosen.has_value());
  EXPECT_EQ(plain->num_chosen, 0u);
  EXPECT_GT(chosen->num_chosen, 0u);
  ASSERT_EQ(plain->registers.size(), chosen->registers.size());
  uint64_t num_fewer = 0;
  for (const auto& [kernel, registers] : chosen->registers)
    num_fewer += registers < plain->registers.at(kernel) ? 1 : 0;
  EXPECT_GT(num_fewer, 0u);
  EXPECT_NE(plain->ptx, chosen->ptx);
}

TEST(VersionChooserTest, TheOptionDecidesAtEveryLevel) {
  const std::optional<Result> plain = Compile("training", {"-O2"});
  const std::optional<Result> without = Compile("training", {"-O3", "-autotune=none"});
  const std::optional<Result> third = Compile("training", {"-O3"});
  const std::optional<Result> second = Compile("training", {"-O2", "-autotune=model"});
  ASSERT_TRUE(plain.has_value() && without.has_value() && third.has_value() && second.has_value());
  EXPECT_EQ(plain->ptx, without->ptx);
  EXPECT_EQ(second->ptx, third->ptx);
}

TEST(VersionChooserTest, TheResultDependsNeitherOnThreadsNorOnWhatIsObserved) {
  const std::optional<Result> one = Compile("training", {"-O3", "-j1"});
  const std::optional<Result> four = Compile("training", {"-O3", "-j4"});
  const std::optional<Result> explored = Compile("training", {"-O3", "-explore=page.html"});
  const std::optional<Result> verified = Compile("training", {"-O3", "-verify-machineinstrs", "-pass-remarks=.*"});
  ASSERT_TRUE(one.has_value() && four.has_value() && explored.has_value() && verified.has_value());
  EXPECT_GT(one->num_chosen, 0u);
  EXPECT_EQ(four->ptx, one->ptx);
  EXPECT_EQ(explored->ptx, one->ptx);
  EXPECT_EQ(verified->ptx, one->ptx);
}

TEST(VersionChooserTest, ChoosesNothingWhereSpillsAreExpected) {
  const std::optional<Result> plain = Compile("training", {"-O2", "-maxreg=24"});
  const std::optional<Result> chosen = Compile("training", {"-O3", "-maxreg=24"});
  ASSERT_TRUE(plain.has_value() && chosen.has_value());
  EXPECT_EQ(chosen->num_chosen, 0u);
  EXPECT_EQ(chosen->ptx, plain->ptx);
}

}  // namespace
}  // namespace ptxmir
