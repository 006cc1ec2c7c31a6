// SPDX-License-Identifier: Apache-2.0

// The MIR files of the corpus contain the IR that llc made the machine code of. The machine code that is made of this
// IR here must compute the same, on inputs that are generated for each kernel.

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/ir_nvvm.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"
#include "tests/sdag/from_ir/execution_comparison.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

// Kernels that are not compared.
bool IsExempt(std::string_view kernel) {
  // Shifts by amounts from memory, most of which are larger than the width: the results are poison.
  return kernel == "_Z6ShiftsPKoPoPnPKi";
}

// Returns true if the code of -O0 may round differently: llc contracted operations, which -O0 does not.
bool MayRoundDifferently(const IrFunction& kernel) {
  return kernel.body_text.find("contract") != std::string_view::npos;
}

struct Tally {
  int kernels = 0;
  int decided = 0;
};

void CompareKernels(const testing::InputFile& file, const Module& expected, const Module& actual, unsigned opt_level,
                    Tally& tally) {
  for (const IrFunction& kernel : expected.functions()) {
    if (!kernel.is_definition() || !IsKernel(expected, kernel) || IsExempt(kernel.name)) continue;
    if (opt_level == 0 && MayRoundDifferently(kernel)) continue;
    ++tally.kernels;
    const testing::Comparison comparison = testing::CompareKernel(expected, actual, kernel, 1);
    if (comparison.is_decided) ++tally.decided;
    EXPECT_EQ(comparison.difference, "") << file.name << ": " << kernel.name;
  }
}

class CorpusExecutionTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(CorpusExecutionTest, CodeOfIrComputesTheSame) {
  Tally tally;
  for (const testing::InputFile& file : testing::Sampled(testing::CorpusFiles())) {
    const std::string mir = testing::ReadFile(file.path);
    const std::string ir = testing::EmbeddedIr(mir);
    if (ir.empty()) continue;
    std::string errors;
    const std::unique_ptr<Module> actual =
        testing::SelectIr(file.name + ".ll", ir, file.cpu, file.features, GetParam(), &errors);
    EXPECT_NE(actual, nullptr) << file.name << ":\n" << errors;
    DiagnosticEngine diagnostics;
    const std::unique_ptr<Module> expected =
        ReadMir(std::make_shared<SourceBuffer>(file.path, mir), ptx::PtxTargetInfo(), diagnostics);
    if (actual != nullptr && expected != nullptr) CompareKernels(file, *expected, *actual, GetParam(), tally);
  }
  const int all = GetParam() == 0 ? 150 : 300;
  EXPECT_GT(tally.kernels, testing::kIsSanitized ? all / 10 : all);
  EXPECT_GT(tally.decided * 100, tally.kernels * 95) << tally.decided << " of " << tally.kernels;
}

INSTANTIATE_TEST_SUITE_P(Levels, CorpusExecutionTest, ::testing::Values(0u, 2u));

}  // namespace
}  // namespace ptxmir
