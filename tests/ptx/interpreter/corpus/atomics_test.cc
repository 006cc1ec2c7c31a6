// SPDX-License-Identifier: Apache-2.0

// atomics, atomics_half and cuda_atomics.
//
// Threads may run in any order, so the checks must hold for each order. If operations commute, the final value is
// checked. Otherwise, the values that the threads saw must form a chain from the first to the last.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

constexpr int kThreads = 32;

// Checks that threads replaced olds[i] with news[i], one after another, in memory that held `first` and now holds
// `last`.
template <typename T>
void ExpectChain(T first, T last, std::vector<T> olds, std::vector<T> news, std::string_view what) {
  olds.push_back(last);
  news.push_back(first);
  std::sort(olds.begin(), olds.end());
  std::sort(news.begin(), news.end());
  EXPECT_EQ(olds, news) << what;
}
// `update(old, i)` computes the new value of thread i from an old one. The old values are in `memory` from `at` on.
template <typename T, typename Update>
void ExpectChain(T first, T last, const std::vector<T>& memory, size_t at, std::string_view what,
                 const Update& update) {
  const std::vector<T> olds(memory.begin() + at, memory.begin() + at + kThreads);
  std::vector<T> news;
  for (int i = 0; i < kThreads; ++i) news.push_back(static_cast<T>(update(olds[i], static_cast<T>(i))));
  ExpectChain(first, last, olds, news, what);
}

class AtomicsTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  AtomicsTest() : CorpusKernels(GetParam()) {}
};

TEST_P(AtomicsTest, Integers) {
  std::vector<int32_t> a(128);
  const std::vector<int32_t> a_start = {10, 20, 30, -40, -1, 64, 96, 70, 31};
  std::copy(a_start.begin(), a_start.end(), a.begin());
  std::vector<uint32_t> b(128);
  b[2] = 50;
  b[3] = 7;
  std::vector<uint64_t> c(128);
  c[0] = 3;
  c[1] = 100;
  c[2] = 99;
  c[3] = ~uint64_t{0};
  c[4] = 1;
  c[5] = 5;
  const auto a_buffer = Buffer(a);
  const auto b_buffer = Buffer(b);
  const auto c_buffer = Buffer(c);
  const auto d_buffer = Buffer(std::vector<int64_t>{-500});
  Launch("Integers", {1}, {kThreads}, 0, a_buffer, b_buffer, c_buffer, d_buffer);
  a = Read(a_buffer);
  b = Read(b_buffer);
  c = Read(c_buffer);
  EXPECT_EQ(std::vector<int32_t>(a.begin(), a.begin() + 7),
            (std::vector<int32_t>{10 + 496, 20 - 496, 0, 31, 0, 64 | 31, 96}));
  ExpectChain(70, a[7], a, 64, "atomicExch", [](int32_t, int32_t i) { return i; });
  ExpectChain(31, a[8], a, 96, "atomicCAS", [](int32_t old, int32_t i) { return old == i ? i + 1 : old; });
  ExpectChain(0u, b[0], b, 64, "atomicInc", [](uint32_t old, uint32_t) { return old >= 17 ? 0 : old + 1; });
  ExpectChain(0u, b[1], b, 96, "atomicDec", [](uint32_t old, uint32_t) { return old == 0 || old > 17 ? 17 : old - 1; });
  EXPECT_EQ(b[2], 0u);
  EXPECT_EQ(b[3], 31u);
  EXPECT_EQ(c[0], 3 + uint64_t{0xffffffff});
  EXPECT_EQ(c[1], 99u);
  EXPECT_EQ(c[3], uint64_t{0xffffffff} << 32);
  ExpectChain(uint64_t{1}, c[4], c, 64, "atomicExch", [](uint64_t, uint64_t) { return 5; });
  ExpectChain(uint64_t{5}, c[5], c, 96, "atomicCAS", [](uint64_t old, uint64_t) { return old == 5 ? 6 : old; });
  EXPECT_EQ(c[5], 6u);
  ExpectEqual(d_buffer, {0});
}

TEST_P(AtomicsTest, Floats) {
  std::vector<float> a(64);
  a[0] = 1.0f;
  std::vector<double> b(64);
  b[1] = 100.0;
  const auto a_buffer = Buffer(a);
  const auto b_buffer = Buffer(b);
  Launch("Floats", {1}, {kThreads}, 0, a_buffer, b_buffer);
  a = Read(a_buffer);
  b = Read(b_buffer);
  EXPECT_EQ(a[0], 249.0f);
  EXPECT_EQ(a[1], 3.0f);
  EXPECT_EQ(b[0], 248.0);
  EXPECT_EQ(b[1], 36.0);
  ExpectChain(1.0f, a[0], a, 32, "atomicAdd", [](float old, float i) { return old + i * 0.5f; });
  ExpectChain(0.0, b[0], b, 32, "atomicAdd", [](double old, double i) { return old + i * 0.5; });
}

TEST_P(AtomicsTest, Scopes) {
  std::vector<int32_t> a(96);
  const std::vector<int32_t> a_start = {1, 2, 3, 4, 7, 9, 5};
  std::copy(a_start.begin(), a_start.end(), a.begin());
  const auto a_buffer = Buffer(a);
  const auto b_buffer = Buffer(std::vector<uint64_t>{77});
  const auto f_buffer = Buffer(std::vector<float>{0.5f, 1.5f});
  Launch("Scopes", {1}, {kThreads}, 0, a_buffer, b_buffer, f_buffer);
  a = Read(a_buffer);
  EXPECT_EQ(std::vector<int32_t>(a.begin(), a.begin() + 4), (std::vector<int32_t>{497, 498, 31, 0}));
  const auto to_zero = [](int32_t old, int32_t i) { return old == i ? 0 : old; };
  ExpectChain(7, a[4], a, 32, "atomicCAS_block", to_zero);
  ExpectChain(9, a[5], a, 64, "atomicCAS_system", to_zero);
  EXPECT_EQ(a[6], 5);
  ExpectEqual(b_buffer, {1});
  ExpectEqual(f_buffer, {32.5f, 33.5f});
}

TEST_P(AtomicsTest, Loops) {
  std::vector<float> a = Random<float>(96, 1, 0.0f, 10.0f);
  const std::vector<float> a_start = a;
  std::vector<double> b(64);
  b[0] = 1.0;
  std::vector<uint16_t> c(64);
  c[0] = 12;
  c[1] = 0xabcd;
  const auto a_buffer = Buffer(a);
  const auto b_buffer = Buffer(b);
  const auto c_buffer = Buffer(c);
  Launch("Loops", {1}, {kThreads}, 0, a_buffer, b_buffer, c_buffer);
  a = Read(a_buffer);
  b = Read(b_buffer);
  c = Read(c_buffer);
  EXPECT_EQ(a[0], std::max(a_start[0], *std::max_element(a_start.begin() + 64, a_start.end())));
  for (int i = 0; i < kThreads; ++i) EXPECT_LE(a[32 + i], a[0]) << i;
  ExpectNearValues<double>({b[0]}, {std::tgamma(33.0)}, 1e-13);
  ExpectChain(uint16_t{12}, c[0], c, 32, "atomicCAS", [](uint16_t old, uint16_t i) { return old == i ? i + 1 : old; });
  EXPECT_EQ(c[1], 0xabcd);
}

TEST_P(AtomicsTest, InShared) {
  const auto out = Output<int>(64);
  Launch("InShared", {1}, {64}, 0, out);
  ExpectEqual(out, std::vector<int>(64, 2 + 63 + 2016));
}

TEST_P(AtomicsTest, Orderings) {
  AllowRaces();  // all threads store the value that they found to one place
  const auto flags = Buffer(std::vector<int32_t>{0, 1, 3, 12, 0, 5, 6, 0});
  std::vector<int32_t> data(kThreads);
  data[1] = 42;
  const auto data_buffer = Buffer(data);
  const auto bytes = Buffer(std::vector<uint8_t>{200, 1, 2, 3});
  const auto halves = Buffer(std::vector<uint16_t>{4, 0, 1, 2});
  const auto wide = Buffer(std::vector<int64_t>{int64_t{1} << 40});
  Launch("Orderings", {1}, {kThreads}, 0, flags, data_buffer, bytes, halves, wide);
  std::vector<int32_t> flags_after = Read(flags);
  EXPECT_EQ(flags_after[4] | 31, -1);  // the low bits depend on the last thread
  flags_after[4] = 0;
  EXPECT_EQ(flags_after, (std::vector<int32_t>{1, 1, 7, 31, 0, 37, 38, 0}));
  data = Read(data_buffer);
  data[0] = 42;  // several stores, in any order
  EXPECT_EQ(data, std::vector<int32_t>(kThreads, 42));
  ExpectEqual(bytes, {(200 + 96) & 255, 1, 2, 3});
  const std::vector<uint16_t> halves_after = Read(halves);
  EXPECT_EQ(halves_after[0], 9);
  EXPECT_TRUE(halves_after[1] == 4 || halves_after[1] == 9) << halves_after[1];
  EXPECT_EQ(halves_after[3], 2);
  ExpectEqual(wide, {(int64_t{1} << 40) + 96});
}

INSTANTIATE_TEST_SUITE_P(Targets, AtomicsTest, ::testing::Values("atomics", "atomics.sm_75"),
                         [](const auto& info) { return std::string(info.param) == "atomics" ? "sm_80" : "sm_75"; });

// ---- atomics_half.

class AtomicsHalfTest : public CorpusKernels {
 protected:
  AtomicsHalfTest() : CorpusKernels("atomics_half") {}
};

using Pair16 = std::array<uint16_t, 2>;

// Checks the chains of both halves.
template <typename Add>
void ExpectPairChain(const std::vector<Pair16>& memory, const Add& add, double low_step, double low_per_thread,
                     double high_step, double high_per_thread) {
  for (size_t half = 0; half < 2; ++half) {
    std::vector<uint16_t> values;
    for (const Pair16& pair : memory) values.push_back(pair[half]);
    const double step = half == 0 ? low_step : high_step;
    const double per_thread = half == 0 ? low_per_thread : high_per_thread;
    ExpectChain(uint16_t{0}, values[0], values, 32, half == 0 ? "low" : "high",
                [&](uint16_t old, uint16_t i) { return add(old, step + per_thread * i); });
  }
}

uint16_t AddToHalf(uint16_t old, double value) { return HalfBits(HalfValue(old) + value); }
uint16_t AddToBFloat(uint16_t old, double value) { return BFloatBits(BFloatValue(old) + value); }

TEST_F(AtomicsHalfTest, AddHalves) {
  const auto h = Zeros<uint16_t>(64);
  const auto h2 = Zeros<Pair16>(64);
  const auto b = Zeros<uint16_t>(64);
  const auto b2 = Zeros<Pair16>(64);
  Launch("AddHalves", {1}, {kThreads}, 0, h, h2, b, b2);
  const std::vector<uint16_t> halves = Read(h);
  const std::vector<uint16_t> bfloats = Read(b);
  EXPECT_EQ(HalfValue(halves[0]), 16.0);
  EXPECT_EQ(BFloatValue(bfloats[0]), 8.0);
  ExpectChain(uint16_t{0}, halves[0], halves, 32, "half", [](uint16_t old, uint16_t) { return AddToHalf(old, 0.5); });
  ExpectChain(uint16_t{0}, bfloats[0], bfloats, 32, "bfloat",
              [](uint16_t old, uint16_t) { return AddToBFloat(old, 0.25); });
  ExpectPairChain(Read(h2), AddToHalf, 1, 0, 0, 1);
  ExpectPairChain(Read(b2), AddToBFloat, 0, 1, 1, 0);
}

TEST_F(AtomicsHalfTest, Native) {
  const auto h = Zeros<uint16_t>(64);
  const auto b = Zeros<uint16_t>(64);
  const auto f = Zeros<float>(96);
  std::vector<double> d_start(64);
  d_start[0] = 20.5;
  const auto d = Buffer(d_start);
  Launch("Native", {1}, {kThreads}, 0, h, b, f, d);
  const std::vector<uint16_t> halves = Read(h);
  const std::vector<uint16_t> bfloats = Read(b);
  const std::vector<float> floats = Read(f);
  const std::vector<double> doubles = Read(d);
  ExpectChain(uint16_t{0}, halves[0], halves, 32, "half", [](uint16_t old, uint16_t) { return AddToHalf(old, 0.5); });
  ExpectChain(uint16_t{0}, bfloats[0], bfloats, 32, "bfloat",
              [](uint16_t old, uint16_t) { return AddToBFloat(old, 1.5); });
  EXPECT_EQ(floats[0], -32.0f);
  EXPECT_EQ(floats[1], 31.0f);
  EXPECT_EQ(doubles[0], 0.0);
  ExpectChain(0.0f, floats[0], floats, 32, "fetch_sub", [](float old, float) { return old - 1; });
  ExpectChain(0.0f, floats[1], floats, 64, "fetch_max", [](float old, float i) { return std::max(old, i); });
  ExpectChain(20.5, doubles[0], doubles, 32, "fetch_min", [](double old, double i) { return std::min(old, i); });
}

TEST_F(AtomicsHalfTest, Vectors) {
  constexpr int kCount = 100;
  std::vector<float> in(4 * 128);
  RandomNumbers random(1);
  for (float& value : in) value = static_cast<float>(random.Between<int>(-8, 8));
  std::vector<float> sums(32);
  std::vector<uint16_t> pairs(64);
  for (size_t i = 0; i < kCount; ++i) {
    for (size_t j = 0; j < 4; ++j) sums[i % 8 * 4 + j] += in[4 * i + j];
    for (size_t j = 0; j < 2; ++j) pairs[i % 32 * 2 + j] = AddToHalf(pairs[i % 32 * 2 + j], in[4 * i + j]);
  }
  const auto sum_buffer = Zeros<float>(32);
  const auto pair_buffer = Zeros<uint16_t>(64);
  Launch("Vectors", {2}, {64}, 0, sum_buffer, Buffer(in), pair_buffer, kCount);
  for (uint16_t& half : pairs) half &= half == 0x8000 ? 0 : 0xffff;
  ExpectNear(sum_buffer, sums, 0);
  ExpectEqual(pair_buffer, pairs);
}

TEST_F(AtomicsHalfTest, Wide) {
  constexpr uint64_t kTag = 0xfedcba9876543210;
  using Cell = std::array<uint64_t, 2>;
  std::vector<Cell> cells(64);
  for (size_t i = 0; i < kThreads; ++i) cells[i] = {1000 + i, 5};
  cells[0] = {kTag, 0};
  const auto buffer = Buffer(cells);
  Launch("Wide", {1}, {kThreads}, 0, buffer, kTag);
  cells = Read(buffer);
  int winners = 0;
  for (size_t i = 0; i < kThreads; ++i) {
    if (cells[32 + i] == Cell{kTag, 0}) {
      ++winners;
      EXPECT_EQ(cells[0], (Cell{kTag + 1, i == 0 ? kTag : 1000 + i}));
    } else {
      EXPECT_EQ(cells[32 + i], cells[0]) << i;
    }
  }
  EXPECT_EQ(winners, 1);
}

TEST_F(AtomicsHalfTest, Segments) {
  constexpr int kCount = 90;
  const std::vector<int> bins = Random<int>(kCount, 2, 0, 5);
  std::vector<float> values(kCount);
  std::vector<float> expected(6);
  for (int i = 0; i < kCount; ++i) {
    values[i] = static_cast<float>(i % 13 - 4);
    expected[bins[i]] += values[i];
  }
  const auto sums = Zeros<float>(6);
  Launch("Segments", {2}, {64}, 0, Buffer(bins), Buffer(values), sums, kCount);
  ExpectNear(sums, expected, 0);
}

// ---- cuda_atomics.

class CudaAtomicsTest : public CorpusKernels {
 protected:
  CudaAtomicsTest() : CorpusKernels("cuda_atomics") {}
};

TEST_F(CudaAtomicsTest, Orders) {
  // For a single thread, the sequence is known.
  const auto a = Buffer(std::vector<int>{7});
  const auto b = Buffer(std::vector<uint32_t>{0x12});
  const auto c = Buffer(std::vector<uint64_t>{5});
  const auto out = Output<int>(1);
  Launch("Orders", {1}, {1}, 0, a, b, c, out);
  const int loaded = 7;
  const int added_to = 0;
  const int subtracted_from = 3;
  const int exchanged = 2;
  const int compared_with = 9;  // and not equal
  const int or_and = (0x12 | 1) & ~2;
  ExpectEqual(out, {loaded + added_to + subtracted_from + exchanged + compared_with + or_and + 1});
  ExpectEqual(a, {9});
  ExpectEqual(b, {static_cast<uint32_t>(or_and ^ 7)});
  ExpectEqual(c, {1});
  // For many threads, only results that do not depend on the order are checked.
  const auto many_out = Output<int>(kThreads);
  Launch("Orders", {1}, {kThreads}, 0, a, b, c, many_out);
  Read(many_out);
  ExpectEqual(c, {1});
}

TEST_F(CudaAtomicsTest, References) {
  std::vector<double> in(kThreads);
  std::vector<double> expected = {1, 2, 3, 4};
  RandomNumbers random(1);
  double top = 2.5;
  for (int i = 0; i < kThreads; ++i) {
    in[i] = random.Between<int>(-100, 100) * 0.25;
    expected[i & 3] += in[i];
    top = std::max(top, in[i]);
  }
  const auto sums = Buffer(std::vector<double>{1, 2, 3, 4});
  const auto floats = Buffer(std::vector<float>{2.5f});
  const auto small = Buffer(std::vector<uint16_t>{0xfffa, 0x1234});
  Launch("References", {1}, {kThreads}, 0, sums, floats, small, Buffer(in));
  ExpectEqual(sums, expected);
  ExpectEqual(floats, {static_cast<float>(top)});
  ExpectEqual(small, {26, 0x1234});
}

TEST_F(CudaAtomicsTest, Locked) {
  const auto lock = Zeros<uint32_t>(2);
  const auto list = Output<int>(6);
  const auto length = Zeros<int>(1);
  Launch("Locked", {6}, {32}, 0, lock, list, length);
  std::vector<int> blocks = Read(list);
  std::sort(blocks.begin(), blocks.end());
  EXPECT_EQ(blocks, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  ExpectEqual(length, {6});
  ExpectEqual(lock, {6, 6});
}

TEST_F(CudaAtomicsTest, Ring) {
  constexpr uint32_t kSize = 2;
  constexpr uint32_t kRounds = 5;
  const auto slots = Zeros<std::array<uint32_t, 8>>(2 * kSize);
  const auto out = Output<std::array<float, 4>>(2 * kRounds);
  Launch("Ring", {4}, {32}, 0, slots, kSize, kRounds, out);
  std::vector<std::array<float, 4>> expected;
  for (uint32_t pair = 0; pair < 2; ++pair) {
    for (uint32_t n = 0; n < kRounds; ++n) {
      expected.push_back({static_cast<float>(n), static_cast<float>(pair), 0.0f, 1.0f});
    }
  }
  ExpectEqual(out, expected);
}

TEST_F(CudaAtomicsTest, SpinBarrier) {
  constexpr int kWidth = 96;
  constexpr int kRounds = 4;
  std::vector<float> now = Random<float>(kWidth, 2, 0.0f, 1.0f);
  std::vector<float> cells = now;
  cells.resize(2 * kWidth);
  const auto buffer = Buffer(cells);
  const auto arrived = Zeros<int>(1);
  const auto phase = Zeros<int>(1);
  Launch("SpinBarrier", {3}, {32}, 0, arrived, phase, buffer, kRounds, kWidth);
  std::vector<float> before;
  for (int round = 0; round < kRounds; ++round) {
    before = now;
    for (int i = 0; i < kWidth; ++i) {
      now[i] = 0.5f * ((i > 0 ? before[i - 1] : 0.0f) + (i + 1 < kWidth ? before[i + 1] : 0.0f));
    }
  }
  now.insert(now.end(), before.begin(), before.end());
  ExpectEqual(buffer, now);
  ExpectEqual(phase, {kRounds});
}

}  // namespace
}  // namespace ptxmir::ptx
