// SPDX-License-Identifier: Apache-2.0

// barriers, async_copy, cooperative and cluster_builtins.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

std::vector<float> SmallIntegers(size_t count, uint64_t seed) {
  std::vector<float> values;
  for (int value : Random<int>(count, seed, -50, 50)) values.push_back(static_cast<float>(value));
  return values;
}

class BarriersTest : public CorpusKernels {
 protected:
  BarriersTest() : CorpusKernels("barriers") {}
};

TEST_F(BarriersTest, ProduceConsume) {
  for (int tiles : {1, 2, 5}) {
    const std::vector<float> in = Random<float>(64 * tiles, 1, -1.0f, 1.0f);
    std::vector<float> expected;
    for (int i = 0; i < tiles; ++i) {
      for (int t = 0; t < 64; ++t) expected.push_back(2.0f * in[i * 64 + 63 - t]);
    }
    const auto out = Output<float>(64 * tiles);
    Launch("ProduceConsume", {1}, {128}, 0, Buffer(in), out, tiles);
    ExpectEqual(out, expected);
  }
}

TEST_F(BarriersTest, Reductions) {
  for (int low : {0, 1}) {
    const std::vector<int> in = Random<int>(96, 2, low, 6 + low);
    const auto count = static_cast<int>(std::count_if(in.begin(), in.end(), [](int v) { return v > 3; }));
    const bool all = std::find(in.begin(), in.end(), 0) == in.end();
    const bool any = std::find(in.begin(), in.end(), 7) != in.end();
    const auto out = Output<int>(96);
    Launch("Reductions", {1}, {96}, 0, Buffer(in), out);
    ExpectEqual(out, std::vector<int>(96, count + all + any));
  }
}

TEST_F(BarriersTest, Builtins) {
  std::vector<int> expected;
  for (int group = 1; group <= 32; group *= 2) {
    for (int i = 0; i < 64; ++i) {
      const int first = i / group * group;
      expected.push_back(group * first + group * (group - 1) / 2);
    }
  }
  const auto cells = Output<int>(expected.size());
  Launch("Builtins", {1}, {64}, 0, cells, 5);
  ExpectEqual(cells, expected);
}

TEST_F(BarriersTest, Fences) {
  const auto data = Zeros<int>(96);
  const auto flags = Zeros<int>(96);
  const auto out = Output<int>(32);
  Launch("Fences", {2}, {32}, 0, data, flags, out);
  std::vector<int> expected(96);
  for (int i = 0; i < 96; ++i) expected[i] = i < 32 ? 3 * i : i % 32;
  ExpectEqual(data, expected);
  ExpectEqual(flags, std::vector<int>(96, 1));
  expected.resize(32);
  ExpectEqual(out, expected);
}

TEST_F(BarriersTest, WarpTree) {
  const std::vector<float> in = SmallIntegers(128, 3);
  std::vector<float> expected;
  for (int at = 0; at < 128; at += 32) {
    expected.insert(expected.end(), 32, std::accumulate(in.begin() + at, in.begin() + at + 32, 0.0f));
  }
  const auto values = Buffer(in);
  Launch("WarpTree", {1}, {128}, 0, values);
  ExpectEqual(values, expected);
}

TEST_F(BarriersTest, HalfBlock) {
  std::vector<int> cells = Random<int>(64, 4, -100, 100);
  const auto buffer = Buffer(cells);
  Launch("HalfBlock", {1}, {96}, 0, buffer);
  for (int& cell : cells) cell += 3;
  ExpectEqual(buffer, cells);
}

// ---- async_copy.

class AsyncCopyTest : public CorpusKernels {
 protected:
  AsyncCopyTest() : CorpusKernels("async_copy") {}

  void TestStream(std::string_view kernel, int tiles) {
    const std::vector<float> in = Random<float>(512 * tiles, tiles, -1.0f, 1.0f);
    std::vector<float> expected(in.size());
    for (size_t i = 0; i < in.size(); ++i) expected[i] = 1.5f * (in[i] + in[i ^ 4]);
    const auto out = Output<float>(in.size());
    Launch(kernel, {1}, {128}, 0, Buffer(in), out, tiles, 1.5f);
    ExpectEqual(out, expected);
  }
};

TEST_F(AsyncCopyTest, Stream2) {
  TestStream("StreamILi2EE", 1);
  TestStream("StreamILi2EE", 5);
}

TEST_F(AsyncCopyTest, Stream4) {
  TestStream("StreamILi4EE", 2);
  TestStream("StreamILi4EE", 7);
}

TEST_F(AsyncCopyTest, Ragged) {
  constexpr int kWidth = 50;
  const std::vector<int> in = Random<int>(4 * kWidth, 1, -1000, 1000);
  const std::vector<int> lengths = {0, 50, 17, 32};
  std::vector<int> expected;
  for (size_t row = 0; row < 4; ++row) {
    const auto begin = in.begin() + row * kWidth;
    expected.push_back(std::accumulate(begin, begin + lengths[row], 0));
  }
  const auto out = Zeros<int>(4);
  Launch("Ragged", {4}, {32}, kWidth * sizeof(int), Buffer(in), Buffer(lengths), out, kWidth);
  ExpectEqual(out, expected);
}

TEST_F(AsyncCopyTest, Builtins) {
  using Quad = std::array<int32_t, 4>;
  const std::vector<int32_t> in = Random<int32_t>(1024, 2, -1000000, 1000000);
  std::vector<Quad> expected;
  for (size_t t = 0; t < 128; ++t) {
    const size_t other = 4 * (t ^ 1);
    expected.push_back({in[other] + in[t], in[other + 1] + in[2 * t], in[other + 2] + in[512 + 4 * t], in[other + 3]});
  }
  const auto out = Output<Quad>(128);
  Launch("Builtins", {1}, {128}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

TEST_F(AsyncCopyTest, Mbarrier) {
  using Quad = std::array<int32_t, 4>;
  constexpr int kRounds = 3;
  const std::vector<int32_t> words = Random<int32_t>(kRounds * 64 * 4, 3, -1000000, 1000000);
  std::vector<Quad> in(kRounds * 64);
  std::memcpy(in.data(), words.data(), words.size() * 4);
  std::vector<Quad> expected;
  for (int r = 0; r < kRounds; ++r) {
    for (int t = 0; t < 64; ++t) expected.push_back(in[r * 64 + 63 - t]);
  }
  expected[0][0] += 128;  // arrivals that were still missing in the last phase
  const auto out = Output<Quad>(in.size());
  Launch("Mbarrier", {1}, {64}, 0, Buffer(in), out, kRounds);
  ExpectEqual(out, expected);
}

// ---- cooperative.

class CooperativeTest : public CorpusKernels {
 protected:
  CooperativeTest() : CorpusKernels("cooperative") {}
};

TEST_F(CooperativeTest, TileSum) {
  const std::vector<float> in = SmallIntegers(200, 1);
  const auto out = Zeros<float>(1);
  Launch("TileSum", {2}, {64}, 0, Buffer(in), out, 200);
  ExpectEqual(out, {std::accumulate(in.begin(), in.end(), 0.0f)});
}

TEST_F(CooperativeTest, Coalesced) {
  const std::vector<int> in = Random<int>(100, 2, 0, 1000);
  std::vector<int> expected;
  for (int value : in) {
    if (value % 3 == 0) expected.push_back(value);
  }
  const auto counter = Zeros<int>(1);
  const auto out = Output<int>(expected.size());
  Launch("Coalesced", {2}, {64}, 0, Buffer(in), counter, out, 100);
  std::vector<int> found = Read(out);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
  ExpectEqual(counter, {static_cast<int>(expected.size())});
}

TEST_F(CooperativeTest, Partition) {
  for (int low : {1, 3}) {
    const std::vector<int> labels = Random<int>(32, 3, low, 7);
    const bool all = low > 2;
    int before = 0;
    std::vector<int> expected;
    for (int i = 0; i < 32; ++i) {
      int last = 0;
      uint32_t same = 0;
      for (int j = 0; j < 32; ++j) {
        if (labels[j] != labels[i]) continue;
        last = j;
        same |= 1u << j;
      }
      expected.push_back(static_cast<int>(same + static_cast<uint32_t>(last + before + all)));
      before += labels[i];
    }
    const auto sums = Output<int>(32);
    Launch("Partition", {1}, {32}, 0, Buffer(labels), sums);
    ExpectEqual(sums, expected);
  }
}

TEST_F(CooperativeTest, WholeGrid) {
  constexpr int kCount = 80;
  constexpr int kRounds = 5;
  std::vector<float> now = Random<float>(kCount, 3, -1.0f, 1.0f);
  const auto a = Buffer(now);
  const auto b = Output<float>(kCount);
  LaunchConfig config;
  config.kernel = "WholeGrid";
  config.grid = {3};
  config.block = {32};
  config.cooperative = true;
  LaunchWith(config, a, b, int{kCount}, int{kRounds});
  std::vector<float> before;
  for (int round = 0; round < kRounds; ++round) {
    before = now;
    for (int i = 0; i < kCount; ++i) now[i] = 0.5f * (before[i] + before[(i + 1) % kCount]);
  }
  ExpectEqual(b, now);
  ExpectEqual(a, before);
}

TEST_F(CooperativeTest, SplitBlock) {
  const std::vector<int> cells = Random<int>(64, 4, -100, 100);
  std::vector<int> expected;
  for (int i = 0; i < 64; ++i) expected.push_back(2 * cells[i] + 2 * cells[i ^ 2] + 4 * (i % 4));
  const auto buffer = Buffer(cells);
  Launch("SplitBlock", {1}, {64}, 0, buffer);
  ExpectEqual(buffer, expected);
}

// ---- cluster_builtins.

class ClusterTest : public CorpusKernels {
 protected:
  ClusterTest() : CorpusKernels("cluster_builtins") {}

  static LaunchConfig Config(std::string kernel, Dim3 grid, Dim3 block, Dim3 cluster) {
    LaunchConfig config;
    config.kernel = std::move(kernel);
    config.grid = grid;
    config.block = block;
    config.cluster = cluster;
    return config;
  }
};

TEST_F(ClusterTest, Registers) {
  std::vector<int> expected;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      const int rank = x % 2 + 2 * (y % 2);
      const int value = x % 2 + 2 * (y % 2) + 3 * 2 + 5 * (y / 2) + 7 * 3 + 11 * rank + 13 * 4 + 1000;
      expected.insert(expected.end(), 5, value);
    }
  }
  const auto out = Output<int>(expected.size());
  LaunchWith(Config("Registers", {6, 4}, {5}, {2, 2, 1}), out);
  ExpectEqual(out, expected);
}

TEST_F(ClusterTest, ClusterSum) {
  const std::vector<float> in = SmallIntegers(2500, 1);
  const auto out = Zeros<float>(1);
  LaunchWith(Config("ClusterSum", {16}, {128}, {8}), Buffer(in), out, 2500);
  ExpectEqual(out, {std::accumulate(in.begin(), in.end(), 0.0f)});
}

TEST_F(ClusterTest, Exchange) {
  std::vector<int> expected;
  for (int block = 0; block < 4; ++block) {
    for (int t = 0; t < 64; ++t) expected.push_back((block ^ 1) * 100 + 63 - t + 2 * (block % 2));
  }
  const auto out = Output<int>(expected.size());
  LaunchWith(Config("Exchange", {4}, {64}, {2}), out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
