// SPDX-License-Identifier: Apache-2.0

// The schedulers for latency on the corpus, out of SSA form. In the interpreter, kernels must compute the same, and the
// analyses that the passes claim to preserve must be right.

#include <memory>
#include <string>

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
  uint64_t scheduled = 0;
};

void RunPasses(std::string_view text, const AnalysisInputs& inputs, Totals& totals) {
  const std::unique_ptr<Module> module = testing::ReadModule(text);
  ASSERT_NE(module, nullptr);
  ExecutionChecker checker(testing::ReadModule(text), 2);
  for (const auto& function : module->machine_functions()) {
    if (testing::ReadsTimers(*function)) continue;
    testing::LeaveSsaForm(*function);
    StandalonePassContext standalone(*function, inputs);
    checker.Begin(*function);
    for (const std::string_view name : {"machine-scheduler", "post-RA-sched", "postmisched"}) {
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
    totals.scheduled += testing::CounterOf(standalone.statistics, "regions scheduled");
  }
  totals.compared += checker.num_compared();
}

// Schedules all files with one more knob.
void RunAll(std::string_view knob, std::string_view value) {
  Knobs knobs;
  ASSERT_TRUE(knobs.Set("sched-latency", "true").ok());
  ASSERT_TRUE(knobs.Set(knob, value).ok());
  Totals totals;
  for (const std::string& path : testing::CorpusSample()) {
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    RunPasses((*buffer)->text(), {.knobs = &knobs}, totals);
    if (::testing::Test::HasFatalFailure()) FAIL() << path;
  }
  EXPECT_GT(totals.compared, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(totals.scheduled, 100 / testing::kCorpusSampleStride);
}

TEST(SchedulersCorpusTest, FullMode) { RunAll("sched-occupancy", "true"); }
TEST(SchedulersCorpusTest, SimpleMode) { RunAll("scheduling-mode", "simple"); }

}  // namespace
}  // namespace ptxmir
