// SPDX-License-Identifier: Apache-2.0

// Compares sorting and selecting with the standard library.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// ---- radix_sort.

class RadixSortTest : public CorpusKernels {
 protected:
  RadixSortTest() : CorpusKernels("radix_sort") {}

  static constexpr uint32_t kDigits = 16;

  // Returns counts by digit, and then by block.
  static std::vector<uint32_t> Count(const std::vector<uint32_t>& keys, int shift, uint32_t blocks, uint32_t threads) {
    std::vector<uint32_t> counts(kDigits * blocks);
    for (size_t i = 0; i < keys.size(); ++i) ++counts[(keys[i] >> shift & 15) * blocks + i / threads % blocks];
    return counts;
  }
};

TEST_F(RadixSortTest, CountDigits) {
  constexpr int kCount = 300;
  // The keys are converted to unsigned numbers with the same order. Each is checked through its rank.
  const std::vector<int32_t> ints = Random<int32_t>(kCount, 1);
  std::vector<uint32_t> twiddled;
  for (const int32_t v : ints) twiddled.push_back(static_cast<uint32_t>(int64_t{v} + 0x80000000));
  const std::vector<float> floats = Random<float>(kCount, 2, -10, 10);
  std::vector<uint32_t> twiddled_floats;
  for (const float v : floats) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(std::abs(v));
    twiddled_floats.push_back(std::signbit(v) ? 0x7fffffff - magnitude : 0x80000000 + magnitude);
  }
  const auto device_ints = Buffer(ints);
  const auto device_floats = Buffer(floats);
  for (const int shift : {0, 20, 28}) {
    const auto counts = Output<uint32_t>(kDigits * 2);
    Launch("CountDigitsIi", {2}, {64}, 0, device_ints, kCount, shift, counts);
    ExpectEqual(counts, Count(twiddled, shift, 2, 64), "integers");
    Launch("CountDigitsIf", {2}, {64}, 0, device_floats, kCount, shift, counts);
    ExpectEqual(counts, Count(twiddled_floats, shift, 2, 64), "floats");
  }
}

TEST_F(RadixSortTest, ScatterMatch) {
  constexpr int kCount = 450;
  constexpr uint32_t kBlocks = 2;
  constexpr int kShift = 8;
  const std::vector<uint32_t> keys = Random<uint32_t>(kCount, 1);
  std::vector<uint32_t> order(kCount);
  std::iota(order.begin(), order.end(), 0u);
  const auto values = Buffer(order);
  std::vector<uint32_t> offsets = Count(keys, kShift, kBlocks, 256);
  std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return (keys[a] >> kShift & 15) < (keys[b] >> kShift & 15); });
  std::vector<uint32_t> sorted;
  for (const uint32_t i : order) sorted.push_back(keys[i]);
  const auto keys_out = Output<uint32_t>(kCount);
  const auto values_out = Output<uint32_t>(kCount);
  Launch("ScatterMatch", {kBlocks}, {256}, 0, Buffer(keys), values, kCount, kShift, Buffer(offsets), keys_out,
         values_out);
  ExpectEqual(keys_out, sorted);
  ExpectEqual(values_out, order);
}

TEST_F(RadixSortTest, RankByBallots) {
  const std::vector<uint32_t> keys = Random<uint32_t>(128, 1);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto warp = keys.begin() + static_cast<ptrdiff_t>(i / 32 * 32);
    const auto mine = keys.begin() + static_cast<ptrdiff_t>(i);
    expected.push_back(static_cast<uint32_t>(
        std::count_if(warp, mine, [&](uint32_t key) { return (key >> 12 & 15) == (*mine >> 12 & 15); })));
  }
  const auto ranks = Output<uint32_t>(keys.size());
  Launch("RankByBallots", {2}, {64}, 0, Buffer(keys), 12, ranks);
  ExpectEqual(ranks, expected);
}

// ---- selection.

class SelectionTest : public CorpusKernels {
 protected:
  SelectionTest() : CorpusKernels("selection") {}

  void TestTopK(std::string_view kernel, size_t keep) {
    constexpr size_t kRows = 3;
    constexpr size_t kColumns = 200;
    const std::vector<float> in = Random<float>(kRows * kColumns, 1, -100, 100);
    std::vector<float> expected_values;
    std::vector<int32_t> expected_places;
    for (size_t row = 0; row < kRows; ++row) {
      std::vector<int32_t> order(kColumns);
      std::iota(order.begin(), order.end(), 0);
      const float* values = &in[row * kColumns];
      std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return values[a] > values[b]; });
      for (size_t i = 0; i < keep; ++i) {
        expected_places.push_back(order[i]);
        expected_values.push_back(values[order[i]]);
      }
    }
    const auto values = Output<float>(kRows * keep);
    const auto places = Output<int32_t>(kRows * keep);
    Launch(kernel, {kRows}, {32}, 0, Buffer(in), static_cast<int32_t>(kColumns), values, places);
    ExpectEqual(values, expected_values);
    ExpectEqual(places, expected_places);
  }
};

TEST_F(SelectionTest, TopFour) { TestTopK("TopKILi4E", 4); }
TEST_F(SelectionTest, TopSixteen) { TestTopK("TopKILi16E", 16); }

TEST_F(SelectionTest, RadixSelect) {
  std::vector<uint32_t> in = Random<uint32_t>(600, 1);
  for (size_t i = 0; i < 300; ++i) in[i] = (in[i] & 0xff) | 0x12345600;  // many that differ only in the last digit
  const auto device_in = Buffer(in);
  std::sort(in.begin(), in.end(), std::greater<uint32_t>());
  for (const int32_t k : {1, 17, 400, 600}) {
    const auto out = Output<uint32_t>(1);
    Launch("RadixSelect", {1}, {256}, 0, device_in, static_cast<int32_t>(in.size()), k, out);
    ExpectEqual(out, {in[static_cast<size_t>(k - 1)]}, StrCat("k ", k));
  }
}

TEST_F(SelectionTest, HeapSelect) {
  constexpr int kThreads = 40;
  constexpr int kCount = 50;
  constexpr int kKeep = 11;
  const std::vector<float> in = Random<float>(kThreads * kCount, 1, -1, 1);
  const auto out = Output<float>(kThreads * kKeep);
  Launch("HeapSelect", {2}, {kThreads / 2}, 0, Buffer(in), kCount, out, kKeep);
  std::vector<float> heaps = Read(out);
  for (int thread = 0; thread < kThreads; ++thread) {
    const auto mine = in.begin() + thread * kCount;
    std::vector<float> expected(mine, mine + kCount);
    std::sort(expected.begin(), expected.end(), std::greater<float>());
    expected.resize(kKeep);
    std::vector<float> heap(heaps.begin() + thread * kKeep, heaps.begin() + (thread + 1) * kKeep);
    EXPECT_TRUE(std::is_heap(heap.begin(), heap.end(), std::greater<float>())) << thread;
    std::sort(heap.begin(), heap.end(), std::greater<float>());
    EXPECT_EQ(heap, expected) << thread;
  }
}

TEST_F(SelectionTest, Median9) {
  constexpr int kPitch = 34;
  constexpr int kRows = 7;
  const std::vector<uint8_t> in = Random<uint8_t>(kPitch * kRows, 1);
  std::vector<uint8_t> expected(in.size());
  for (int y = 1; y + 1 < kRows; ++y) {
    for (int x = 1; x + 1 < kPitch; ++x) {
      std::vector<uint8_t> window;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) window.push_back(in[(y + dy) * kPitch + x + dx]);
      }
      std::sort(window.begin(), window.end());
      expected[y * kPitch + x] = window[4];
    }
  }
  const auto out = Zeros<uint8_t>(in.size());
  Launch("Median9", {1, kRows - 2}, {kPitch - 2}, 0, Buffer(in), out, kPitch);
  ExpectEqual(out, expected);
}

TEST_F(SelectionTest, Sample) {
  constexpr int kClasses = 37;
  constexpr int kThreads = 64;
  std::vector<float> weights = Random<float>(kClasses, 1, 0, 1);
  weights[4] = weights[5] = 0;
  std::vector<float> cumulative(kClasses);
  std::partial_sum(weights.begin(), weights.end(), cumulative.begin());
  const std::vector<float> uniforms = Random<float>(kThreads, 2, 0, 1);
  std::vector<int32_t> expected;
  for (const float u : uniforms) {
    const auto at = std::lower_bound(cumulative.begin(), cumulative.end(), u * cumulative.back());
    expected.push_back(static_cast<int32_t>(at - cumulative.begin()));
  }
  const auto picks = Output<int32_t>(kThreads);
  Launch("Sample", {2}, {kThreads / 2}, 0, Buffer(cumulative), kClasses, Buffer(uniforms), picks);
  ExpectEqual(picks, expected);
}

TEST_F(SelectionTest, MergeByRanks) {
  std::vector<int32_t> a = Random<int32_t>(50, 1, 0, 40);
  std::vector<int32_t> b = Random<int32_t>(61, 2, 0, 40);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<int32_t> expected;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  const auto out = Output<int32_t>(expected.size());
  Launch("MergeByRanks", {2}, {32}, 0, Buffer(a), static_cast<int32_t>(a.size()), Buffer(b),
         static_cast<int32_t>(b.size()), out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
