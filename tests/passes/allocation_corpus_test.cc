// What greedy, regallocfast and virtregrewriter make of the corpus is proved by the register checker, at a sample of
// budgets and with everything spilled or split; tests/check_budgets.py does it at all budgets, and executes kernels.

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mir/diagnostics.h"
#include "mir/mir_reader.h"
#include "mir/module.h"
#include "mir/str_cat.h"
#include "options/knobs.h"
#include "passes/pipeline.h"
#include "passes/pipeline_runner.h"
#include "ptx/ptx_target.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

constexpr std::string_view kBefore =
    "nvptx-forward-params,nvptx-proxy-reg-erasure,phi-node-elimination,twoaddressinstruction,register-checker-begin,";

struct Setting {
  std::string passes;
  std::vector<std::pair<std::string, std::string>> knobs;
};

// Returns how many reloads there are, by the statistics.
uint64_t Prove(const std::string& path, const Setting& setting) {
  DiagnosticEngine diagnostics;
  const auto source = SourceBuffer::FromFile(path);
  if (!source.ok()) {
    ADD_FAILURE() << source.status();
    return 0;
  }
  const std::unique_ptr<Module> module = ReadMir(*source, ptx::PtxTargetInfo(), diagnostics);
  Knobs knobs;
  for (const auto& [name, value] : setting.knobs) EXPECT_TRUE(knobs.Set(name, value).ok()) << name;
  PipelineOptions pipeline_options;
  pipeline_options.run_passes = StrCat(kBefore, setting.passes, ",register-checker");
  const auto pipeline = BuildPipeline(pipeline_options, diagnostics);
  if (module == nullptr || !pipeline.has_value()) {
    ADD_FAILURE() << diagnostics.ToString();
    return 0;
  }
  RunOptions options;
  options.verify_each = true;
  options.inputs.knobs = &knobs;
  RunReport report;
  EXPECT_TRUE(RunPipeline(*module, *pipeline, options, diagnostics, report))
      << path << " " << setting.passes << ": " << diagnostics.ToString().substr(0, 2000);
  return testing::CounterOf(report.statistics, "reloads inserted");
}

uint64_t ProveAll(const Setting& setting) {
  uint64_t reloads = 0;
  for (const std::string& path : testing::CorpusMirFiles()) reloads += Prove(path, setting);
  return reloads;
}

TEST(AllocationCorpusTest, SmallerBudgetsTakeMoreReloads) {
  const auto reloads_at = [](const char* limit) {
    return ProveAll({"greedy", {{"ra-spill", "always"}, {"ra-limit", limit}}});
  };
  const uint64_t with_4 = reloads_at("4");
  const uint64_t with_24 = reloads_at("24");
  const uint64_t with_64 = reloads_at("64");
  EXPECT_GT(with_4, with_24);
  EXPECT_GT(with_24, with_64);
  EXPECT_GT(with_64, 0u);
}

TEST(AllocationCorpusTest, RematerializationAloneTakesNoReloads) {
  EXPECT_EQ(ProveAll({"greedy", {{"ra-remat", "true"}, {"ra-limit", "16"}}}), 0u);
}

TEST(AllocationCorpusTest, EverythingCanBeSpilledOrSplit) {
  EXPECT_GT(ProveAll({"greedy", {{"ra-stress", "spill-all"}}}), 10000u);
  EXPECT_GT(ProveAll({"greedy,virtregrewriter", {{"ra-stress", "split"}, {"compact-regs", "true"}}}), 10000u);
}

TEST(AllocationCorpusTest, NamesCanBeShared) { ProveAll({"virtregrewriter", {{"compact-regs", "true"}}}); }

TEST(AllocationCorpusTest, FastAllocation) {
  EXPECT_GT(ProveAll({"regallocfast", {{"ra-spill", "always"}, {"ra-limit", "16"}}}), 1000u);
}

}  // namespace
}  // namespace ptxmir
