// SPDX-License-Identifier: Apache-2.0

// Generated launches suit kernels that take something for granted.

#include "passes/equivalence/generated_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

struct Kernel {
  std::string_view file;  // of the corpus
  std::string_view name;
  uint64_t most;  // warp instructions
};

class GeneratedRunTest : public ::testing::TestWithParam<Kernel> {};

TEST_P(GeneratedRunTest, EndsWellInFewSteps) {
  const auto source = SourceBuffer::FromFile(StrCat("tests/corpus/", GetParam().file));
  ASSERT_TRUE(source.ok()) << source.status();
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = ReadMir(*source, ptx::PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  const IrFunction* const kernel = module->FindFunction(GetParam().name);
  ASSERT_NE(kernel, nullptr);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const GeneratedRun run = RunOnGeneratedInput(*module, FunctionsOf(*module), *kernel, seed);
    ASSERT_TRUE(run.result.ok()) << run.result.status();
    EXPECT_FALSE(run.result->fault.is_fault()) << "input " << seed << ": " << run.result->fault.ToString();
    EXPECT_LT(run.result->counts.warp_instructions, GetParam().most) << "input " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, GeneratedRunTest,
                         ::testing::Values(
                             // Warps wait for each other by spinning.
                             Kernel{"async_copy.mir", "_Z8MbarrierPK4int4PS_i", 40'000},
                             // Much dynamic shared memory.
                             Kernel{"hgemm_mma.mir", "HgemmTensor", 40'000},
                             // Barriers of the grid.
                             Kernel{"cooperative.mir", "_Z9WholeGridPfS_ii", 600'000},
                             // A cluster.
                             Kernel{"cluster_builtins.mir", "Exchange", 1'000},
                             // One warp.
                             Kernel{"blackwell.mir", "CopyAndShift", 40'000},
                             // Descriptors of matrices and of their product.
                             Kernel{"blackwell.mir", "Product", 40'000},
                             // Tensor maps.
                             Kernel{"hopper.mir", "WarpGroupGemm", 40'000}),
                         [](const ::testing::TestParamInfo<Kernel>& info) {
                           const std::string_view file = info.param.file.substr(0, info.param.file.find('.'));
                           return StrCat(file, info.param.name);
                         });

}  // namespace
}  // namespace ptxmir
