// SPDX-License-Identifier: Apache-2.0

#include "tools/tuning_search.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/split_mix64.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

struct Case {
  std::vector<TuningVersion> versions;
  std::vector<std::optional<TuningScore>> answers;
};

unsigned WarpsWith(unsigned registers) { return 64 / ((registers + 7) / 8); }
constexpr unsigned kMostWarps = 64;

// Returns versions as ptxas might judge them: registers move little, a few are refused, some execute the same.
Case RandomCase(SplitMix64& random) {
  Case made;
  const size_t count = 1 + random.Next() % 8;
  const bool is_executed = random.Next() % 4 != 0;
  const auto base = static_cast<unsigned>(1 + random.Next() % 16);
  for (size_t i = 0; i < count; ++i) {
    TuningVersion version = {.set = i};
    if (is_executed) version.executed = 100 + random.Next() % 4;
    if (random.Next() % 4 == 0) version.own_spill_bytes = 8 * (random.Next() % 3);
    made.versions.push_back(version);
    const auto registers = base + static_cast<unsigned>(random.Next() % 4);
    TuningScore score = {.warps = WarpsWith(registers), .spill_bytes = version.own_spill_bytes, .registers = registers};
    if (random.Next() % 4 == 0) score.spill_bytes += 4 * (random.Next() % 3);
    made.answers.push_back(random.Next() % 8 == 0 ? std::nullopt : std::optional(score));
  }
  return made;
}

// Answers up to `at_once` questions at a time, the last one first.
std::optional<size_t> Best(TuningSearch& search, const Case& of, size_t at_once) {
  while (true) {
    std::vector<size_t> asked;
    while (asked.size() < at_once) {
      const std::optional<size_t> version = search.Take(kMostWarps);
      if (!version.has_value()) break;
      asked.push_back(*version);
    }
    if (asked.empty()) return search.best();
    for (; !asked.empty(); asked.pop_back()) search.SetResult(asked.back(), of.answers[asked.back()]);
  }
}

TEST(TuningSearchTest, FindsWhatAskingAboutEverythingFinds) {
  SplitMix64 random(1);
  size_t num_asked = 0, num_versions = 0;
  for (int i = 0; i < 10000; ++i) {
    const Case of = RandomCase(random);
    TuningSearch all(of.versions, /*is_exhaustive=*/true);
    const std::optional<size_t> expected = Best(all, of, 1);
    EXPECT_EQ(all.num_taken(), of.versions.size());
    if (of.versions.size() == 1) continue;
    for (const size_t at_once : {1, 3}) {
      TuningSearch search(of.versions, /*is_exhaustive=*/false);
      ASSERT_EQ(Best(search, of, at_once), expected) << "case " << i;
      if (at_once != 1) continue;
      num_asked += search.num_taken();
      num_versions += of.versions.size();
    }
  }
  EXPECT_LT(num_asked, num_versions * 8 / 10);
}

TEST(TuningSearchTest, BeginsWithWhatExecutesLeastAndStopsAtFullOccupancy) {
  TuningSearch search({{.set = 0, .executed = 120}, {.set = 3, .executed = 100}, {.set = 5, .executed = 110}}, false);
  ASSERT_EQ(search.Take(kMostWarps), 1u);
  search.SetResult(1, TuningScore{.warps = kMostWarps, .registers = 8});
  EXPECT_EQ(search.Take(kMostWarps), std::nullopt);
  EXPECT_EQ(search.best(), 1u);
  EXPECT_EQ(search.score(1)->executed, 100u);
}

TEST(TuningSearchTest, GoesOnWhileAnotherVersionCouldHaveMoreWarpsOrFewerRegisters) {
  TuningSearch search({{.set = 0, .executed = 100}, {.set = 1, .executed = 100}, {.set = 2, .executed = 110}}, false);
  ASSERT_EQ(search.Take(kMostWarps), 0u);
  search.SetResult(0, TuningScore{.warps = 32, .registers = 16});
  ASSERT_EQ(search.Take(kMostWarps), 1u);
  search.SetResult(1, TuningScore{.warps = 32, .registers = 12});
  ASSERT_EQ(search.Take(kMostWarps), 2u);
  search.SetResult(2, std::nullopt);
  EXPECT_EQ(search.Take(kMostWarps), std::nullopt);
  EXPECT_EQ(search.best(), 1u);
}

TEST(TuningSearchTest, ComparesNoCountsIfOneIsNotKnown) {
  TuningSearch search({{.set = 0, .executed = 100}, {.set = 1}}, false);
  ASSERT_EQ(search.Take(kMostWarps), 0u);
  search.SetResult(0, TuningScore{.warps = kMostWarps, .registers = 8});
  ASSERT_EQ(search.Take(kMostWarps), 1u);
  search.SetResult(1, TuningScore{.warps = kMostWarps, .registers = 7});
  EXPECT_EQ(search.best(), 1u);
}

TEST(TuningSearchTest, AsksNothingAboutASingleVersion) {
  TuningSearch search({{.set = 0}}, false);
  EXPECT_EQ(search.Take(kMostWarps), std::nullopt);
  EXPECT_EQ(search.best(), 0u);
  EXPECT_EQ(search.score(0), std::nullopt);
}

}  // namespace
}  // namespace ptxmir
