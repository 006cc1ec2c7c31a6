// SPDX-License-Identifier: Apache-2.0

// Compares bitonic_sort, block_library (CUB) and histogram with the standard library.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// Sorts runs of `length` elements.
template <typename T>
std::vector<T> SortedRuns(std::vector<T> values, size_t length) {
  for (size_t at = 0; at < values.size(); at += length) {
    std::sort(values.begin() + at, values.begin() + at + length);
  }
  return values;
}

class BitonicSortTest : public CorpusKernels {
 protected:
  BitonicSortTest() : CorpusKernels("bitonic_sort") {}
};

TEST_F(BitonicSortTest, SortShared) {
  std::vector<float> keys = Random<float>(1024, 1, -100.0f, 100.0f);
  keys[7] = keys[900];
  const auto buffer = Buffer(keys);
  Launch("SortShared", {1}, {512}, 0, buffer);
  ExpectEqual(buffer, SortedRuns(keys, 1024));
}

TEST_F(BitonicSortTest, SortWarp) {
  const std::vector<int> keys = Random<int>(128, 2);
  const auto buffer = Buffer(keys);
  Launch("SortWarp", {2}, {64}, 0, buffer);
  ExpectEqual(buffer, SortedRuns(keys, 32));
}

TEST_F(BitonicSortTest, SortEach16) {
  const std::vector<uint64_t> keys = Random<uint64_t>(64 * 16, 3);
  const auto buffer = Buffer(keys);
  Launch("SortEach16", {2}, {32}, 0, buffer);
  ExpectEqual(buffer, SortedRuns(keys, 16));
}

TEST_F(BitonicSortTest, SortEach32) {
  const std::vector<float> keys = Random<float>(64 * 32, 4, -1e20f, 1e20f);
  const auto buffer = Buffer(keys);
  Launch("SortEach32", {1}, {64}, 0, buffer);
  ExpectEqual(buffer, SortedRuns(keys, 32));
}

TEST_F(BitonicSortTest, MergePairs) {
  constexpr int kCount = 256;
  std::vector<std::pair<uint32_t, int16_t>> pairs;
  const std::vector<uint32_t> keys = Random<uint32_t>(kCount, 5);
  const std::vector<int16_t> values = Random<int16_t>(kCount, 6);
  for (int i = 0; i < kCount; ++i) pairs.emplace_back(keys[i], values[i]);
  const auto key_buffer = Buffer(keys);
  const auto value_buffer = Buffer(values);
  for (int size = 2; size <= kCount; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      Launch("MergePairs", {3}, {64}, 0, key_buffer, value_buffer, size, step, kCount);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<uint32_t> sorted_keys;
  std::vector<int16_t> sorted_values;
  for (const auto& [key, value] : pairs) {
    sorted_keys.push_back(key);
    sorted_values.push_back(value);
  }
  ExpectEqual(key_buffer, sorted_keys);
  ExpectEqual(value_buffer, sorted_values);
}

// ---- block_library.

class BlockLibraryTest : public CorpusKernels {
 protected:
  BlockLibraryTest() : CorpusKernels("block_library") {}
};

TEST_F(BlockLibraryTest, SortTiles) {
  // The second tile has few different keys. The order of equal keys must stay.
  std::vector<uint32_t> keys = Random<uint32_t>(1024, 1);
  for (size_t i = 512; i < 1024; ++i) keys[i] %= 7;
  const std::vector<int> values = Random<int>(1024, 2);
  std::vector<size_t> order(1024);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t at : {0, 512}) {
    std::stable_sort(order.begin() + at, order.begin() + at + 512,
                     [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  }
  std::vector<uint32_t> sorted_keys;
  std::vector<int> sorted_values;
  for (size_t i : order) {
    sorted_keys.push_back(keys[i]);
    sorted_values.push_back(values[i]);
  }
  const auto keys_out = Output<uint32_t>(1024);
  const auto values_out = Output<int>(1024);
  Launch("SortTiles", {2}, {128}, 0, Buffer(keys), Buffer(values), keys_out, values_out);
  ExpectEqual(keys_out, sorted_keys);
  ExpectEqual(values_out, sorted_values);
}

TEST_F(BlockLibraryTest, Extents) {
  const std::vector<float> in = Random<float>(1000, 3, -50.0f, 50.0f);
  const auto out = Output<std::array<float, 2>>(2);
  Launch("Extents", {2}, {256}, 0, Buffer(in), out, 1000);
  std::vector<std::array<float, 2>> expected(2, {1e30f, -1e30f});
  for (size_t i = 0; i < in.size(); ++i) {
    std::array<float, 2>& extent = expected[i / 256 % 2];
    extent = {std::min(extent[0], in[i]), std::max(extent[1], in[i])};
  }
  ExpectEqual(out, expected);
}

TEST_F(BlockLibraryTest, ScanTiles) {
  const std::vector<int64_t> in = Random<int64_t>(1024, 4, -1000000, int64_t{1} << 40);
  std::vector<int64_t> expected(1024);
  std::vector<int64_t> totals;
  for (size_t at : {0, 512}) {
    std::exclusive_scan(in.begin() + at, in.begin() + at + 512, expected.begin() + at, int64_t{0});
    totals.push_back(std::accumulate(in.begin() + at, in.begin() + at + 512, int64_t{0}));
  }
  const auto out = Output<int64_t>(1024);
  const auto total_buffer = Output<int64_t>(2);
  Launch("ScanTiles", {2}, {256}, 0, Buffer(in), out, total_buffer);
  ExpectEqual(out, expected);
  ExpectEqual(total_buffer, totals);
}

TEST_F(BlockLibraryTest, Histogram) {
  std::vector<uint8_t> in = Random<uint8_t>(1024, 5);
  std::fill(in.begin() + 100, in.begin() + 400, 77);
  std::vector<int> expected(256);
  for (uint8_t value : in) ++expected[value];
  const auto bins = Zeros<int>(256);
  Launch("Histogram", {2}, {128}, 0, Buffer(in), bins);
  ExpectEqual(bins, expected);
}

TEST_F(BlockLibraryTest, WarpSums) {
  const std::vector<double> in = Random<double>(64, 6, -1.0, 1.0);
  std::vector<double> expected;
  for (size_t at = 0; at < 64; at += 16) {
    expected.push_back(std::accumulate(in.begin() + at, in.begin() + at + 16, 0.0));
  }
  const auto out = Output<double>(4);
  Launch("WarpSums", {1}, {64}, 0, Buffer(in), out);
  ExpectNear(out, expected, 1e-13, 1e-14);
}

// ---- histogram.

class HistogramTest : public CorpusKernels {
 protected:
  HistogramTest() : CorpusKernels("histogram") {}
};

TEST_F(HistogramTest, ByteHistogram) {
  constexpr int kQuads = 700;
  std::vector<uint8_t> data = Random<uint8_t>(kQuads * 16, 1);
  std::fill(data.begin(), data.begin() + 300, 9);
  std::vector<uint32_t> expected(256, 5);
  for (uint8_t value : data) ++expected[value];
  const auto bins = Buffer(std::vector<uint32_t>(256, 5));
  Launch("ByteHistogram", {2}, {256}, 0, Buffer(data), kQuads, bins);
  ExpectEqual(bins, expected);
}

TEST_F(HistogramTest, WeightedHistogram) {
  constexpr int kBins = 40;
  constexpr int kCount = 500;
  const std::vector<float> values = Random<float>(kCount, 2, -2.0f, 12.0f);
  const std::vector<float> weights = Random<float>(kCount, 3, 0.0f, 1.0f);
  std::vector<float> expected(kBins);
  for (int i = 0; i < kCount; ++i) {
    const float at = std::floor((values[i] + 1.0f) * 4.0f);
    if (at >= 0 && at < kBins) expected[static_cast<size_t>(at)] += weights[i];
  }
  const auto out = Zeros<float>(kBins);
  Launch("WeightedHistogram", {2}, {64}, kBins * sizeof(float), Buffer(values), Buffer(weights), kCount, -1.0f, 4.0f,
         kBins, out);
  ExpectNear(out, expected, 1e-5);
}

TEST_F(HistogramTest, UnevenHistogram) {
  constexpr int kBins = 11;
  constexpr int kCount = 150;
  std::vector<double> edges = Random<double>(kBins, 4, 0.0, 1.0);
  std::sort(edges.begin(), edges.end());
  std::vector<double> values = Random<double>(kCount, 5, -0.1, 1.1);
  values[3] = edges[4];
  std::vector<uint64_t> expected(kBins + 1);
  for (double value : values) {
    ++expected[std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()];
  }
  const auto out = Zeros<uint64_t>(kBins + 1);
  Launch("UnevenHistogram", {3}, {64}, 0, Buffer(values), kCount, Buffer(edges), kBins, out);
  ExpectEqual(out, expected);
}

TEST_F(HistogramTest, CoMoments) {
  constexpr int kCount = 300;
  std::vector<uint8_t> pairs = Random<uint8_t>(2 * kCount, 6);
  std::fill(pairs.begin(), pairs.begin() + 40, 3);
  std::vector<uint32_t> expected(65536);
  for (int i = 0; i < kCount; ++i) ++expected[pairs[2 * i + 1] * 256 + pairs[2 * i]];
  const auto joint = Zeros<uint32_t>(65536);
  Launch("CoMoments", {2}, {64}, 0, Buffer(pairs), kCount, joint);
  ExpectEqual(joint, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
