// SPDX-License-Identifier: Apache-2.0

// Compares reductions, prefix sums, votes and shuffles with loops.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// Returns whole numbers, whose sums are exact in any order.
template <typename T>
std::vector<T> Integers(size_t count, uint64_t seed, int32_t most = 1000) {
  std::vector<T> values;
  for (const int32_t v : Random<int32_t>(count, seed, -most, most)) values.push_back(static_cast<T>(v));
  return values;
}

// ---- reduce.

class ReduceTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  ReduceTest() : CorpusKernels(GetParam()) {}

  template <typename T>
  void TestGrid(std::string_view kernel, const std::vector<T>& in, T neutral, const std::function<T(T, T)>& op) {
    constexpr size_t kGrid = 3;
    constexpr size_t kBlock = 128;
    std::vector<T> expected(kGrid, neutral);
    for (size_t i = 0; i < in.size(); ++i) {
      T& block = expected[i / kBlock % kGrid];
      block = op(block, in[i]);
    }
    const auto out = Output<T>(kGrid);
    Launch(kernel, {kGrid}, {kBlock}, 0, Buffer(in), uint64_t{in.size()}, neutral, out);
    ExpectEqual(out, expected, kernel);
  }
};
INSTANTIATE_TEST_SUITE_P(, ReduceTest, ::testing::Values("reduce", "reduce.O1"),
                         [](const auto& info) { return info.index == 0 ? "O3" : "O1"; });

TEST_P(ReduceTest, ReduceGrid) {
  TestGrid<float>("ReduceGridIf", Integers<float>(1000, 1), 0, std::plus<float>());
  TestGrid<double>("ReduceGridId", Integers<double>(700, 2), 0, std::plus<double>());
  TestGrid<uint16_t>("ReduceGridIt", Random<uint16_t>(500, 3), 0,
                     [](uint16_t a, uint16_t b) { return static_cast<uint16_t>(a + b); });
  TestGrid<int32_t>("ReduceGridIi", Random<int32_t>(900, 4), std::numeric_limits<int32_t>::max(),
                    [](int32_t a, int32_t b) { return std::min(a, b); });
  TestGrid<int64_t>("ReduceGridIx", Random<int64_t>(900, 5), std::numeric_limits<int64_t>::max(),
                    [](int64_t a, int64_t b) { return std::min(a, b); });
}

TEST_P(ReduceTest, DotProduct) {
  constexpr int kQuads = 300;
  constexpr uint32_t kGrid = 3;
  const std::vector<float> a = Integers<float>(4 * kQuads, 1, 50);
  const std::vector<float> b = Integers<float>(4 * kQuads, 2, 50);
  const auto device_a = Buffer(a);
  const auto device_b = Buffer(b);
  const float expected = std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
  for (int launch = 0; launch < 2; ++launch) {  // the second launch finds the counter as the first left it
    const auto partial = Output<float>(kGrid);
    const auto result = Output<float>(1);
    Launch("DotProduct", {kGrid}, {64}, 0, device_a, device_b, kQuads, partial, result);
    ExpectEqual(result, {expected});
    const std::vector<float> parts = Read(partial);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0f), expected);
  }
}

TEST_P(ReduceTest, ArgMax) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    // There are few distinct values. The first of the largest ones wins.
    const std::vector<float> in = Integers<float>(100, seed, 8);
    const auto where = Output<int32_t>(1);
    Launch("ArgMax", {1}, {32}, 0, Buffer(in), static_cast<int32_t>(in.size()), where);
    ExpectEqual(where, {static_cast<int32_t>(std::max_element(in.begin(), in.end()) - in.begin())});
  }
}

TEST_P(ReduceTest, ReduxAll) {
  const std::vector<uint32_t> in = Random<uint32_t>(32, 1);
  uint32_t sum = 0;
  uint32_t either = 0;
  uint32_t parity = 0;
  int32_t most = std::numeric_limits<int32_t>::min();
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    either |= in[i];
    if (i < 16) parity ^= in[i];
    most = std::max(most, static_cast<int32_t>(in[i]));
  }
  const auto out = Output<uint32_t>(5);
  Launch("ReduxAll", {1}, {32}, 0, Buffer(in), out);
  ExpectEqual(out, {sum, *std::min_element(in.begin(), in.end()), static_cast<uint32_t>(most), either, parity});
}

// ---- scan.

class ScanTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  ScanTest() : CorpusKernels(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(, ScanTest, ::testing::Values("scan", "scan.simplified"),
                         [](const auto& info) { return info.index == 0 ? "Full" : "Simplified"; });

TEST_P(ScanTest, ScanBlocks) {
  constexpr int kCount = 250;
  const std::vector<int32_t> in = Random<int32_t>(kCount, 1, -1000, 1000);
  std::vector<int32_t> expected(kCount);
  std::vector<int32_t> expected_sums;
  for (int block = 0; block < 2; ++block) {
    int32_t sum = 0;
    for (int i = block * 128; i < std::min(kCount, (block + 1) * 128); ++i) {
      expected[i] = sum;
      sum += in[i];
    }
    expected_sums.push_back(sum);
  }
  const auto out = Output<int32_t>(kCount);
  const auto sums = Output<int32_t>(2);
  Launch("ScanBlocks", {2}, {128}, 0, Buffer(in), kCount, out, sums);
  ExpectEqual(out, expected);
  ExpectEqual(sums, expected_sums);
}

TEST_P(ScanTest, ScanBlocksOfEveryThreadThereCanBe) {
  constexpr int kCount = 1024;
  const std::vector<int32_t> in = Random<int32_t>(kCount, 1);
  std::vector<uint32_t> expected(kCount);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0u);
  const auto out = Output<uint32_t>(kCount);
  const auto sums = Output<uint32_t>(1);
  Launch("ScanBlocks", {1}, {1024}, 0, Buffer(in), kCount, out, sums);
  ExpectEqual(out, expected);
  ExpectEqual(sums, {expected.back() + static_cast<uint32_t>(in.back())});
}

TEST_P(ScanTest, ScanDoubles) {
  constexpr size_t kThreads = 96;
  const std::vector<double> in = Integers<double>(4 * 2 * kThreads, 1);
  std::vector<double> expected(in.size());
  for (size_t block = 0; block < 2; ++block) {
    const auto from = static_cast<ptrdiff_t>(block * 4 * kThreads);
    std::partial_sum(in.begin() + from, in.begin() + from + 4 * kThreads, expected.begin() + from);
  }
  const auto out = Output<double>(in.size());
  Launch("ScanDoubles", {2}, {kThreads}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

TEST_P(ScanTest, BlellochScan) {
  constexpr int kCount = 256;
  const std::vector<float> in = Integers<float>(kCount, 1);
  std::vector<float> expected(kCount);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0.0f);
  const auto out = Output<float>(kCount);
  Launch("BlellochScan", {1}, {kCount / 2}, (kCount + kCount / 32) * sizeof(float), Buffer(in), out, kCount);
  ExpectEqual(out, expected);
}

TEST_P(ScanTest, Compact) {
  constexpr int kCount = 150;
  const std::vector<float> in = Random<float>(kCount, 1, 0, 1);
  std::vector<float> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), [](float v) { return v > 0.6f; });
  const auto out = Output<float>(expected.size());
  const auto kept = Zeros<int32_t>(1);
  Launch("Compact", {3}, {64}, 0, Buffer(in), kCount, 0.6f, out, kept);
  ExpectEqual(kept, {static_cast<int32_t>(expected.size())});
  std::vector<float> actual = Read(out);
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(actual, expected);
}

// ---- lookback.

class LookbackTest : public CorpusKernels {
 protected:
  LookbackTest() : CorpusKernels("lookback") {}
};

TEST_F(LookbackTest, ScanOnePass) {
  constexpr uint32_t kTiles = 40;  // more than a warp looks back over at once
  const std::vector<uint32_t> in = Random<uint32_t>(kTiles * 512, 1);
  std::vector<uint32_t> expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  const auto out = Output<uint32_t>(in.size());
  const auto states = Zeros<uint64_t>(kTiles);
  const auto ticket = Zeros<int32_t>(1);
  Launch("ScanOnePass", {kTiles}, {128}, 0, Buffer(in), out, states, ticket);
  ExpectEqual(out, expected);
  ExpectEqual(ticket, {static_cast<int32_t>(kTiles)});
  std::vector<uint64_t> expected_states;
  for (uint32_t tile = 1; tile <= kTiles; ++tile)
    expected_states.push_back(uint64_t{2} << 32 | expected[512 * tile - 1]);
  ExpectEqual(states, expected_states);
}

TEST_F(LookbackTest, ScanChained) {
  constexpr uint32_t kBlocks = 12;
  const std::vector<double> in = Integers<double>(kBlocks, 1);
  std::vector<double> sums(kBlocks);
  std::partial_sum(in.begin(), in.end(), sums.begin());
  std::vector<double> expected;
  for (const double sum : sums) expected.insert(expected.end(), 64, sum);
  const auto out = Output<double>(expected.size());
  const auto device_sums = Output<double>(kBlocks);
  const auto ready = Zeros<int32_t>(kBlocks);
  Launch("ScanChained", {kBlocks}, {64}, 0, Buffer(in), out, device_sums, ready);
  ExpectEqual(out, expected);
  ExpectEqual(device_sums, sums);
  ExpectEqual(ready, std::vector<int32_t>(kBlocks, 1));
}

// ---- warp_votes.

class WarpVotesTest : public CorpusKernels {
 protected:
  WarpVotesTest() : CorpusKernels("warp_votes") {}
};

TEST_F(WarpVotesTest, Shuffles) {
  std::vector<int32_t> ints = Integers<int32_t>(32, 1);
  std::vector<float> floats = Random<float>(32, 2, -1, 1);
  std::vector<double> doubles = Random<double>(32, 3, -1, 1);
  std::vector<int64_t> longs = Random<int64_t>(32, 4);
  std::vector<uint8_t> bytes = Random<uint8_t>(32, 5);
  const auto device_ints = Buffer(ints);
  const auto device_floats = Buffer(floats);
  const auto device_doubles = Buffer(doubles);
  const auto device_longs = Buffer(longs);
  const auto device_bytes = Buffer(bytes);

  // A shuffle takes the value of lane source(i), or the lane's own value if source(i) is not in its segment.
  const auto shuffled = [](const auto& values, const std::function<int(int)>& source, int width) {
    auto result = values;
    for (int i = 0; i < 32; ++i) {
      const int from = source(i);
      if (from >= 0 && from / width == i / width) result[i] = values[from];
    }
    return result;
  };
  const auto add = [](std::vector<int32_t>* to, const std::vector<int32_t>& values) {
    for (size_t i = 0; i < to->size(); ++i) (*to)[i] += values[i];
  };
  ints = shuffled(
      ints, [](int i) { return i * 7 % 32; }, 32);
  add(&ints, shuffled(
                 ints, [](int i) { return i - 3; }, 16));
  add(&ints, shuffled(
                 ints, [](int i) { return i + 1; }, 8));
  add(&ints, shuffled(
                 ints, [](int i) { return i ^ 9; }, 32));
  floats = shuffled(
      floats, [](int i) { return i < 16 ? i + 4 : i; }, 16);
  doubles = std::vector<double>(32, doubles[0]);
  longs = shuffled(
      longs, [](int i) { return 31 - i; }, 32);
  const std::vector<uint8_t> old_bytes = bytes;
  bytes = shuffled(
      bytes, [&](int i) { return old_bytes[i] % 32; }, 32);

  Launch("Shuffles", {1}, {32}, 0, device_ints, device_floats, device_doubles, device_longs, device_bytes);
  ExpectEqual(device_ints, ints);
  ExpectEqual(device_floats, floats);
  ExpectEqual(device_doubles, doubles);
  ExpectEqual(device_longs, longs);
  ExpectEqual(device_bytes, bytes);
}

TEST_F(WarpVotesTest, Structs) {
  struct Particle {
    double energy;
    int32_t id;
    int16_t charge;
  };
  std::vector<Particle> in(32);
  for (int i = 0; i < 32; ++i) in[i] = {i * 0.1 - 1e100, i * 1000003, static_cast<int16_t>(i * 999 - 12000)};
  const auto particles = Buffer(in);
  Launch("Structs", {1}, {32}, 0, particles);
  const std::vector<Particle> out = ReadWithHoles(particles);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].energy, in[31 - i].energy) << i;
    EXPECT_EQ(out[i].id, in[31 - i].id) << i;
    EXPECT_EQ(out[i].charge, in[31 - i].charge) << i;
  }
}

TEST_F(WarpVotesTest, Votes) {
  std::vector<int32_t> evens;
  for (const int32_t v : Random<int32_t>(32, 4, 1, 40)) evens.push_back(2 * v);
  for (const std::vector<int32_t>& in :
       {Random<int32_t>(32, 1, -20, 20), Random<int32_t>(32, 2, 1, 50), Random<int32_t>(32, 3, 1, 200), evens}) {
    uint32_t odd = 0;
    uint32_t over_five = 0;
    bool all = true;
    bool any = false;
    for (int i = 0; i < 32; ++i) {
      odd |= static_cast<uint32_t>(in[i] & 1) << i;
      over_five |= (in[i] > 5 ? 1u : 0u) << i;
      all &= in[i] > 0;
      any |= in[i] > 100;
    }
    std::vector<uint32_t> expected;
    for (int i = 0; i < 32; ++i) {
      uint32_t result = odd + (all ? 1 : 0) + (any ? 2 : 0);
      if (in[i] & 1) result = (result ^ odd) + static_cast<uint32_t>(std::popcount(over_five & odd));
      expected.push_back(result + (odd == 0 || odd == ~0u ? 1 : 0));
    }
    const auto out = Output<uint32_t>(32);
    Launch("Votes", {1}, {32}, 0, Buffer(in), out);
    ExpectEqual(out, expected);
  }
}

TEST_F(WarpVotesTest, Matches) {
  for (const bool all_equal : {false, true}) {
    std::vector<int32_t> in = Random<int32_t>(32, 1, 0, 6);
    std::vector<uint64_t> wide = Random<uint64_t>(32, 2, 0, 3);
    for (uint64_t& v : wide) v <<= 33;  // the halves differ only in the high word
    if (all_equal) {
      in.assign(32, -7);
      std::fill(wide.begin(), wide.begin() + 8, uint64_t{5} << 40);
    }
    const auto match_any = [](const auto& values, int lane) {
      uint32_t mask = 0;
      for (int i = 0; i < 32; ++i) mask |= (values[i] == values[lane] ? 1u : 0u) << i;
      return mask;
    };
    std::vector<uint32_t> expected(104);
    for (int i = 0; i < 32; ++i) {
      expected[i] = match_any(in, i);
      expected[i + 32] = all_equal ? ~0u : 0;
      expected[i + 64] = match_any(wide, i) + (all_equal ? 1 : 0);
      if (i < 8) expected[i + 96] = all_equal ? 0xff + 1 : 0;
    }
    const auto out = Output<uint32_t>(expected.size());
    Launch("Matches", {1}, {32}, 0, Buffer(in), Buffer(wide), out);
    ExpectEqual(out, expected);
  }
}

TEST_F(WarpVotesTest, Redux) {
  const std::vector<int32_t> in = Random<int32_t>(32, 1);
  const auto device_in = Buffer(in);
  for (const int threads : {32, 20}) {  // the second warp is not full
    const auto first = std::vector<int32_t>(in.begin(), in.begin() + threads);
    const uint32_t sum = std::accumulate(first.begin(), first.end(), 0u);
    const int32_t conjunction = std::accumulate(first.begin(), first.end(), -1, std::bit_and<int32_t>());
    const std::vector<uint32_t> eight(in.begin(), in.begin() + 8);
    const auto out = Output<int32_t>(4);
    Launch("Redux", {1}, {static_cast<uint32_t>(threads)}, 0, device_in, out);
    ExpectEqual(out, {static_cast<int32_t>(sum), *std::min_element(first.begin(), first.end()), conjunction,
                      static_cast<int32_t>(*std::max_element(eight.begin(), eight.end()))});
  }
}

TEST_F(WarpVotesTest, Elect) {
  const auto counters = Zeros<int32_t>(2);
  const auto places = Output<int32_t>(90);
  Launch("Elect", {1}, {90}, 0, counters, places);  // warps of 32, 32 and 26
  std::vector<int32_t> actual = Read(places);
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i], actual[i / 32 * 32] + static_cast<int32_t>(i % 32));
  const int32_t last_base = std::max({actual[0], actual[32], actual[64]});
  ExpectEqual(counters, {90, last_base});
  std::sort(actual.begin(), actual.end());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i], static_cast<int32_t>(i));
}

TEST_F(WarpVotesTest, InRange) {
  const std::vector<float> in = Integers<float>(32, 1);
  std::vector<float> expected(32);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  const auto out = Output<float>(32);
  Launch("InRange", {1}, {32}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
