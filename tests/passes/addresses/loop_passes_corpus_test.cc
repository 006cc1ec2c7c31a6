// SPDX-License-Identifier: Apache-2.0

// induction-merge and pressure-sink on the corpus, in every loop, whatever its pressure and the gain. In the
// interpreter, kernels must compute the same, and the analyses that the passes claim to preserve must be right.

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pass_table.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

struct Totals {
  uint64_t compared = 0;
  uint64_t accesses = 0;
  uint64_t folded = 0;
  uint64_t sunk = 0;
};

void RunPasses(std::string_view text, const AnalysisInputs& inputs, Totals& totals) {
  const std::unique_ptr<Module> module = testing::ReadModule(text);
  ASSERT_NE(module, nullptr);
  ExecutionChecker checker(testing::ReadModule(text), 2);
  for (const auto& function : module->machine_functions()) {
    if (testing::ReadsTimers(*function)) continue;
    StandalonePassContext standalone(*function, inputs);
    checker.Begin(*function);
    for (const std::string_view name : {"induction-merge", "pressure-sink"}) {
      const PassInfo& pass = *FindPass(name);
      const PassResult result = pass.run(*function, standalone.context);
      standalone.analyses.Invalidate(result.changed ? result.preserved : PreservedAnalyses::All());
      std::string report;
      ASSERT_TRUE(VerifyMachineFunction(*function, report)) << name << "\n" << report;
      EXPECT_EQ(standalone.analyses.CheckCached(), "") << name;
      DiagnosticEngine diagnostics;
      if (!result.changed) continue;
      ASSERT_TRUE(checker.Check(*function, pass, diagnostics)) << function->name() << "\n" << diagnostics.ToString();
    }
    totals.accesses += testing::CounterOf(standalone.statistics, "accesses with a new address");
    totals.folded += testing::CounterOf(standalone.statistics, "additions folded into offsets");
    totals.sunk += testing::CounterOf(standalone.statistics, "computations sunk");
  }
  totals.compared += checker.num_compared();
}

TEST(LoopPassesCorpusTest, KernelsComputeTheSame) {
  Knobs knobs;
  for (const auto& [knob, value] :
       {std::pair("induction-merge-min-pressure", "0"), std::pair("induction-merge-min-gain", "-1000"),
        std::pair("induction-merge-growth", "1000"), std::pair("pressure-sink-min-pressure", "0")}) {
    ASSERT_TRUE(knobs.Set(knob, value).ok()) << knob;
  }
  Totals totals;
  for (const std::string& path : testing::CorpusSample()) {
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    RunPasses((*buffer)->text(), {.knobs = &knobs}, totals);
    if (HasFatalFailure()) FAIL() << path;
  }
  EXPECT_GT(totals.compared, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.accesses, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.folded, 10 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.sunk, 100 / testing::kCorpusSampleStride);
}

}  // namespace
}  // namespace ptxmir
