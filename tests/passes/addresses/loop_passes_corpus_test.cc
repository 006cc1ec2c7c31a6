// SPDX-License-Identifier: Apache-2.0

// induction-merge and pressure-sink on the corpus, in every loop, whatever its pressure and the gain.

#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "options/knobs.h"
#include "tests/support/corpus.h"
#include "tests/support/pass_corpus.h"

namespace ptxmir {
namespace {

TEST(LoopPassesCorpusTest, KernelsComputeTheSame) {
  constexpr std::string_view kPasses[] = {"induction-merge", "pressure-sink"};
  Knobs knobs;
  for (const auto& [knob, value] :
       {std::pair("induction-merge-min-pressure", "0"), std::pair("induction-merge-min-gain", "-1000"),
        std::pair("induction-merge-growth", "1000"), std::pair("pressure-sink-min-pressure", "0")}) {
    ASSERT_TRUE(knobs.Set(knob, value).ok()) << knob;
  }
  const testing::PassCorpusTotals totals = testing::RunPassesOnCorpus(kPasses, testing::CodeForm::kSsa, knobs);
  const auto count = [&](std::string_view description) { return testing::CounterOf(totals.statistics, description); };
  EXPECT_GT(totals.compared, 100 / testing::kCorpusSampleStride);
  EXPECT_GT(count("accesses with a new address"), 100 / testing::kCorpusSampleStride);
  // They are rare; a sample may have none.
  if (testing::kCorpusSampleStride == 1) {
    EXPECT_GT(count("additions folded into offsets"), 10u);
  }
  EXPECT_GT(count("computations sunk"), 100 / testing::kCorpusSampleStride);
}

}  // namespace
}  // namespace ptxmir
