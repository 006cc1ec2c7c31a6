// SPDX-License-Identifier: Apache-2.0

// Random loops compute the same before and after pipeliner, for numbers of iterations around the number of
// stages, with both code generators.

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/ptx_target.h"
#include "tests/passes/pipeliner/loop_maker.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

constexpr uint64_t kNumLoops = testing::NumInputs(600, 10);

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("random.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString() << text;
  return module;
}

TEST(PipelinerRandomTest, LoopsComputeTheSame) {
  const PassInfo& pass = *FindPass("pipeliner");
  uint64_t num_changed = 0, num_compared = 0, num_undecided = 0, num_at_min_ii = 0;
  for (uint64_t seed = 0; seed < kNumLoops; ++seed) {
    const auto num_iterations = static_cast<uint32_t>(1 + seed % 9);
    const std::string text = testing::LoopMaker(seed, num_iterations).Make();
    const std::unique_ptr<Module> module = Read(text);
    ASSERT_NE(module, nullptr);
    MachineFunction& function = *module->machine_functions().front();
    std::string report;
    ASSERT_TRUE(VerifyMachineFunction(function, report)) << report << text;
    Knobs knobs;
    ASSERT_TRUE(knobs.Set("enable-pipeliner", "true").ok());
    ASSERT_TRUE(knobs.Set("pipeliner-max-mii", "1000").ok());
    ASSERT_TRUE(knobs.Set("pipeliner-max-stages", StrCat(1 + seed / 2 % 5)).ok());
    ASSERT_TRUE(knobs.Set("pipeliner-experimental-cg", seed % 2 == 0 ? "true" : "false").ok());
    ExecutionChecker checker(Read(text), 2);
    StandalonePassContext standalone(function, {.knobs = &knobs});
    checker.Begin(function);
    const PassResult result = pass.run(function, standalone.context);
    ASSERT_TRUE(VerifyMachineFunction(function, report)) << "seed " << seed << "\n" << report << text;
    if (!result.changed) continue;
    ++num_changed;
    for (const Statistics::Counter& counter : standalone.statistics.counters()) {
      if (counter.description == "loops pipelined at the least interval") num_at_min_ii += counter.value;
    }
    DiagnosticEngine diagnostics;
    ASSERT_TRUE(checker.Check(function, pass, diagnostics)) << "seed " << seed << "\n"
                                                            << diagnostics.ToString() << text;
    num_compared += checker.num_compared();
    num_undecided += checker.num_undecided();
  }
  EXPECT_GT(num_changed, kNumLoops / 3);
  EXPECT_GT(num_compared, num_changed);
  EXPECT_LT(num_undecided, num_compared / 20);
  // The paper on swing modulo scheduling reports 97 %.
  EXPECT_GE(num_at_min_ii * 100, num_changed * 97);
}

}  // namespace
}  // namespace ptxmir
