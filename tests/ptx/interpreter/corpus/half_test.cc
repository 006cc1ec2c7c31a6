// SPDX-License-Identifier: Apache-2.0

// half_math and fp8. Sums, products and conversions are rounded as in small_floats.h and must agree bit by bit.
// Exponentials, roots and the like must agree within a unit or two.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

constexpr size_t kThreads = 32;

double RoundHalf(double value) { return HalfValue(HalfBits(value)); }
double RoundBFloat(double value) { return BFloatValue(BFloatBits(value)); }

class HalfMathTest : public CorpusKernels {
 protected:
  HalfMathTest() : CorpusKernels("half_math") {}

  static std::vector<uint16_t> Halves(size_t count, uint64_t seed, float low, float high) {
    return HalvesOf(Random<float>(count, seed, low, high));
  }
  static std::vector<uint16_t> BFloats(size_t count, uint64_t seed, float low, float high) {
    std::vector<uint16_t> bits;
    for (float value : Random<float>(count, seed, low, high)) bits.push_back(BFloatBits(value));
    return bits;
  }
  static std::vector<double> Values(const std::vector<uint16_t>& bits, const FloatFormat& format) {
    std::vector<double> values;
    for (uint16_t b : bits) values.push_back(Decode(format, b));
    return values;
  }
};

TEST_F(HalfMathTest, HalfScalars) {
  std::vector<uint16_t> a = Halves(kThreads, 1, 0.5f, 1.2f);
  const std::vector<uint16_t> b = Halves(kThreads, 2, 0.5f, 1.2f);
  a[4] = b[4];
  std::vector<double> expected;
  std::vector<int> expected_flags;
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = HalfValue(a[i]);
    const double y = HalfValue(b[i]);
    const auto h = RoundHalf;
    double r = h(x + y);
    r = h(r * x + h(y - h(x * y)));
    r = h(r / std::clamp(h(x + y), 0.0, 1.0));
    r = std::max(std::min(r, x), std::abs(y));
    r = std::max(h(r * x + y), 0.0);
    r = h(h(h(std::sqrt(r)) + h(std::exp(x))) - h(h(h(std::log(y)) * h(std::sin(x))) / h(std::cos(y))));
    r = std::sqrt(std::floor(r) + std::ceil(x) + std::trunc(y) + std::rint(x));
    expected.push_back(-r);
    expected_flags.push_back((x == y ? 1 : 0) | (x < y ? 2 : 0) | (x >= y ? 4 : 0) | (x != y ? 32 : 0));
  }
  const auto out = Output<uint16_t>(kThreads);
  const auto flags = Output<int>(kThreads);
  Launch("HalfScalars", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, flags);
  ExpectNearValues<double>(Values(Read(out), kHalf), expected, 2e-3);
  ExpectEqual(flags, expected_flags);
}

TEST_F(HalfMathTest, HalfPairs) {
  std::vector<uint16_t> a = Halves(2 * kThreads, 3, -2.0f, 2.0f);
  const std::vector<uint16_t> b = Halves(2 * kThreads, 4, -2.0f, 2.0f);
  for (size_t i : {6, 7, 12}) a[i] = b[i];
  const auto out = Buffer(std::vector<uint16_t>(6 * kThreads, 0x1234));
  const auto masks = Output<uint32_t>(kThreads);
  Launch("HalfPairs", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, masks);
  const std::vector<double> actual = Values(Read(out), kHalf);
  const std::vector<uint32_t> actual_masks = Read(masks);
  for (size_t i = 0; i < kThreads; ++i) {
    const auto h = RoundHalf;
    const double x[2] = {HalfValue(a[2 * i]), HalfValue(a[2 * i + 1])};
    const double y[2] = {HalfValue(b[2 * i]), HalfValue(b[2 * i + 1])};
    double r[2];
    for (int k = 0; k < 2; ++k) {
      r[k] = std::max(h(x[k] * y[k] + h(x[k] + 0.5)), std::min(x[k], y[k]));
      r[k] = h(std::exp2(r[k]));
      r[k] = h(h(r[k] * y[1 - k]) - std::clamp(h(x[k] + y[k]), 0.0, 1.0));
    }
    r[0] = r[1];
    r[1] = x[0];
    const double real = h(h(r[0] * x[0] + y[0]) - r[1] * x[1]);
    const double imaginary = h(h(r[0] * x[1] + y[1]) + r[1] * x[0]);
    r[0] = x[0] > y[0] ? real : 0;
    r[1] = x[1] > y[1] ? imaginary : 0;
    // The kernel computes the rest from its own r. It also passes r to a neighbor, in whose output the test finds it.
    const double* mine = &actual[2 * (2 * kThreads + (i ^ 3))];
    uint32_t mask = 0;
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(mine[k], r[k], 0.01 + 0.004 * std::abs(r[k])) << i << " " << k;
      EXPECT_EQ(actual[2 * i + k], std::nearbyint(std::abs(mine[k]))) << i << " " << k;
      mask ^= (x[k] <= y[k] ? 0xffffu : 0) << 16 * k;
      mask ^= (x[k] == mine[k] ? 0xffffu : 0) << 16 * k;
    }
    EXPECT_EQ(actual_masks[i], mask) << i;
    const bool both_equal = x[0] == y[0] && x[1] == y[1];
    const bool both_greater = mine[0] > y[0] && mine[1] > y[1];
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(actual[2 * (kThreads + i) + k], both_equal || both_greater ? -mine[k] : HalfValue(0x1234)) << i;
    }
  }
}

TEST_F(HalfMathTest, HalfConversions) {
  std::vector<uint16_t> in = Halves(kThreads, 5, -120.0f, 120.0f);
  const std::vector<float> special = {0.0f, 0.5f, 1.5f, -2.5f, 65504.0f, -0.25f, 3e-7f, 1000.5f};
  for (size_t i = 0; i < special.size(); ++i) in[i] = HalfBits(special[i]);
  std::vector<int8_t> c;
  std::vector<uint16_t> s;
  std::vector<int32_t> n;
  std::vector<uint64_t> l;
  std::vector<float> f;
  std::vector<double> d;
  std::vector<uint16_t> back(192);
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = HalfValue(in[i]);
    const auto put = [&](size_t at, double value, Rounding rounding) {
      back[at + i] = static_cast<uint16_t>(Encode(kHalf, value, rounding));
    };
    c.push_back(static_cast<int8_t>(static_cast<int32_t>(std::clamp(std::trunc(x), -32768.0, 32767.0))));
    s.push_back(static_cast<uint16_t>(std::clamp(std::nearbyint(x), 0.0, 65535.0)));
    n.push_back(static_cast<int32_t>(std::floor(x) + std::max(std::ceil(x), 0.0)));
    l.push_back(static_cast<uint64_t>(std::max(std::trunc(x), 0.0)) +
                static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(x))));
    f.push_back(static_cast<float>(x));
    d.push_back(x);
    put(0, n[i], Rounding::kNearestEven);
    // A 64-bit integer loses precision as a double only where a half overflows anyway.
    put(32, static_cast<double>(l[i]), Rounding::kZero);
    put(64, f[i] * 3.0f, Rounding::kUp);
    put(96, x / 3.0, Rounding::kNearestEven);
    put(128, static_cast<int16_t>(s[i]), Rounding::kDown);
    back[160 + i] = in[i] ^ 0x8000;
  }
  const auto c_buffer = Output<int8_t>(kThreads);
  const auto s_buffer = Output<uint16_t>(kThreads);
  const auto n_buffer = Output<int32_t>(kThreads);
  const auto l_buffer = Output<uint64_t>(kThreads);
  const auto f_buffer = Output<float>(kThreads);
  const auto d_buffer = Output<double>(kThreads);
  const auto back_buffer = Output<uint16_t>(192);
  Launch("HalfConversions", {1}, {kThreads}, 0, Buffer(in), c_buffer, s_buffer, n_buffer, l_buffer, f_buffer, d_buffer,
         back_buffer);
  ExpectEqual(c_buffer, c, "signed char");
  ExpectEqual(s_buffer, s, "unsigned short");
  ExpectEqual(n_buffer, n, "int");
  ExpectEqual(l_buffer, l, "unsigned long long");
  ExpectEqual(f_buffer, f, "float");
  ExpectEqual(d_buffer, d, "double");
  ExpectEqual(back_buffer, back, "half");
}

TEST_F(HalfMathTest, Bfloat) {
  const std::vector<uint16_t> a = BFloats(kThreads, 6, 0.2f, 3.0f);
  const std::vector<uint16_t> b = BFloats(kThreads, 7, 0.2f, 3.0f);
  std::vector<double> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = BFloatValue(a[i]);
    const double y = BFloatValue(b[i]);
    const auto h = RoundBFloat;
    double r = h(x * y + h(x + y));
    r = std::max(r, h(x * 1.5));
    r = std::min(r, h(y - x));
    r = h(h(h(std::exp(r)) + h(std::log2(x))) + h(1 / std::sqrt(y)));
    expected.push_back(std::max(h(r * x + y), 0.0));
  }
  const auto out = Output<uint16_t>(4 * kThreads);
  const auto n = Output<int32_t>(kThreads);
  Launch("Bfloat", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, n);
  const std::vector<uint16_t> bits = Read(out);
  std::vector<double> first = Values(bits, kBFloat);
  first.resize(kThreads);
  ExpectNearValues<double>(first, expected, 0.02, 0.02);
  const std::vector<int32_t> actual_n = Read(n);
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = BFloatValue(a[i]);
    EXPECT_EQ(actual_n[i], std::trunc(first[i]) + (x < BFloatValue(b[i]) ? 1 : 0) + std::nearbyint(x)) << i;
    EXPECT_EQ(bits[32 + i], Encode(kBFloat, static_cast<float>(actual_n[i]) * 0.1f, Rounding::kZero)) << i;
    EXPECT_EQ(bits[64 + i], BFloatBits(actual_n[i] * 0.1)) << i;
    EXPECT_EQ(bits[96 + i], BFloatBits(actual_n[i])) << i;
  }
}

TEST_F(HalfMathTest, BfloatPairs) {
  const std::vector<uint16_t> a = BFloats(2 * kThreads, 8, -2.0f, 2.0f);
  const std::vector<uint16_t> b = BFloats(2 * kThreads, 9, -2.0f, 2.0f);
  std::vector<float> f;
  std::vector<double> roots;
  std::vector<double> others(4 * kThreads);
  for (size_t i = 0; i < 2 * kThreads; ++i) {
    const double x = BFloatValue(a[i]);
    const double y = BFloatValue(b[i]);
    const double r = std::max(RoundBFloat(x * y + RoundBFloat(x - y)), std::min(-x, y));
    f.push_back(static_cast<float>(x <= y ? r : 0));
    roots.push_back(std::sqrt(std::abs(f.back())));
    others[i ^ 1] = f.back();
    others[2 * kThreads + i] = BFloatValue(i % 2 == 0 ? a[i] : b[i - 1]);
  }
  const auto out = Output<uint16_t>(6 * kThreads);
  const auto f_buffer = Output<float>(2 * kThreads);
  Launch("BfloatPairs", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, f_buffer);
  ExpectNear(f_buffer, f, 0);
  const std::vector<double> actual = Values(Read(out), kBFloat);
  const auto middle = actual.begin() + 2 * kThreads;
  ExpectNearValues<double>(std::vector<double>(actual.begin(), middle), roots, 8e-3);
  ExpectNearValues<double>(std::vector<double>(middle, actual.end()), others, 0);
}

TEST_F(HalfMathTest, NativeTypes) {
  const std::vector<uint16_t> a = Halves(kThreads + 1, 10, -6.0f, 6.0f);
  const std::vector<uint16_t> b = BFloats(kThreads + 1, 11, -6.0f, 6.0f);
  std::vector<float> f = Random<float>(kThreads, 12, -50.0f, 50.0f);
  std::vector<int32_t> n = Random<int32_t>(kThreads, 13, -3000, 3000);
  const std::vector<float> f_in = f;
  const std::vector<int32_t> n_in = n;
  f.resize(2 * kThreads);
  n.resize(2 * kThreads);
  std::vector<double> halves(4 * kThreads);
  std::vector<double> bfloats(2 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = HalfValue(a[i]);
    const double y = HalfValue(a[i + 1]);
    double r = RoundHalf(x * y + RoundHalf(x / RoundHalf(y + 1)));
    r = x < y ? -r : r;
    halves[i] = std::abs(r);
    halves[32 + i] = RoundHalf(n_in[i]);
    halves[64 + i] = RoundHalf(x * y + r);
    halves[96 + i] = std::max(x, y);
    const double u = BFloatValue(b[i]);
    const double v = BFloatValue(b[i + 1]);
    bfloats[i] = RoundBFloat(u * v + u);
    bfloats[32 + i] = RoundBFloat(f_in[i]);
    f[32 + i] = static_cast<float>(RoundBFloat(u - v));
    n[i] = u > v ? 1 : 0;
    n[32 + i] = static_cast<int32_t>(x);
  }
  std::vector<float> f_start = f_in;
  std::vector<int32_t> n_start = n_in;
  f_start.resize(2 * kThreads);
  n_start.resize(2 * kThreads);
  const auto f_buffer = Buffer(f_start);
  const auto n_buffer = Buffer(n_start);
  const auto out = Output<uint16_t>(4 * kThreads);
  const auto bout = Output<uint16_t>(2 * kThreads);
  Launch("NativeTypes", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, bout, f_buffer, n_buffer);
  // The compiler may or may not round a product before it adds it.
  ExpectNearValues<double>(Values(Read(out), kHalf), halves, 1e-3, 0.04);
  ExpectNearValues<double>(Values(Read(bout), kBFloat), bfloats, 8e-3, 0.15);
  ExpectEqual(f_buffer, f);
  ExpectEqual(n_buffer, n);
}

TEST_F(HalfMathTest, NativeVectors) {
  const std::vector<uint16_t> a = Halves(64 * 8, 14, -2.0f, 2.0f);
  const std::vector<uint16_t> b = Halves(32 * 4, 15, -2.0f, 2.0f);
  std::vector<double> expected(32 * 8);
  std::vector<double> expected4(32 * 4);
  for (size_t i = 0; i < kThreads; ++i) {
    double* sum = &expected[8 * i];
    for (size_t k = 0; k < 8; ++k) {
      const double x = HalfValue(a[8 * i + (k ^ 1)]);
      sum[k] = RoundHalf(RoundHalf(x * x + HalfValue(a[8 * (i + 32) + (k ^ 1)])) - HalfValue(a[8 * i + k]));
    }
    for (size_t k = 0; k < 4; ++k) {
      expected4[4 * i + k] = RoundHalf(HalfValue(b[4 * i + k]) * sum[4 + k] + sum[2 * k]);
    }
  }
  const auto out = Output<uint16_t>(32 * 8);
  const auto out4 = Output<uint16_t>(32 * 4);
  Launch("NativeVectors", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, out4);
  ExpectNearValues<double>(Values(Read(out), kHalf), expected, 1e-3, 0.008);
  ExpectNearValues<double>(Values(Read(out4), kHalf), expected4, 1e-3, 0.03);
}

// ---- fp8.

class Fp8Test : public CorpusKernels {
 protected:
  Fp8Test() : CorpusKernels("fp8") {}

  static uint8_t Fp8(const FloatFormat& format, double value) {
    return static_cast<uint8_t>(Encode(format, value, Rounding::kNearestEven, /*saturate=*/true));
  }
  // Returns magnitudes from below the smallest to above the largest number of the formats.
  static std::vector<float> Wide(size_t count, uint64_t seed) {
    RandomNumbers random(seed);
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
      const float magnitude = std::ldexp(random.Between(1.0f, 2.0f), random.Between<int>(0, 34) - 18);
      values.push_back(random.Any<bool>() ? -magnitude : magnitude);
    }
    return values;
  }
  static std::vector<uint8_t> Numbers(const FloatFormat& format, size_t count, uint64_t seed) {
    std::vector<uint8_t> bytes = Random<uint8_t>(count, seed);
    for (uint8_t& byte : bytes) {
      if ((byte & 0x7fu) > format.max_finite()) byte ^= 0x40;
    }
    return bytes;
  }
};

TEST_F(Fp8Test, Conversions) {
  std::vector<float> in = Wide(64, 1);
  in[0] = 0.0f;
  in[1] = -0.0f;
  in[2] = 448.0f;
  in[3] = 464.0f;    // between 448 and 480, which would be the next number
  in[4] = 0x1p-10f;  // a tie between zero and the smallest e4m3
  in[5] = 0x1.8p-9f;
  const std::vector<uint16_t> halves = HalvesOf(Wide(64, 2));
  std::vector<uint8_t> e4 = Numbers(kE4m3, 192, 3);
  std::vector<uint8_t> e5 = Numbers(kE5m2, 192, 4);
  const auto e4_buffer = Buffer(e4);
  const auto e5_buffer = Buffer(e5);
  std::vector<uint16_t> back;
  for (size_t i = 0; i < 64; ++i) {
    e4[i] = Fp8(kE4m3, in[i]);
    e5[i] = Fp8(kE5m2, in[i]);
    e4[i + 64] = Fp8(kE4m3, HalfValue(halves[i]));
    back.push_back(HalfBits(Decode(kE4m3, e4[i + 128])));
  }
  for (size_t i = 0; i < 64; ++i) back.push_back(HalfBits(Decode(kE5m2, e5[i + 128])));
  const auto back_buffer = Output<uint16_t>(128);
  Launch("Conversions", {1}, {kThreads}, 0, Buffer(in), Buffer(halves), e4_buffer, e5_buffer, back_buffer);
  ExpectEqual(e4_buffer, e4, "e4m3");
  ExpectEqual(e5_buffer, e5, "e5m2");
  ExpectEqual(back_buffer, back, "half");
}

TEST_F(Fp8Test, QuantiseRows) {
  constexpr int kQuads = 37, kRows = 3;
  std::vector<float> in = Wide(kRows * kQuads * 4, 5);
  std::fill(in.begin() + kQuads * 4, in.begin() + 2 * kQuads * 4, 0.0f);
  std::vector<uint8_t> expected;
  std::vector<float> scales;
  for (size_t row = 0; row < kRows; ++row) {
    const std::vector<float> cells(in.begin() + row * kQuads * 4, in.begin() + (row + 1) * kQuads * 4);
    float top = 0;
    for (float v : cells) top = std::max(top, std::abs(v));
    const float scale = top / 448.0f;
    const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
    for (float v : cells) expected.push_back(Fp8(kE4m3, v * inverse));
    scales.push_back(scale);
  }
  const auto out = Output<uint8_t>(expected.size());
  const auto scale_buffer = Output<float>(kRows);
  Launch("QuantiseRows", {kRows}, {32}, 0, Buffer(in), out, scale_buffer, int{kQuads});
  ExpectEqual(out, expected);
  ExpectEqual(scale_buffer, scales);
}

TEST_F(Fp8Test, MmaE4m3) {
  constexpr int kWords = 16, kDepth = 4 * kWords;
  const std::vector<int> a_values = Random<int>(16 * kDepth, 6, -8, 8);
  const std::vector<int> b_values = Random<int>(8 * kDepth, 7, -8, 8);
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
  for (int value : a_values) a.push_back(Fp8(kE4m3, value));
  for (int value : b_values) b.push_back(Fp8(kE4m3, value));
  std::vector<float> expected;
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 8; ++col) {
      int sum = 0;
      for (int i = 0; i < kDepth; ++i) sum += a_values[row * kDepth + i] * b_values[col * kDepth + i];
      expected.push_back(static_cast<float>(sum));
    }
  }
  const auto c = Output<float>(128);
  Launch("MmaE4m3", {1}, {32}, 0, Buffer(a), Buffer(b), c, int{kWords});
  ExpectEqual(c, expected);
}

TEST_F(Fp8Test, Accumulate) {
  constexpr int kCount = 50;
  std::vector<uint8_t> moments = Numbers(kE5m2, 64, 8);
  const std::vector<float> gradients = Wide(kCount, 9);
  const auto buffer = Buffer(moments);
  for (int i = 0; i < kCount; ++i) {
    moments[i] = Fp8(kE5m2, static_cast<float>(0.75 * Decode(kE5m2, moments[i]) + 0.25 * gradients[i]));
  }
  Launch("Accumulate", {2}, {32}, 0, buffer, Buffer(gradients), 0.75f, int{kCount});
  ExpectEqual(buffer, moments);
}

TEST_F(Fp8Test, Builtins) {
  const std::vector<float> in = Wide(kThreads + 1, 10);
  const std::vector<uint8_t> packed = Numbers(kE4m3, 2 * kThreads, 11);
  std::vector<uint8_t> expected(8 * kThreads);
  std::vector<uint16_t> halves;
  for (size_t i = 0; i < 2 * kThreads; ++i) {
    // The first operand becomes the upper half.
    const double value = in[i / 2 + (i % 2 == 0 ? 1 : 0)];
    expected[i] = Fp8(kE4m3, value);
    expected[i + 64] = Fp8(kE4m3, std::max(value, 0.0));
    expected[i + 128] = Fp8(kE5m2, value);
    halves.push_back(HalfBits(Decode(kE4m3, packed[i])));
    expected[i + 192] = Fp8(kE5m2, HalfValue(halves.back()));
  }
  const auto out = Output<uint8_t>(8 * kThreads);
  const auto half_buffer = Output<uint16_t>(2 * kThreads);
  Launch("Builtins", {1}, {kThreads}, 0, Buffer(in), out, Buffer(packed), half_buffer);
  ExpectEqual(out, expected);
  ExpectEqual(half_buffer, halves);
}

}  // namespace
}  // namespace ptxmir::ptx
