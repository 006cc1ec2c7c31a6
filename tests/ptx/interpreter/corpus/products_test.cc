// SPDX-License-Identifier: Apache-2.0

// Compares matrix products of each type with naive sums. For these inputs every sum is exact, so the order in which
// tensor cores add does not matter. PTX does not specify it.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

std::vector<uint16_t> BFloatsOf(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (const float v : values) bits.push_back(BFloatBits(v));
  return bits;
}
// Small integers.
std::vector<float> Integers(size_t count, uint64_t seed, int most = 5) {
  std::vector<float> values;
  for (const int32_t v : Random<int32_t>(count, seed, -most, most)) values.push_back(static_cast<float>(v));
  return values;
}

// Sum over k of a(i, k) * b(k, j), in order.
template <typename T>
T Dot(int depth, const std::function<T(int)>& a, const std::function<T(int)>& b) {
  T sum = 0;
  for (int k = 0; k < depth; ++k) sum += a(k) * b(k);
  return sum;
}

// ---- igemm_dp4a.

class IgemmTest : public CorpusKernels {
 protected:
  IgemmTest() : CorpusKernels("igemm_dp4a") {}
};

TEST_F(IgemmTest, IgemmDp4a) {
  constexpr int kRows = 64;
  constexpr int kColumns = 128;
  constexpr int kDepth4 = 16;
  constexpr int kZero = 3;
  const std::vector<int8_t> a = Random<int8_t>(kRows * kDepth4 * 4, 1);
  const std::vector<int8_t> b = Random<int8_t>(kColumns * kDepth4 * 4, 2);
  const std::vector<float> scales = Random<float>(kColumns, 3, 1e-4, 2e-3);
  const std::vector<int32_t> bias = Random<int32_t>(kColumns, 4, -20000, 20000);
  std::vector<int8_t> expected;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      int32_t sum = bias[j];
      for (int k = 0; k < 4 * kDepth4; ++k) sum += a[i * 4 * kDepth4 + k] * b[j * 4 * kDepth4 + k];
      const float quotient = std::nearbyint(static_cast<float>(sum) * scales[j]);
      expected.push_back(static_cast<int8_t>(std::clamp(static_cast<int>(quotient) + kZero, -128, 127)));
    }
  }
  ASSERT_GT(std::count(expected.begin(), expected.end(), 127), 0);
  const auto c = Output<int8_t>(expected.size());
  Launch("IgemmDp4a", {2, 1}, {256}, 0, kRows, kColumns, kDepth4, Buffer(a), Buffer(b), Buffer(scales), Buffer(bias),
         kZero, c);
  ExpectEqual(c, expected);
}

TEST_F(IgemmTest, DotKinds) {
  constexpr uint32_t kThreads = 32;
  const std::vector<uint32_t> a = Random<uint32_t>(kThreads, 1);
  const std::vector<uint32_t> b = Random<uint32_t>(kThreads, 2);
  const std::vector<int32_t> s = Random<int32_t>(2 * kThreads, 3);
  std::vector<uint32_t> unsigned_out = Random<uint32_t>(kThreads, 4);
  std::vector<uint32_t> out = Random<uint32_t>(4 * kThreads, 5);
  const auto device_out = Buffer(out);
  const auto device_unsigned = Buffer(unsigned_out);
  const auto byte = [](auto word, int i) {
    return static_cast<uint32_t>(static_cast<uint32_t>(word) >> (8 * i) & 0xff);
  };
  const auto signed_byte = [&](auto word, int i) { return static_cast<int32_t>(static_cast<int8_t>(byte(word, i))); };
  const auto signed_half = [](int32_t word, int i) {
    return static_cast<int32_t>(static_cast<int16_t>(word >> (16 * i)));
  };
  for (uint32_t i = 0; i < kThreads; ++i) {
    uint32_t low = 0;
    uint32_t high = 0;
    uint32_t mixed = i;
    for (int j = 0; j < 4; ++j) {
      unsigned_out[i] += byte(a[i], j) * byte(b[i], j);
      out[i] += static_cast<uint32_t>(signed_byte(s[i], j) * signed_byte(s[i + 32], j));
      mixed += static_cast<uint32_t>(static_cast<int32_t>(byte(a[i], j)) * signed_byte(s[i], j));
    }
    for (int j = 0; j < 2; ++j) {
      low += static_cast<uint32_t>(signed_half(s[i], j) * signed_byte(s[i + 1], j));
      high += static_cast<uint32_t>(signed_half(s[i], j) * signed_byte(s[i + 1], j + 2));
    }
    out[i + 32] = out[i] + low;
    out[i + 64] = out[i] + high;
    out[i + 96] = mixed;
  }
  Launch("DotKinds", {1}, {kThreads}, 0, Buffer(a), Buffer(b), Buffer(s), device_out, device_unsigned);
  ExpectEqual(device_unsigned, unsigned_out);
  ExpectEqual(device_out, out);
}

// ---- sgemm_f32: sums by fused multiply-add, in the order of the depth.

class SgemmTest : public CorpusKernels {
 protected:
  SgemmTest() : CorpusKernels("sgemm_f32") {}

  static std::vector<float> Product(int m, int n, int k, const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> c;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l) sum = std::fma(a[i * k + l], b[l * n + j], sum);
        c.push_back(sum);
      }
    }
    return c;
  }
};

TEST_F(SgemmTest, Sgemm128) {
  constexpr int kSize = 128;
  constexpr int kDepth = 24;
  const std::vector<float> a = Random<float>(kSize * kDepth, 1, -1, 1);
  const std::vector<float> b = Random<float>(kDepth * kSize, 2, -1, 1);
  std::vector<float> expected = Product(kSize, kSize, kDepth, a, b);
  const auto device_a = Buffer(a);
  const auto device_b = Buffer(b);
  const auto c = Output<float>(kSize * kSize);
  Launch("Sgemm128", {1}, {256}, 0, kSize, kSize, kDepth, 1.0f, device_a, device_b, 0.0f, c);
  ExpectEqual(c, expected);
  // Powers of two make the products exact, so it does not matter which of them is fused with the sum.
  for (float& v : expected) v = 0.5f * v + 2 * v;
  Launch("Sgemm128", {1}, {256}, 0, kSize, kSize, kDepth, 0.5f, device_a, device_b, 2.0f, c);
  ExpectEqual(c, expected);
}

TEST_F(SgemmTest, SgemmGuarded) {
  constexpr int kRows = 21;
  constexpr int kColumns = 35;
  constexpr int kDepth = 19;
  const std::vector<float> a = Random<float>(kRows * kDepth, 1, -1, 1);
  const std::vector<float> b = Random<float>(kDepth * kColumns, 2, -1, 1);
  const auto c = Output<float>(kRows * kColumns);
  Launch("SgemmGuarded", {3, 2}, {16, 16}, 0, kRows, kColumns, kDepth, Buffer(a), Buffer(b), c);
  ExpectEqual(c, Product(kRows, kColumns, kDepth, a, b));
}

// ---- wmma_gemm.

class WmmaTest : public CorpusKernels {
 protected:
  WmmaTest() : CorpusKernels("wmma_gemm") {}

  static constexpr int kRows = 32;
  static constexpr int kColumns = 32;
  static constexpr int kDepth = 48;
  const std::vector<float> a_ = Integers(kRows * kDepth, 1);
  const std::vector<float> b_ = Integers(kColumns * kDepth, 2);

  std::vector<float> HalfProduct() const {
    std::vector<float> c;
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) {
        c.push_back(Dot<float>(
                        kDepth, [&](int k) { return a_[i * kDepth + k]; }, [&](int k) { return b_[j * kDepth + k]; }) /
                    8);
      }
    }
    return c;
  }
};

TEST_F(WmmaTest, WmmaHalfToFloat) {
  const auto c = Output<float>(kRows * kColumns);
  Launch("WmmaHalfIf", {1, 2}, {64}, 0, kColumns, kDepth, Buffer(HalvesOf(a_)), Buffer(HalvesOf(b_)), c);
  ExpectEqual(c, HalfProduct());
}

TEST_F(WmmaTest, WmmaHalfToHalf) {
  const auto c = Output<uint16_t>(kRows * kColumns);
  Launch("WmmaHalfI6__half", {2, 1}, {32, 2}, 0, kColumns, kDepth, Buffer(HalvesOf(a_)), Buffer(HalvesOf(b_)), c);
  ExpectEqual(c, HalvesOf(HalfProduct()));
}

TEST_F(WmmaTest, WmmaShapes) {
  const std::vector<float> a = Integers(512, 1);
  const std::vector<float> b = Integers(512, 2);
  const std::vector<float> start = Integers(512, 3, 100);
  std::vector<float> expected(512);
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 8; ++j) {
      expected[i * 8 + j] =
          start[i * 8 + j] - Dot<float>(
                                 16, [&](int k) { return a[i * 16 + k]; }, [&](int k) { return b[k * 8 + j]; });
    }
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 32; ++j) {
      expected[256 + j * 8 + i] =
          1 + Dot<float>(
                  16, [&](int k) { return a[k * 8 + i]; }, [&](int k) { return b[j * 16 + k]; });
    }
  }
  const auto c = Buffer(start);
  Launch("WmmaShapes", {1}, {32}, 0, Buffer(HalvesOf(a)), Buffer(HalvesOf(b)), c);
  ExpectEqual(c, expected);
}

TEST_F(WmmaTest, WmmaInteger) {
  constexpr int kIntegerDepth = 64;
  const std::vector<int8_t> a = Random<int8_t>(16 * kIntegerDepth, 1);
  const std::vector<int8_t> b = Random<int8_t>(16 * kIntegerDepth, 2);
  std::vector<int32_t> expected;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      expected.push_back(Dot<int32_t>(
          kIntegerDepth, [&](int k) { return a[i * kIntegerDepth + k]; },
          [&](int k) { return b[j * kIntegerDepth + k]; }));
    }
  }
  const auto c = Output<int32_t>(256);
  Launch("WmmaInteger", {1}, {32}, 0, Buffer(a), Buffer(b), c, kIntegerDepth);
  ExpectEqual(c, expected);
}

TEST_F(WmmaTest, MmaBuiltins) {
  const std::vector<float> a = Integers(256, 1);
  const std::vector<float> b = Integers(256, 2);
  const std::vector<float> a32 = Integers(128, 3);
  const std::vector<float> b32 = Integers(128, 4);
  const auto word = [](const std::vector<float>& v, int i) { return std::bit_cast<uint32_t>(v[i]); };
  std::vector<double> d = Random<double>(128, 5, -8, 8);
  for (double& v : d) v = std::nearbyint(v);
  std::vector<float> expected(512);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      expected[i * 16 + j] = Dot<float>(
          16, [&](int k) { return a[i * 16 + k]; }, [&](int k) { return b[j * 16 + k]; });
      // The rows of the second factor overlap, because its stride is 8. The sum is stored by columns.
      expected[256 + j * 16 + i] = Dot<float>(
          8, [&](int k) { return a32[i * 8 + k]; }, [&](int k) { return b32[k * 8 + j]; });
    }
  }
  std::vector<int32_t> expected_bits(128);
  std::vector<double> expected_d = d;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      int different = 0;
      int32_t nibbles = 1 + j % 2;  // lanes hold pairs of adjacent columns, which start with 1 and 2
      for (int k = 0; k < 4; ++k) {
        const uint32_t left = word(a32, i * 4 + k);
        const uint32_t right = word(b32, j * 4 + k);
        different += std::popcount(left ^ right);
        for (int shift = 0; shift < 32; shift += 4) {
          nibbles += static_cast<int32_t>((left >> shift & 15) * (right >> shift & 15));
        }
      }
      expected_bits[i * 8 + j] = different;
      expected_bits[64 + i * 8 + j] = nibbles;
      expected_d[64 + i * 8 + j] = Dot<double>(
          4, [&](int k) { return d[i * 4 + k]; }, [&](int k) { return d[32 + j * 4 + k]; });
    }
  }
  const auto c = Output<float>(512);
  const auto bits = Output<int32_t>(128);
  const auto device_d = Buffer(d);
  Launch("MmaBuiltins", {1}, {32}, 0, Buffer(BFloatsOf(a)), Buffer(BFloatsOf(b)), Buffer(a32), Buffer(b32), c, bits,
         device_d);
  ExpectEqual(c, expected);
  ExpectEqual(bits, expected_bits);
  ExpectEqual(device_d, expected_d);
}

// ---- quantised.

class QuantisedTest : public CorpusKernels {
 protected:
  QuantisedTest() : CorpusKernels("quantised") {}
};

TEST_F(QuantisedTest, MatVecInt4) {
  constexpr int kRows = 8;
  constexpr int kPieces = 40;  // of 32 weights
  constexpr int kGroup = 5;
  const std::vector<uint8_t> nibbles = Random<uint8_t>(kRows * kPieces * 32, 1, 0, 15);
  std::vector<uint32_t> weights(kRows * kPieces * 4);
  for (size_t i = 0; i < nibbles.size(); ++i) weights[i / 8] |= static_cast<uint32_t>(nibbles[i]) << (4 * (i % 8));
  const std::vector<float> x = Integers(kPieces * 32, 2, 3);
  std::vector<float> scales;
  for (const int32_t power : Random<int32_t>(kRows * kPieces / kGroup, 3, -6, 3)) {
    scales.push_back(std::ldexp(1.0f, power));
  }
  std::vector<float> expected;
  for (int row = 0; row < kRows; ++row) {
    float sum = 0;
    for (int p = 0; p < kPieces; ++p) {
      float part = 0;
      for (int k = 0; k < 32; ++k) {
        // In each word of eight nibbles, the elements of x belong to nibbles 0, 4, 1, 5, 2, 6, 3, 7.
        const int nibble = k / 8 * 8 + k % 8 / 2 + k % 2 * 4;
        part += static_cast<float>(nibbles[(row * kPieces + p) * 32 + nibble] - 8) * x[p * 32 + k];
      }
      sum += scales[(row * kPieces + p) / kGroup] * part;
    }
    expected.push_back(sum);
  }
  const auto y = Output<float>(kRows);
  Launch("MatVecInt4", {2}, {128}, 0, Buffer(weights), Buffer(HalvesOf(scales)), Buffer(HalvesOf(x)), y, kPieces,
         kGroup);
  ExpectEqual(y, expected);
}

TEST_F(QuantisedTest, DequantiseNf4) {
  // The quantiles of the normal distribution, from the QLoRA paper.
  constexpr float kNf4[16] = {-1.0f,        -0.69619280f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f,
                              -0.09105004f, 0.0f,         0.07958030f,  0.16093020f,  0.24611230f,  0.33791524f,
                              0.44070983f,  0.56261700f,  0.72295684f,  1.0f};
  constexpr int kCount = 90;
  const std::vector<uint8_t> in = Random<uint8_t>(kCount, 1);
  const std::vector<float> scales = {0.013f, 2.5f, 1e-5f};
  std::vector<float> expected;
  for (int i = 0; i < kCount; ++i) {
    expected.push_back(kNf4[in[i] >> 4] * scales[i / 32]);
    expected.push_back(kNf4[in[i] & 15] * scales[i / 32]);
  }
  const auto out = Output<uint16_t>(2 * kCount);
  Launch("DequantiseNf4", {3}, {32}, 0, Buffer(in), Buffer(scales), out, kCount);
  ExpectEqual(out, HalvesOf(expected));
}

TEST_F(QuantisedTest, QuantiseRows) {
  constexpr int kRows = 3;
  constexpr int kColumns = 4 * 75;
  std::vector<float> in = Random<float>(kRows * kColumns, 1, -7, 7);
  std::fill(in.begin() + kColumns, in.begin() + 2 * kColumns, 0.0f);
  std::vector<int8_t> expected;
  std::vector<float> expected_scales;
  for (int row = 0; row < kRows; ++row) {
    float most = 0;
    for (int i = 0; i < kColumns; ++i) most = std::max(most, std::abs(in[row * kColumns + i]));
    const float inverse = most > 0 ? 127 / most : 0;
    for (int i = 0; i < kColumns; ++i) {
      expected.push_back(static_cast<int8_t>(std::nearbyint(in[row * kColumns + i] * inverse)));
    }
    expected_scales.push_back(most / 127);
  }
  const auto out = Output<int8_t>(expected.size());
  const auto scales = Output<float>(kRows);
  Launch("QuantiseRows", {kRows}, {64}, 0, Buffer(in), out, scales, kColumns / 4);
  ExpectEqual(out, expected);
  ExpectEqual(scales, expected_scales);
}

TEST_F(QuantisedTest, PackAndUnpack) {
  constexpr int kWords = 50;
  const std::vector<int8_t> in = Random<int8_t>(8 * kWords, 1, -8, 7);
  std::vector<uint32_t> packed(kWords);
  std::vector<int32_t> unpacked;  // the packed words as signed nibbles
  for (size_t i = 0; i < in.size(); ++i) {
    packed[i / 8] |= static_cast<uint32_t>(in[i] + 8) << (4 * (i % 8));
    unpacked.push_back(in[i] < 0 ? in[i] + 8 : in[i] - 8);
  }
  const auto words = Output<uint32_t>(kWords);
  Launch("PackInt4", {2}, {32}, 0, Buffer(in), words, kWords);
  ExpectEqual(words, packed);
  const auto out = Output<int32_t>(8 * kWords);
  Launch("UnpackSigned", {2}, {32}, 0, words, out, kWords);
  ExpectEqual(out, unpacked);
}

TEST_F(QuantisedTest, KMeansAssign) {
  constexpr int kPoints = 100;
  constexpr int kCenters = 10;
  const std::vector<float> points = Integers(2 * kPoints, 1, 40);
  const std::vector<float> centers = Integers(2 * kCenters, 2, 40);
  std::vector<uint8_t> codes;
  std::vector<float> sums(2 * kCenters);
  std::vector<int32_t> counts(kCenters);
  for (int i = 0; i < kPoints; ++i) {
    std::vector<float> distances;
    for (int c = 0; c < kCenters; ++c) {
      const float dx = points[2 * i] - centers[2 * c];
      const float dy = points[2 * i + 1] - centers[2 * c + 1];
      distances.push_back(dx * dx + dy * dy);
    }
    const size_t code = static_cast<size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
    codes.push_back(static_cast<uint8_t>(code));
    sums[2 * code] += points[2 * i];
    sums[2 * code + 1] += points[2 * i + 1];
    ++counts[code];
  }
  const auto device_codes = Output<uint8_t>(kPoints);
  const auto device_sums = Zeros<float>(sums.size());
  const auto device_counts = Zeros<int32_t>(counts.size());
  Launch("KMeansAssign", {2}, {64}, 0, Buffer(points), Buffer(centers), kCenters, device_codes, device_sums,
         device_counts, kPoints);
  ExpectEqual(device_codes, codes);
  ExpectEqual(device_sums, sums);
  ExpectEqual(device_counts, counts);
}

}  // namespace
}  // namespace ptxmir::ptx
