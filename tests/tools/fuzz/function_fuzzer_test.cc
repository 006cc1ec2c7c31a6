// SPDX-License-Identifier: Apache-2.0

// The checks of ptxmir-fuzz and the processes that they run in, on fixed seeds: a few seconds of what it does for
// hours.

#include "tools/fuzz/function_fuzzer.h"

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "options/knobs.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/sanitized.h"
#include "tools/fuzz/function_check.h"
#include "tools/fuzz/generator/fuzz_random.h"
#include "tools/fuzz/generator/mir_function_generator.h"
#include "tools/fuzz/generator/opcode_catalog.h"
#include "tools/fuzz/random_pipeline.h"

namespace ptxmir::fuzz {
namespace {

const OpcodeCatalog& Catalog() {
  static const OpcodeCatalog* catalog = new OpcodeCatalog(ptx::PtxTargetInfo());
  return *catalog;
}

// Runs the fuzzer and expects that it finds nothing, and that passes changed something: if no pass does, nothing was
// tested.
void ExpectNoFindings(const FunctionFuzzOptions& options) {
  std::string findings;
  const FunctionFuzzReport report = RunFunctionFuzzer(Catalog(), options, [&](const FunctionFuzzFinding& finding) {
    findings += "seed " + std::to_string(finding.seed) + ": " + finding.what + "\n";
  });
  EXPECT_EQ(findings, "");
  EXPECT_EQ(report.inputs, options.count);
  EXPECT_EQ(report.valid, options.count);
  EXPECT_EQ(report.defined, options.count);
  uint64_t changes = 0;
  for (const PassCoverage& pass : report.passes) changes += pass.changes;
  EXPECT_GT(changes, options.count);
  EXPECT_NE(FunctionFuzzSummary(report).find("valid 100.00 %"), std::string::npos);
}

TEST(RunFunctionFuzzerTest, ComputesTheSameAfterARandomPipeline) {
  FunctionFuzzOptions options;
  options.count = testing::NumInputs(400, 10);
  options.shape = FuzzShape::kSmall;
  ExpectNoFindings(options);
}

TEST(RunFunctionFuzzerTest, ComputesTheSameAfterEachPass) {
  FunctionFuzzOptions options;
  options.count = testing::NumInputs(8, 4);
  options.shape = FuzzShape::kMixed;
  options.pipeline = kEachPass;
  options.launches = 2;
  ExpectNoFindings(options);
}

TEST(FunctionCheckTest, FindsWhatIsWrong) {
  const std::string mir = GeneratedMir(Catalog(), 1, FuzzShape::kMixed);
  EXPECT_EQ(FunctionCheck(mir, 1).CheckFixedPoint(), "");
  EXPECT_NE(FunctionCheck(mir + "\n# not as it is written\n", 1).CheckFixedPoint(), "");
  EXPECT_NE(FunctionCheck("--- |\n  define\n...\n", 1).CheckExecution(), "");
  // A store beyond the end of a buffer.
  std::string outside = mir;
  const std::string slot_size = ", 256\n";
  const size_t at = outside.rfind(slot_size);
  ASSERT_NE(at, outside.npos);
  outside.replace(at, slot_size.size(), ", 1000000\n");
  EXPECT_NE(FunctionCheck(outside, 1).CheckExecution().find("out-of-bounds"), std::string::npos);
}

// The report of some inputs, and the findings as text.
struct Outcome {
  FunctionFuzzReport report;
  std::string findings;
};

Outcome RunInputs(const FunctionFuzzOptions& options) {
  Outcome outcome;
  outcome.report = RunFunctionFuzzer(Catalog(), options, [&](const FunctionFuzzFinding& finding) {
    outcome.findings += std::to_string(finding.seed) + " " + finding.what + "\n";
  });
  return outcome;
}

// One input crashes and one hangs in the middle of a batch. The others are checked all the same.
TEST(RunFunctionFuzzerTest, FindsTheInputThatCrashes) {
  FunctionFuzzOptions options;
  options.first_seed = 100;
  options.count = 20;
  options.shape = FuzzShape::kSmall;
  options.seconds_per_input = 2;
  options.before_input = [](uint64_t seed) {
    if (seed == 107) std::abort();
    for (volatile bool is_hung = seed == 111; is_hung;) continue;
  };
  const Outcome outcome = RunInputs(options);
  EXPECT_EQ(outcome.report.inputs, 20u);
  EXPECT_EQ(outcome.report.valid, 18u);
  ASSERT_EQ(outcome.report.findings.size(), 2u) << outcome.findings;
  EXPECT_EQ(outcome.report.findings[0].seed, 107u);
  EXPECT_EQ(outcome.report.findings[0].what, "crash: Aborted");
  EXPECT_EQ(outcome.report.findings[1].seed, 111u);
  EXPECT_EQ(outcome.report.findings[1].what, "it takes more than 2 seconds");
}

// A process may leave something behind for a later input. That is a finding too, and says how to see it again.
TEST(RunFunctionFuzzerTest, ReportsWhatOnlyInputsTogetherDo) {
  FunctionFuzzOptions options;
  options.count = 10;
  options.shape = FuzzShape::kSmall;
  options.before_input = [](uint64_t) {
    static int inputs = 0;
    if (++inputs == 5) std::abort();
  };
  const Outcome outcome = RunInputs(options);
  EXPECT_EQ(outcome.findings, "0 crash: Aborted, but only after others in one process\n");
  EXPECT_EQ(outcome.report.findings[0].count, 10u);
  EXPECT_EQ(outcome.report.inputs, 10u);
}

TEST(RunFunctionFuzzerTest, DoesTheSameWithAnyNumberOfProcesses) {
  FunctionFuzzOptions options;
  options.first_seed = 500;
  options.count = testing::NumInputs(200, 10);
  options.before_input = [](uint64_t seed) {
    if (seed % (testing::kIsSanitized ? 8 : 40) == 0) std::abort();
  };
  const Outcome one = RunInputs(options);
  options.jobs = 3;
  const Outcome three = RunInputs(options);
  EXPECT_NE(one.findings, "");
  EXPECT_EQ(one.findings, three.findings);
  EXPECT_EQ(one.report.inputs, three.report.inputs);
  EXPECT_EQ(one.report.instructions, three.report.instructions);
  EXPECT_EQ(one.report.opcodes, three.report.opcodes);
  for (size_t i = 0; i < one.report.passes.size(); ++i) {
    EXPECT_EQ(one.report.passes[i].runs, three.report.passes[i].runs) << one.report.passes[i].pass;
    EXPECT_EQ(one.report.passes[i].changes, three.report.passes[i].changes) << one.report.passes[i].pass;
  }
}

// A knob that is renamed would no longer be set, and a pass that can no longer be ordered would no longer run.
TEST(RandomPipelineTest, SetsTheKnobsThatForceWhatIsRareAndRunsAllPasses) {
  std::set<std::string_view> knobs, passes;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    FuzzRandom random(seed);
    const FuzzPipeline pipeline = RandomPipeline(random);
    EXPECT_TRUE(!pipeline.is_printed || !pipeline.steps.empty());
    for (const KnobInfo& knob : KnobTable()) {
      if (pipeline.knobs.IsSet(knob.name)) knobs.insert(knob.name);
    }
    for (const PipelineStep& step : pipeline.steps) {
      if (step.pass != nullptr) passes.insert(step.pass->name);
    }
  }
  for (const std::string_view knob :
       {"usedessa", "nv-remat-default-max-reg", "induction-merge-min-pressure", "pressure-sink-min-pressure", "maxreg",
        "ra-spill", "ra-limit", "ra-class-limits", "ra-remat", "ra-split-wide", "ra-spill-space", "ra-stress",
        "compact-regs", "sched-stress", "frame-sort-objects", "mem2reg-across-calls"}) {
    EXPECT_TRUE(knobs.contains(knob)) << knob;
  }
  for (const PassInfo& pass : PassTable()) {
    if (!pass.is_implemented()) continue;
    EXPECT_TRUE(passes.contains(pass.name)) << pass.name;
  }
}

TEST(FunctionFuzzOptionsTest, PipelinesAreNamed) {
  EXPECT_TRUE(CheckPipelineName("random").ok());
  EXPECT_TRUE(CheckPipelineName("each").ok());
  EXPECT_TRUE(CheckPipelineName("O2").ok());
  EXPECT_TRUE(CheckPipelineName("phi-node-elimination,twoaddressinstruction").ok());
  EXPECT_FALSE(CheckPipelineName("nonsense").ok());
  EXPECT_EQ(FindFuzzShape("nest"), FuzzShape::kNest);
  EXPECT_FALSE(FindFuzzShape("nonsense").has_value());
}

}  // namespace
}  // namespace ptxmir::fuzz
