// SPDX-License-Identifier: Apache-2.0

// Compares inline assembly with the same arithmetic in C++.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

class InlineAsmTest : public CorpusKernels {
 protected:
  InlineAsmTest() : CorpusKernels("inline_asm") {}
};

TEST_F(InlineAsmTest, CarryChains) {
  constexpr size_t kThreads = 64;
  std::vector<uint64_t> a = Random<uint64_t>(2 * kThreads, 1);
  std::vector<uint64_t> b = Random<uint64_t>(2 * kThreads, 2);
  // A carry that runs through all words, and no carry at all.
  a[0] = a[1] = ~uint64_t{0};
  b[0] = 1, b[1] = 0;
  a[2] = a[3] = b[2] = b[3] = 0;
  std::vector<uint64_t> sums;
  std::vector<uint32_t> carries;
  for (size_t i = 0; i < kThreads; ++i) {
    const auto wide = [](const uint64_t* v) { return static_cast<unsigned __int128>(v[1]) << 64 | v[0]; };
    const unsigned __int128 sum = wide(&a[2 * i]) + wide(&b[2 * i]);
    sums.push_back(static_cast<uint64_t>(sum));
    sums.push_back(static_cast<uint64_t>(sum >> 64));
    carries.push_back(sum < wide(&a[2 * i]) ? 1 : 0);
  }
  const auto sum = Output<uint64_t>(2 * kThreads);
  const auto carry = Output<uint32_t>(kThreads);
  Launch("CarryChains", {1}, {kThreads}, 0, Buffer(a), Buffer(b), sum, carry);
  ExpectEqual(sum, sums);
  ExpectEqual(carry, carries);
}

TEST_F(InlineAsmTest, TiedOperands) {
  constexpr size_t kThreads = 32;
  std::vector<uint32_t> values = Random<uint32_t>(kThreads, 1);
  std::vector<float> floats = Random<float>(kThreads, 2, -1000, 1000);
  std::vector<double> doubles = Random<double>(kThreads, 3, -50, 50);
  std::vector<uint16_t> shorts = Random<uint16_t>(kThreads, 4);
  std::vector<uint64_t> longs = Random<uint64_t>(kThreads, 5);
  const auto device_values = Buffer(values);
  const auto device_floats = Buffer(floats);
  const auto device_doubles = Buffer(doubles);
  const auto device_shorts = Buffer(shorts);
  const auto device_longs = Buffer(longs);
  for (uint32_t i = 0; i < kThreads; ++i) {
    values[i] = ~(values[i] * (values[i] >> 3) + 12345) ^ i;
    floats[i] = std::fma(floats[i], 0.5f, floats[i]);
    doubles[i] = 1 / doubles[i];
    shorts[i] = static_cast<uint16_t>(shorts[i] * 3);
    longs[i] <<= 5;
  }
  Launch("TiedOperands", {1}, {kThreads}, 0, device_values, device_floats, device_doubles, device_shorts, device_longs);
  ExpectEqual(device_values, values);
  ExpectEqual(device_floats, floats);
  ExpectEqual(device_shorts, shorts);
  ExpectEqual(device_longs, longs);
  // The approximate reciprocal has 20 bits of mantissa, followed by zeros.
  ExpectNear(device_doubles, doubles, 0x1p-18);
  for (const double reciprocal : Read(device_doubles)) {
    uint64_t bits;
    std::memcpy(&bits, &reciprocal, sizeof bits);
    EXPECT_EQ(bits & 0xffffffff, 0u);
  }
}

TEST_F(InlineAsmTest, PredicatesInside) {
  constexpr size_t kThreads = 32;
  std::vector<int32_t> in = Random<int32_t>(3 * kThreads, 1);
  for (size_t i = 0; i < kThreads; ++i) in[i] = static_cast<int32_t>(i);  // around the limits 10 and 20
  in[0] = -5;
  in[3] = 2000000000;
  std::vector<int32_t> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    const bool is_zero = in[i] <= 10;  // otherwise 1 or 2 is added to `in`, which gives more than zero
    expected.push_back(is_zero ? in[i + 2 * kThreads] : in[i + kThreads]);
  }
  const auto out = Output<int32_t>(kThreads);
  Launch("PredicatesInside", {1}, {kThreads}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

TEST_F(InlineAsmTest, MemoryAccess) {
  constexpr size_t kThreads = 64;
  const std::vector<float> in = Random<float>(4 * (kThreads + 32), 1, -1, 1);
  const auto out = Zeros<float>(4 * (kThreads + 1));
  const auto shared_out = Output<int32_t>(kThreads);
  Launch("MemoryAccess", {1}, {kThreads}, 0, Buffer(in), out, shared_out);
  std::vector<float> expected(4);
  expected.insert(expected.end(), in.begin(), in.begin() + 4 * kThreads);
  std::vector<int32_t> expected_shared;
  for (int32_t i = 0; i < static_cast<int32_t>(kThreads); ++i) expected_shared.push_back((i ^ 1) * (i ^ 1));
  ExpectEqual(out, expected);
  ExpectEqual(shared_out, expected_shared);
}

TEST_F(InlineAsmTest, SpecialRegisters) {
  KeepOneStage();
  const auto out = Output<uint32_t>(64);
  Launch("SpecialRegisters", {1}, {64}, 0, out);
  // Without the bits of lane, warp and lower lanes, the rest is the same in the whole warp: the time and the number
  // of the multiprocessor.
  std::vector<uint32_t> left = Read(out);
  for (uint32_t i = 0; i < 64; ++i) left[i] ^= (i % 32) ^ (i / 32) ^ ((uint32_t{1} << (i % 32)) - 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(left[i], left[i / 32 * 32]) << i;
  EXPECT_GT(left[0], 0u);
}

TEST_F(InlineAsmTest, LopAndPermute) {
  constexpr size_t kThreads = 32;
  const std::vector<uint32_t> in = Random<uint32_t>(3 * kThreads, 1);
  std::vector<uint32_t> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    uint32_t majority = 0;
    uint32_t choice = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const uint32_t x = in[3 * i] >> bit & 1;
      const uint32_t y = in[3 * i + 1] >> bit & 1;
      const uint32_t z = in[3 * i + 2] >> bit & 1;
      majority |= (x + y + z >= 2 ? 1u : 0u) << bit;
      choice |= (x == 1 ? y : z) << bit;
    }
    expected.push_back((majority & 0xffff) | choice << 16);
  }
  const auto out = Output<uint32_t>(kThreads);
  Launch("LopAndPermute", {1}, {kThreads}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

}  // namespace
}  // namespace ptxmir::ptx
