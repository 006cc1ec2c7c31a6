// SPDX-License-Identifier: Apache-2.0

// Compares 64-bit and 128-bit arithmetic with the host's.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Wide = unsigned __int128;
using SignedWide = __int128;

constexpr size_t kThreads = 32;

// A 128-bit integer in memory is two words, the low one first.
void Append(std::vector<uint64_t>* words, Wide value) {
  words->push_back(static_cast<uint64_t>(value));
  words->push_back(static_cast<uint64_t>(value >> 64));
}
Wide At(const std::vector<uint64_t>& words, size_t i) {
  return static_cast<Wide>(words[2 * i + 1]) << 64 | words[2 * i];
}
void Set(std::vector<uint64_t>* words, size_t i, Wide value) {
  (*words)[2 * i] = static_cast<uint64_t>(value);
  (*words)[2 * i + 1] = static_cast<uint64_t>(value >> 64);
}

// Returns random bits of random lengths, so that small and large values are combined.
std::vector<uint64_t> AnyLength(size_t count, uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<uint64_t> values(count);
  for (uint64_t& value : values) {
    value = random.Next();
    value >>= random.Between<uint32_t>(0, 60);
    value |= 1;  // not zero: used as divisors, and as arguments of ctz
  }
  values[0] = ~uint64_t{0};
  return values;
}
template <typename To>
std::vector<To> Cast(const std::vector<uint64_t>& values) {
  std::vector<To> result;
  for (const uint64_t value : values) result.push_back(static_cast<To>(value));
  return result;
}

class WideIntegersTest : public CorpusKernels {
 protected:
  WideIntegersTest() : CorpusKernels("wide_integers") {}
};

TEST_F(WideIntegersTest, Products) {
  const std::vector<uint64_t> a = AnyLength(kThreads + 1, 1);
  std::vector<int64_t> b = Cast<int64_t>(AnyLength(kThreads + 1, 2));
  for (size_t i = 0; i < b.size(); i += 3) b[i] = -b[i];
  std::vector<uint64_t> out = Random<uint64_t>(2 * 4 * kThreads, 3);
  std::vector<uint64_t> signed_out = Random<uint64_t>(2 * 3 * kThreads, 4);
  const auto device_out = Buffer(out);
  const auto device_signed = Buffer(signed_out);
  for (size_t i = 0; i < kThreads; ++i) {
    const Wide product = static_cast<Wide>(a[i]) * a[i + 1];
    const SignedWide signed_product = static_cast<SignedWide>(b[i]) * b[i + 1];
    Set(&out, i, product);
    Set(&out, i + 32, product * At(out, i + 64) + a[i]);
    Set(&out, i + 96, static_cast<uint64_t>(product >> 64) + static_cast<uint64_t>(signed_product >> 64));
    Set(&signed_out, i, static_cast<Wide>(signed_product));
    Set(&signed_out, i + 32, At(signed_out, i + 64) - static_cast<Wide>(signed_product) * 3);
  }
  Launch("Products", {1}, {kThreads}, 0, Buffer(a), Buffer(b), device_out, device_signed);
  ExpectEqual(device_out, out);
  ExpectEqual(device_signed, signed_out);
}

TEST_F(WideIntegersTest, Shifts) {
  std::vector<uint64_t> in = Random<uint64_t>(2 * (kThreads + 1), 1);
  Set(&in, 4, At(in, 5));  // equal neighbors
  Set(&in, 7, At(in, 6) + 1);
  std::vector<int32_t> by = Random<int32_t>(kThreads, 2, 0, 127);
  by[0] = 0, by[1] = 64, by[2] = 63, by[3] = 127;
  std::vector<uint64_t> out(2 * 4 * kThreads);
  std::vector<uint64_t> signed_out(2 * 3 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    const Wide v = At(in, i);
    const SignedWide shifted = static_cast<SignedWide>(v) >> by[i];
    Set(&out, i, v << by[i]);
    Set(&out, i + 32, v >> by[i]);
    Set(&out, i + 64, (v << 17 | v >> 111) ^ ~v);
    Set(&out, i + 96, (0 - v) & (v - 1));
    Set(&signed_out, i, static_cast<Wide>(shifted));
    Set(&signed_out, i + 32, std::min(v, At(in, i + 1)));
    Set(&signed_out, i + 64, static_cast<SignedWide>(v) < shifted ? 1 : ~Wide{0});
  }
  const auto device_out = Output<uint64_t>(out.size());
  const auto device_signed = Output<uint64_t>(signed_out.size());
  Launch("Shifts", {1}, {kThreads}, 0, Buffer(in), device_out, device_signed, Buffer(by));
  ExpectEqual(device_out, out);
  ExpectEqual(device_signed, signed_out);
}

TEST_F(WideIntegersTest, Quotients) {
  const std::vector<uint64_t> a = AnyLength(kThreads + 1, 1);
  std::vector<int64_t> b = Cast<int64_t>(AnyLength(kThreads + 1, 2));
  for (size_t i = 1; i < b.size(); i += 2) b[i] = -b[i];
  b[4] = std::numeric_limits<int64_t>::min();
  b[5] = 2;
  const std::vector<uint32_t> c = Cast<uint32_t>(AnyLength(kThreads + 1, 3));
  std::vector<uint64_t> out(3 * kThreads);
  std::vector<int64_t> signed_out(3 * kThreads);
  std::vector<uint32_t> narrow_out(2 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    out[i] = a[i] / a[i + 1];
    out[i + 32] = a[i] % a[i + 1];
    out[i + 64] = a[i] / 10;
    signed_out[i] = b[i] / b[i + 1];
    signed_out[i + 32] = b[i] % 1000;
    signed_out[i + 64] = b[i] / 8;
    narrow_out[i] = c[i] / 7 + c[i] % 10;
    narrow_out[i + 32] = c[i] / c[i + 1];
  }
  const auto device_out = Output<uint64_t>(out.size());
  const auto device_signed = Output<int64_t>(signed_out.size());
  const auto device_narrow = Output<uint32_t>(narrow_out.size());
  Launch("Quotients", {1}, {kThreads}, 0, Buffer(a), Buffer(b), device_out, device_signed, Buffer(c), device_narrow);
  ExpectEqual(device_out, out);
  ExpectEqual(device_signed, signed_out);
  ExpectEqual(device_narrow, narrow_out);
}

TEST_F(WideIntegersTest, Digits) {
  std::vector<uint64_t> in;
  for (const uint64_t seed : AnyLength(kThreads, 1)) Append(&in, static_cast<Wide>(seed) * seed * 3);
  Set(&in, 0, 0);
  Set(&in, 1, ~Wide{0});
  std::vector<char> expected(40 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    Wide v = At(in, i);
    for (size_t digit = 40; digit-- > 0; v /= 10) expected[40 * i + digit] = static_cast<char>('0' + v % 10);
  }
  const auto out = Output<char>(expected.size());
  Launch("Digits", {1}, {kThreads}, 0, Buffer(in), out);
  ExpectEqual(out, expected);
}

TEST_F(WideIntegersTest, Overflows) {
  std::vector<int32_t> a = Random<int32_t>(kThreads + 1, 1);
  std::vector<int64_t> b = Random<int64_t>(kThreads + 1, 2);
  for (size_t i = 0; i < kThreads; i += 4) {  // so that some products fit
    a[i] >>= 18, a[i + 1] >>= 14;
    b[i] >>= 34, b[i + 1] >>= 33;
  }
  a[6] = 3;
  std::vector<int32_t> out(3 * kThreads);
  std::vector<int64_t> wide_out(2 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    const auto fits = [](SignedWide value, SignedWide low, SignedWide high) { return value >= low && value <= high; };
    constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
    constexpr int64_t kHigh = std::numeric_limits<int32_t>::max();
    constexpr int64_t kWideLow = std::numeric_limits<int64_t>::min();
    constexpr int64_t kWideHigh = std::numeric_limits<int64_t>::max();
    const int64_t sum = int64_t{a[i]} + a[i + 1];
    const int64_t product = int64_t{a[i]} * a[i + 1];
    const SignedWide difference = static_cast<SignedWide>(b[i]) - b[i + 1];
    const SignedWide wide_product = static_cast<SignedWide>(b[i]) * b[i + 1];
    out[i] = fits(sum, kLow, kHigh) ? static_cast<int32_t>(sum) : 0x7fffffff;
    out[i + 32] = fits(product, kLow, kHigh) ? static_cast<int32_t>(product) : -1;
    out[i + 64] = static_cast<uint32_t>(a[i]) < 7 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(a[i]) - 7);
    wide_out[i] = fits(difference, kWideLow, kWideHigh) ? static_cast<int64_t>(difference) : 0;
    wide_out[i + 32] = fits(wide_product, kWideLow, kWideHigh) ? static_cast<int64_t>(wide_product) : 1;
  }
  const auto device_out = Output<int32_t>(out.size());
  const auto device_wide = Output<int64_t>(wide_out.size());
  Launch("Overflows", {1}, {kThreads}, 0, Buffer(a), Buffer(b), device_out, device_wide);
  ExpectEqual(device_out, out);
  ExpectEqual(device_wide, wide_out);
}

template <typename T>
T BitsReversed(T value) {
  T reversed = 0;
  for (size_t bit = 0; bit < sizeof(T) * 8; ++bit) reversed |= (value >> bit & 1) << (sizeof(T) * 8 - 1 - bit);
  return reversed;
}
template <typename T>
T BytesReversed(T value) {
  T reversed = 0;
  for (size_t i = 0; i < sizeof(T); ++i) reversed = static_cast<T>(reversed << 8 | (value >> (8 * i) & 0xff));
  return reversed;
}

TEST_F(WideIntegersTest, Counts) {
  std::vector<uint64_t> a = AnyLength(kThreads, 1);
  a[3] = 0;
  for (size_t i = 8; i < 16; ++i) a[i] <<= 2 * i;
  std::vector<uint32_t> b = Cast<uint32_t>(AnyLength(kThreads, 2));
  for (size_t i = 8; i < 16; ++i) b[i] <<= i;
  std::vector<uint32_t> out(4 * kThreads);
  std::vector<uint64_t> wide_out(kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    // The number of the first set bit, counted from one, or zero if there is none.
    const auto first = [](auto v) { return v == 0 ? 0 : std::countr_zero(v) + 1; };
    out[i] = static_cast<uint32_t>(std::popcount(a[i]) + std::countl_zero(a[i]) + first(a[i]));
    out[i + 32] =
        static_cast<uint32_t>(std::popcount(b[i]) + std::countl_zero(b[i]) + first(b[i])) + BitsReversed(b[i]);
    out[i + 64] = BytesReversed(b[i]) ^ static_cast<uint32_t>(std::countr_zero(b[i]));
    out[i + 96] = BytesReversed(static_cast<uint16_t>(b[i]));
    wide_out[i] = BitsReversed(a[i]) ^ BytesReversed(a[i]);
  }
  const auto device_out = Output<uint32_t>(out.size());
  const auto device_wide = Output<uint64_t>(wide_out.size());
  Launch("Counts", {1}, {kThreads}, 0, Buffer(a), Buffer(b), device_out, device_wide);
  ExpectEqual(device_out, out);
  ExpectEqual(device_wide, wide_out);
}

TEST_F(WideIntegersTest, Conversions) {
  std::vector<double> d = Random<double>(kThreads, 1, -1e6, 1e6);
  std::vector<float> f = Random<float>(kThreads, 2, 0, 1e6);
  d[0] = 9e18, d[1] = -9e18, d[2] = -0.5, d[3] = 4503599627370497.5;
  f[0] = 1.8e19f, f[1] = 0.75f, f[2] = 16777216.0f;
  std::vector<int64_t> s = Random<int64_t>(3 * kThreads, 3);
  std::vector<uint64_t> u = Random<uint64_t>(2 * kThreads, 4);
  s[32] = (int64_t{1} << 24) + 1;   // halfway between floats
  u[32] = (uint64_t{1} << 53) + 1;  // and between doubles
  const auto device_s = Buffer(s);
  const auto device_u = Buffer(u);
  std::vector<float> f_out(2 * kThreads);
  std::vector<double> d_out(2 * kThreads);
  std::vector<uint64_t> wide_out(2 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    s[i] = static_cast<int64_t>(std::trunc(d[i]));
    u[i] = static_cast<uint64_t>(std::trunc(f[i]));
    f_out[i] = static_cast<float>(s[i + 32]);
    d_out[i] = static_cast<double>(u[i + 32]);
    const int64_t ceiling =
        f[i] >= 0x1p63f ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(std::ceil(f[i]));
    s[i + 64] = static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(std::floor(d[i]))) +
                                     static_cast<uint64_t>(ceiling));
    f_out[i + 32] = static_cast<float>(u[i]);  // exact, because it comes from a float
    d_out[i + 32] = static_cast<double>(s[i]);
    Set(&wide_out, i, static_cast<Wide>(u[i]) << 64 | static_cast<uint64_t>(s[i]));
  }
  const auto device_f = Output<float>(f_out.size());
  const auto device_d = Output<double>(d_out.size());
  const auto device_w = Output<uint64_t>(wide_out.size());
  Launch("Conversions", {1}, {kThreads}, 0, Buffer(d), Buffer(f), device_s, device_u, device_f, device_d, device_w);
  ExpectEqual(device_s, s);
  ExpectEqual(device_u, u);
  ExpectEqual(device_f, f_out);
  ExpectEqual(device_d, d_out);
  ExpectEqual(device_w, wide_out);
}

TEST_F(WideIntegersTest, Narrow) {
  const std::vector<int8_t> a = Random<int8_t>(kThreads, 1);
  const std::vector<uint8_t> b = Random<uint8_t>(kThreads + 1, 2);
  const std::vector<int16_t> c = Random<int16_t>(kThreads, 3);
  std::vector<int16_t> out(3 * kThreads);
  std::vector<uint8_t> byte_out(2 * kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    out[i] = static_cast<int16_t>(a[i] * b[i] + c[i] / 3);
    out[i + 32] = static_cast<int16_t>(c[i] >> (a[i] & 7));
    out[i + 64] = a[i] < b[i] ? a[i] : c[i];
    byte_out[i] = std::rotl(b[i], 3);
    byte_out[i + 32] = static_cast<uint8_t>(std::min(255, b[i] + b[i + 1]));
  }
  const auto device_out = Output<int16_t>(out.size());
  const auto device_bytes = Output<uint8_t>(byte_out.size());
  Launch("Narrow", {1}, {kThreads}, 0, Buffer(a), Buffer(b), Buffer(c), device_out, device_bytes);
  ExpectEqual(device_out, out);
  ExpectEqual(device_bytes, byte_out);
}

}  // namespace
}  // namespace ptxmir::ptx
