// SPDX-License-Identifier: Apache-2.0

#include "tests/support/pass_corpus.h"

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

namespace ptxmir::testing {
namespace {

class PassCorpusRun {
 public:
  PassCorpusRun(absl::Span<const std::string_view> passes, CodeForm form, const Knobs& knobs)
      : passes_(passes), form_(form), inputs_{.knobs = &knobs} {}

  void RunFile(std::string_view text) {
    const std::unique_ptr<Module> module = ReadModule(text);
    ASSERT_NE(module, nullptr);
    ExecutionChecker checker(ReadModule(text), 2);
    for (const auto& function : module->machine_functions()) {
      if (ReadsTimers(*function)) continue;
      const bool is_ssa = function->HasProperty(FunctionProperty::kIsSsa);
      if (form_ == CodeForm::kSsa && !is_ssa) continue;
      if (form_ == CodeForm::kOutOfSsa && is_ssa) LeaveSsaForm(*function);
      RunOnFunction(*function, checker);
      if (::testing::Test::HasFatalFailure()) return;
    }
    totals_.compared += checker.num_compared();
  }
  PassCorpusTotals& totals() { return totals_; }

 private:
  void RunOnFunction(MachineFunction& function, ExecutionChecker& checker) {
    StandalonePassContext standalone(function, inputs_);
    checker.Begin(function);
    for (const std::string_view name : passes_) {
      const PassInfo& pass = *FindPass(name);
      standalone.context.pass_name = pass.name;
      const PassResult result = pass.run(function, standalone.context);
      standalone.analyses.Invalidate(result.changed ? result.preserved : PreservedAnalyses::All());
      std::string report;
      ASSERT_TRUE(VerifyMachineFunction(function, report)) << name << "\n" << report;
      EXPECT_EQ(standalone.analyses.CheckCached(), "") << name;
      if (!result.changed) continue;
      ++totals_.changed;
      DiagnosticEngine diagnostics;
      ASSERT_TRUE(checker.Check(function, pass, diagnostics)) << function.name() << "\n" << diagnostics.ToString();
    }
    totals_.statistics.Append(standalone.statistics);
  }

  absl::Span<const std::string_view> passes_;
  CodeForm form_;
  AnalysisInputs inputs_;
  PassCorpusTotals totals_;
};

}  // namespace

PassCorpusTotals RunPassesOnCorpus(absl::Span<const std::string_view> passes, CodeForm form, const Knobs& knobs) {
  PassCorpusRun run(passes, form, knobs);
  for (const std::string& path : CorpusSample()) {
    const auto buffer = SourceBuffer::FromFile(path);
    if (!buffer.ok()) ADD_FAILURE() << path;
    if (buffer.ok()) run.RunFile((*buffer)->text());
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << path;
      break;
    }
  }
  return std::move(run.totals());
}

}  // namespace ptxmir::testing
