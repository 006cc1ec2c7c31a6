// SPDX-License-Identifier: Apache-2.0

#include "passes/outline/repeated_sequences.h"

#include <map>
#include <utility>
#include <vector>

#include "base/split_mix64.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

using Sequences = std::map<std::pair<uint32_t, std::vector<uint32_t>>, int>;

Sequences Found(const std::vector<uint32_t>& text, uint32_t min_length, uint32_t max_length) {
  Sequences found;
  ForEachRepeatedSequence(text, min_length, max_length, [&](uint32_t length, absl::Span<const uint32_t> positions) {
    ++found[{length, std::vector<uint32_t>(positions.begin(), positions.end())}];
  });
  return found;
}

// Returns what ForEachRepeatedSequence finds, by comparing every sequence with every other.
Sequences Expected(const std::vector<uint32_t>& text, uint32_t min_length, uint32_t max_length) {
  Sequences expected;
  for (uint32_t length = min_length; length <= max_length; ++length) {
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> places;
    for (uint32_t at = 0; at + length <= text.size(); ++at) {
      places[{text.begin() + at, text.begin() + at + length}].push_back(at);
    }
    for (const auto& [sequence, positions] : places) {
      if (positions.size() < 2) continue;
      // Do all occurrences continue in the same way?
      std::map<uint32_t, int> next;
      for (const uint32_t at : positions) ++next[at + length < text.size() ? text[at + length] : ~0u];
      const bool ends = next.size() > 1 || next.contains(~0u) || length == max_length;
      if (ends) ++expected[{length, positions}];
    }
  }
  return expected;
}

TEST(RepeatedSequencesTest, FindsWhatIsThere) {
  EXPECT_TRUE(Found({}, 2, 8).empty());
  EXPECT_TRUE(Found({1}, 2, 8).empty());
  EXPECT_TRUE(Found({1, 2, 3}, 2, 8).empty());
  const std::vector<uint32_t> text = {1, 2, 3, 9, 1, 2, 3, 8, 2, 3};
  EXPECT_EQ(Found(text, 2, 8), (Sequences{{{3, {0, 4}}, 1}, {{2, {1, 5, 8}}, 1}}));
}

TEST(RepeatedSequencesTest, AgreesWithAComparisonOfAllSequences) {
  SplitMix64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint32_t> text(random.Next() % 60);
    const uint64_t num_letters = 1 + random.Next() % 4;
    for (uint32_t& letter : text) letter = static_cast<uint32_t>(random.Next() % num_letters);
    const auto max_length = static_cast<uint32_t>(2 + random.Next() % 12);
    EXPECT_EQ(Found(text, 2, max_length), Expected(text, 2, max_length)) << "round " << round;
  }
}

}  // namespace
}  // namespace ptxmir
