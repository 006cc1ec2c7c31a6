// SPDX-License-Identifier: Apache-2.0

// The model of ptxas against ptxas: the registers of the corpus' kernels at -O2.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/str_cat.h"
#include "compiler/compilation.h"
#include "gtest/gtest.h"
#include "passes/pipeline/pipeline.h"
#include "tests/parity/external_tools.h"
#include "tools/support/ptxas.h"

namespace ptxmir {
namespace {

struct Difference {
  std::string kernel;
  double logarithm = 0;  // binary, of the prediction to the report
};

// Appends the differences of the kernels of a file.
void Compare(const testing::InputFile& file, const std::string& ptxas_path, std::vector<Difference>& differences) {
  DriverOptions options;
  options.input = file.path;
  options.cpu = file.cpu;
  options.attributes = file.features;
  DiagnosticEngine diagnostics;
  std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, diagnostics);
  ASSERT_TRUE(pipeline.has_value()) << diagnostics.ToString();
  const CompilationPlan plan(options, *std::move(pipeline));
  Compilation compilation(plan);
  compilation.ReportPressure();
  ASSERT_TRUE(compilation.Run()) << file.path << compilation.diagnostics().ToString();
  const absl::StatusOr<Ptxas> ptxas =
      Ptxas::Create({.path = ptxas_path, .flags = {StrCat("-arch=", file.cpu)}, .cache_folder = ""});
  ASSERT_TRUE(ptxas.ok()) << ptxas.status();
  const absl::StatusOr<PtxasReport> report = ptxas->Judge(compilation.output());
  ASSERT_TRUE(report.ok()) << file.path << report.status();
  for (const FunctionPressure& function : compilation.report().pressure) {
    const auto found = report->find(function.function);
    if (found == report->end()) continue;
    ASSERT_TRUE(function.ptxas.has_value()) << function.function;
    differences.push_back({.kernel = function.function,
                           .logarithm = std::log2(static_cast<double>(function.ptxas->registers) /
                                                  static_cast<double>(found->second.registers))});
  }
}

TEST(PtxasModelParityTest, PredictsRegistersOfTheCorpus) {
  const std::string ptxas = testing::FindPtxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas is neither on PATH nor in $CUDA_HOME/bin or /usr/local/cuda/bin";
  std::vector<Difference> differences;
  // Every fourth file, for time.
  const std::vector<testing::InputFile> files = testing::CorpusFiles();
  for (size_t i = 0; i < files.size(); i += 4) ASSERT_NO_FATAL_FAILURE(Compare(files[i], ptxas, differences));
  ASSERT_GT(differences.size(), 50u);
  double sum = 0;
  double sum_of_sizes = 0;
  size_t num_far = 0;
  for (const Difference& difference : differences) {
    sum += difference.logarithm;
    sum_of_sizes += std::abs(difference.logarithm);
    num_far += std::abs(difference.logarithm) > 1 ? 1 : 0;
  }
  const auto count = static_cast<double>(differences.size());
  // A table that does not go with the features would miss by far more.
  EXPECT_LT(sum_of_sizes / count, std::log2(1.2)) << "mean error";
  EXPECT_LT(std::abs(sum / count), std::log2(1.08)) << "bias";
  EXPECT_LE(num_far, differences.size() / 20) << "kernels with more than twice or less than half";
}

}  // namespace
}  // namespace ptxmir
