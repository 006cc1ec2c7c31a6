// SPDX-License-Identifier: Apache-2.0

// Compares dynamic_programming with tables that are filled cell by cell.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

template <typename T>
using Table = std::vector<std::vector<T>>;

template <typename Symbol>
int EditDistance(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  Table<int> cells(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cells[i][j] = static_cast<int>(i + j);
      } else {
        cells[i][j] =
            std::min({cells[i - 1][j] + 1, cells[i][j - 1] + 1, cells[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      }
    }
  }
  return cells.back().back();
}

class DynamicProgrammingTest : public CorpusKernels {
 protected:
  DynamicProgrammingTest() : CorpusKernels("dynamic_programming") {}

  // Returns a random word over an alphabet of `symbols` symbols.
  template <typename Symbol>
  static std::vector<Symbol> Word(size_t length, uint64_t seed, int symbols) {
    std::vector<Symbol> word;
    for (int symbol : Random<int>(length, seed, 0, symbols - 1)) word.push_back(static_cast<Symbol>(symbol));
    return word;
  }
  template <typename T>
  static std::vector<T> Part(const std::vector<T>& all, size_t index, size_t length) {
    return std::vector<T>(all.begin() + index * length, all.begin() + (index + 1) * length);
  }
};

TEST_F(DynamicProgrammingTest, Levenshtein) {
  for (auto [na, nb] : {std::pair{40, 25}, {7, 60}, {1, 1}}) {
    const std::vector<char> a = Word<char>(na, 1, 3);
    const std::vector<char> b = Word<char>(nb, 2, 3);
    const auto result = Output<int>(1);
    Launch("Levenshtein", {1}, {32}, 3 * (na + 1) * sizeof(int), Buffer(a), na, Buffer(b), nb, result);
    ExpectEqual(result, {EditDistance(a, b)});
  }
}

TEST_F(DynamicProgrammingTest, BitLevenshtein) {
  constexpr size_t kTextLength = 30;
  for (size_t length : {20, 64}) {
    const std::vector<uint8_t> patterns = Word<uint8_t>(2 * length, 3, 4);
    const std::vector<uint8_t> texts = Word<uint8_t>(32 * kTextLength, 4, 4);
    std::vector<int> expected;
    for (size_t block = 0; block < 2; ++block) {
      for (size_t thread = 0; thread < 32; ++thread) {
        expected.push_back(EditDistance(Part(patterns, block, length), Part(texts, thread, kTextLength)));
      }
    }
    const auto distances = Output<int>(64);
    Launch("BitLevenshtein", {2}, {32}, 0, Buffer(patterns), static_cast<int>(length), Buffer(texts), int{kTextLength},
           distances);
    ExpectEqual(distances, expected);
  }
}

// Computes Smith and Waterman's score with Gotoh's affine gaps.
int BestLocalScore(const std::vector<char>& query, const std::vector<char>& target, const std::vector<int8_t>& scores,
                   int open, int extend) {
  const size_t rows = query.size() + 1;
  const size_t columns = target.size() + 1;
  Table<int> h(rows, std::vector<int>(columns));
  Table<int> across(rows, std::vector<int>(columns, -10000));
  Table<int> down(rows, std::vector<int>(columns, -10000));
  int best = 0;
  for (size_t i = 1; i < rows; ++i) {
    for (size_t j = 1; j < columns; ++j) {
      across[i][j] = std::max(across[i][j - 1] - extend, h[i][j - 1] - open);
      down[i][j] = std::max(down[i - 1][j] - extend, h[i - 1][j] - open);
      const int match = h[i - 1][j - 1] + scores[target[j - 1] * 32 + query[i - 1]];
      h[i][j] = std::max({0, match, across[i][j], down[i][j]});
      best = std::max(best, h[i][j]);
    }
  }
  return best;
}

TEST_F(DynamicProgrammingTest, LocalAlign) {
  constexpr int kLength = 90;
  const std::vector<char> query = Word<char>(256, 5, 5);
  std::vector<char> targets = Word<char>(3 * kLength, 6, 5);
  // The second target is a piece of the query with two gaps. One gap is within the rows at a lane's border.
  std::copy(query.begin() + 100, query.begin() + 130, targets.begin() + kLength);
  std::copy(query.begin() + 138, query.begin() + 170, targets.begin() + kLength + 30);
  std::vector<int8_t> scores(32 * 32, -4);
  for (int i = 0; i < 32; ++i) scores[i * 33] = static_cast<int8_t>(3 + i % 3);
  std::vector<int> expected;
  for (size_t block = 0; block < 3; ++block) {
    expected.push_back(BestLocalScore(query, Part(targets, block, kLength), scores, 7, 1));
  }
  EXPECT_GT(expected[1], 200);
  const auto best = Output<int>(3);
  Launch("LocalAlign", {3}, {32}, 0, Buffer(query), Buffer(targets), int{kLength}, Buffer(scores), 7, 1, best);
  ExpectEqual(best, expected);
}

TEST_F(DynamicProgrammingTest, Warping) {
  constexpr int kLength = 12, kBand = 4, kThreads = 16;
  const std::vector<float> a = Random<float>(2 * kLength, 7, -1.0f, 1.0f);
  const std::vector<float> b = Random<float>(2 * kThreads * kLength, 8, -1.0f, 1.0f);
  std::vector<float> expected;
  for (int block = 0; block < 2; ++block) {
    for (int other = 0; other < 2 * kThreads; ++other) {
      Table<double> cells(kLength + 1, std::vector<double>(kLength + 1, 1e30));
      cells[0][0] = 0;
      for (int i = 0; i < kLength; ++i) {
        for (int j = std::max(0, i - kBand); j <= std::min(kLength - 1, i + kBand); ++j) {
          const double d = double{a[block * kLength + i]} - b[other * kLength + j];
          cells[i + 1][j + 1] = d * d + std::min({cells[i][j], cells[i][j + 1], cells[i + 1][j]});
        }
      }
      expected.push_back(static_cast<float>(std::sqrt(cells[kLength][kLength])));
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Warping", {2, 2}, {kThreads}, 0, Buffer(a), Buffer(b), int{kLength}, int{kBand}, out);
  ExpectNear(out, expected, 1e-5);
}

TEST_F(DynamicProgrammingTest, KnapsackRow) {
  constexpr int kCapacity = 100;
  struct Item {
    int weight, value;
  };
  std::vector<int> row(kCapacity + 1);
  for (const Item& item : {Item{13, 20}, {40, 70}, {7, 9}, {60, 95}}) {
    std::vector<int> next = row;
    std::vector<uint32_t> taken(4);
    for (int c = item.weight; c <= kCapacity; ++c) {
      if (row[c - item.weight] + item.value <= row[c]) continue;
      next[c] = row[c - item.weight] + item.value;
      taken[c / 32] |= 1u << c % 32;
    }
    const auto out = Output<int>(kCapacity + 1);
    const auto votes = Output<uint32_t>(4);
    Launch("KnapsackRow", {2}, {64}, 0, Buffer(row), out, int{kCapacity}, item.weight, item.value, votes);
    ExpectEqual(out, next);
    ExpectEqual(votes, taken);
    row = next;
  }
}

TEST_F(DynamicProgrammingTest, FloydTile) {
  // With a single tile, a launch joins all pairs of paths, so five launches find all shortest paths of 32 places.
  constexpr int kPlaces = 32;
  RandomNumbers random(9);
  std::vector<int16_t> distances(kPlaces * kPlaces, 10000);
  for (int i = 0; i < kPlaces; ++i) distances[i * kPlaces + i] = 0;
  for (int edge = 0; edge < 70; ++edge) {
    distances[random.Between(0, kPlaces * kPlaces - 1)] = random.Between<int16_t>(1, 99);
  }
  for (int i = 0; i < kPlaces; ++i) distances[i * kPlaces + i] = 0;
  std::vector<int16_t> expected = distances;
  for (int k = 0; k < kPlaces; ++k) {
    for (int i = 0; i < kPlaces * kPlaces; ++i) {
      const int through = expected[i / kPlaces * kPlaces + k] + expected[k * kPlaces + i % kPlaces];
      expected[i] = static_cast<int16_t>(std::min<int>(expected[i], through));
    }
  }
  const auto buffer = Buffer(distances);
  for (int launch = 0; launch < 5; ++launch) Launch("FloydTile", {1}, {32, 32}, 0, buffer, int{kPlaces}, 0);
  ExpectEqual(buffer, expected);
}

TEST_F(DynamicProgrammingTest, Viterbi) {
  constexpr int kStates = 40, kSteps = 9, kSymbols = 6;
  const std::vector<float> moves = Random<float>(kStates * kStates, 10, -8.0f, 0.0f);
  const std::vector<float> emits = Random<float>(kSymbols * kStates, 11, -8.0f, 0.0f);
  const std::vector<uint8_t> seen = Word<uint8_t>(kSteps, 12, kSymbols);
  std::vector<float> scores(kStates, -1e30f);
  scores[0] = 0;
  std::vector<uint8_t> back;
  for (uint8_t symbol : seen) {
    std::vector<float> next;
    for (int s = 0; s < kStates; ++s) {
      std::vector<float> ways;
      for (int p = 0; p < kStates; ++p) ways.push_back(scores[p] + moves[p * kStates + s]);
      const auto best = std::max_element(ways.begin(), ways.end());
      back.push_back(static_cast<uint8_t>(best - ways.begin()));
      next.push_back(*best + emits[symbol * kStates + s]);
    }
    scores = next;
  }
  const auto back_buffer = Output<uint8_t>(kSteps * kStates);
  const auto last = Output<float>(kStates);
  Launch("Viterbi", {1}, {kStates}, 0, Buffer(moves), Buffer(emits), Buffer(seen), int{kSteps}, int{kStates},
         back_buffer, last);
  ExpectEqual(last, scores);
  ExpectEqual(back_buffer, back);
}

}  // namespace
}  // namespace ptxmir::ptx
