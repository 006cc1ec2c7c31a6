// SPDX-License-Identifier: Apache-2.0

// The schedulers for latency on the corpus, out of SSA form.

#include <string_view>

#include "gtest/gtest.h"
#include "options/knobs.h"
#include "tests/support/corpus.h"
#include "tests/support/pass_corpus.h"

namespace ptxmir {
namespace {

// Schedules all files with one more knob.
void RunAll(std::string_view knob, std::string_view value) {
  constexpr std::string_view kPasses[] = {"machine-scheduler", "post-RA-sched", "postmisched"};
  Knobs knobs;
  ASSERT_TRUE(knobs.Set("sched-latency", "true").ok());
  ASSERT_TRUE(knobs.Set(knob, value).ok());
  const testing::PassCorpusTotals totals = testing::RunPassesOnCorpus(kPasses, testing::CodeForm::kOutOfSsa, knobs);
  EXPECT_GT(totals.compared, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(testing::CounterOf(totals.statistics, "regions scheduled"), 100 / testing::kCorpusSampleStride);
}

TEST(SchedulersCorpusTest, FullMode) { RunAll("sched-occupancy", "true"); }
TEST(SchedulersCorpusTest, SimpleMode) { RunAll("scheduling-mode", "simple"); }

}  // namespace
}  // namespace ptxmir
