// SPDX-License-Identifier: Apache-2.0

// Compares dgemm_f64, hgemm_mma, convolution and flash_attention with sums in the order of their definition.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

class DgemmTest : public CorpusKernels {
 protected:
  DgemmTest() : CorpusKernels("dgemm_f64") {}

  // Returns alpha * a * b + beta * c, where a is m x k and b is k x n.
  static std::vector<double> Product(int m, int n, int k, double alpha, const std::vector<double>& a,
                                     const std::vector<double>& b, double beta, const std::vector<double>& c) {
    std::vector<double> out(static_cast<size_t>(m) * n);
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        double sum = 0;
        for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
        out[row * n + col] = alpha * sum + (beta == 0 ? 0 : beta * c[row * n + col]);
      }
    }
    return out;
  }
  void TestTiles(std::string_view kernel, Dim3 grid, Dim3 block) {
    // No dimension is a multiple of a tile.
    constexpr int kM = 67, kN = 35, kK = 10;
    const std::vector<double> a = Random<double>(kM * kK, 1, -1.0, 1.0);
    const std::vector<double> b = Random<double>(kK * kN, 2, -1.0, 1.0);
    const std::vector<double> c = Random<double>(kM * kN, 3, -1.0, 1.0);
    const auto a_buffer = Buffer(a);
    const auto b_buffer = Buffer(b);
    const auto c_buffer = Buffer(c);
    Launch(kernel, grid, block, 0, kM, kN, kK, 1.5, a_buffer, b_buffer, -0.5, c_buffer);
    ExpectNear(c_buffer, Product(kM, kN, kK, 1.5, a, b, -0.5, c), 1e-13, 1e-13);
    // If its factor is zero, the old content is not read.
    const auto fresh = Output<double>(kM * kN);
    Launch(kernel, grid, block, 0, kM, kN, kK, 2.0, a_buffer, b_buffer, 0.0, fresh);
    ExpectNear(fresh, Product(kM, kN, kK, 2.0, a, b, 0.0, c), 1e-13, 1e-13);
  }
};

TEST_F(DgemmTest, Tiles64x64) { TestTiles("DgemmILi64ELi64E", {1, 2}, {256}); }
TEST_F(DgemmTest, Tiles64x32) { TestTiles("DgemmILi64ELi32E", {2, 2}, {128}); }

TEST_F(DgemmTest, TensorCores) {
  constexpr int kM = 32, kN = 48, kK = 12;
  const std::vector<double> a = Random<double>(kM * kK, 4, -1.0, 1.0);
  const std::vector<double> b = Random<double>(kK * kN, 5, -1.0, 1.0);
  const auto c = Output<double>(kM * kN);
  Launch("DgemmTensor", {kN / 16, kM / 16}, {32}, 0, int{kN}, int{kK}, Buffer(a), Buffer(b), c);
  ExpectNear(c, Product(kM, kN, kK, 1, a, b, 0, {}), 1e-13, 1e-13);
}

class HgemmTest : public CorpusKernels {
 protected:
  HgemmTest() : CorpusKernels("hgemm_mma") {}
};

TEST_F(HgemmTest, HgemmTensor) {
  // Integers, so that every sum is exact.
  constexpr int kM = 128, kN = 128, kK = 128;
  std::vector<uint16_t> a;
  std::vector<uint16_t> b;
  const std::vector<int> a_values = Random<int>(kM * kK, 1, -3, 3);
  const std::vector<int> b_values = Random<int>(kN * kK, 2, -3, 3);
  for (int value : a_values) a.push_back(HalfBits(value));
  for (int value : b_values) b.push_back(HalfBits(value));
  std::vector<uint16_t> expected;
  for (int row = 0; row < kM; ++row) {
    for (int col = 0; col < kN; ++col) {
      int sum = 0;
      for (int i = 0; i < kK; ++i) sum += a_values[row * kK + i] * b_values[col * kK + i];
      expected.push_back(HalfBits(sum));
    }
  }
  const auto c = Output<uint16_t>(kM * kN);
  constexpr uint32_t kSharedBytes = 2 * 3 * 128 * 40 * 2;
  Launch("HgemmTensor", {1, 1}, {256}, kSharedBytes, int{kM}, int{kN}, int{kK}, Buffer(a), Buffer(b), c);
  ExpectEqual(c, expected);
}

// ---- convolution.

// Images of several channels; zero outside.
struct Image {
  int channels;
  int height;
  int width;
  std::vector<float> cells;

  static Image Make(int channels, int height, int width, uint64_t seed) {
    return {channels, height, width, Random<float>(static_cast<size_t>(channels) * height * width, seed, -1.0f, 1.0f)};
  }
  double At(int c, int y, int x) const {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside ? cells[(static_cast<size_t>(c) * height + y) * width + x] : 0.0;
  }
};

// Weights are ordered by output, input, row and column. The kernel is centered.
double Convolve(const Image& in, const float* weights, int size, int y, int x, int first_channel, int channels) {
  double sum = 0;
  for (int c = 0; c < channels; ++c) {
    for (int dy = 0; dy < size; ++dy) {
      for (int dx = 0; dx < size; ++dx) {
        sum += weights[(c * size + dy) * size + dx] * in.At(first_channel + c, y + dy - size / 2, x + dx - size / 2);
      }
    }
  }
  return sum;
}

class ConvolutionTest : public CorpusKernels {
 protected:
  ConvolutionTest() : CorpusKernels("convolution") {}

  void TestDirect(std::string_view kernel, int size) {
    constexpr int kOutputs = 8;
    const Image in = Image::Make(3, 5, 22, size);
    const std::vector<float> weights = Random<float>(kOutputs * 3 * size * size, 10 + size, -1.0f, 1.0f);
    std::vector<float> expected;
    for (int m = 0; m < kOutputs; ++m) {
      for (int y = 0; y < in.height; ++y) {
        for (int x = 0; x < in.width; ++x) {
          const double sum = Convolve(in, &weights[m * 3 * size * size], size, y, x, 0, 3);
          expected.push_back(static_cast<float>(std::max(sum, 0.0)));
        }
      }
    }
    const auto out = Output<float>(expected.size());
    Launch(kernel, {2, 5, kOutputs / 4}, {32}, 0, Buffer(in.cells), Buffer(weights), out, in.channels, in.height,
           in.width);
    ExpectNear(out, expected, 1e-5, 1e-5);
  }
};

TEST_F(ConvolutionTest, Direct3) { TestDirect("DirectILi3EE", 3); }
TEST_F(ConvolutionTest, Direct5) { TestDirect("DirectILi5EE", 5); }

TEST_F(ConvolutionTest, Depthwise) {
  const Image in = Image::Make(3, 4, 30, 20);
  const std::vector<float> weights = Random<float>(64 * 9, 21, -1.0f, 1.0f);
  Write(Variable<float>("depth_weights", 64 * 9), weights);
  std::vector<float> expected;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < in.height; ++y) {
      for (int x = 0; x < in.width; ++x) {
        expected.push_back(static_cast<float>(Convolve(in, &weights[c * 9], 3, y, x, c, 1)));
      }
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Depthwise", {1, 4, 3}, {32}, 0, Buffer(in.cells), out, in.height, in.width);
  ExpectNear(out, expected, 1e-5, 1e-5);
}

TEST_F(ConvolutionTest, Winograd) {
  constexpr int kOutputs = 3;
  const Image in = Image::Make(2, 6, 8, 30);
  const std::vector<float> weights = Random<float>(kOutputs * 2 * 9, 31, -1.0f, 1.0f);
  const auto transformed = Output<float>(kOutputs * 2 * 16);
  Launch("WinogradWeights", {1}, {32}, 0, Buffer(weights), transformed, kOutputs * 2);
  constexpr double kG[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  std::vector<float> expected_weights;
  for (int filter = 0; filter < kOutputs * 2; ++filter) {
    for (int i = 0; i < 16; ++i) {
      double sum = 0;
      for (int j = 0; j < 9; ++j) sum += kG[i / 4][j / 3] * weights[filter * 9 + j] * kG[i % 4][j % 3];
      expected_weights.push_back(static_cast<float>(sum));
    }
  }
  ExpectNear(transformed, expected_weights, 1e-5, 1e-6);

  std::vector<float> expected;
  for (int m = 0; m < kOutputs; ++m) {
    for (int y = 0; y < in.height; ++y) {
      for (int x = 0; x < in.width; ++x) {
        expected.push_back(static_cast<float>(Convolve(in, &weights[m * 18], 3, y, x, 0, 2)));
      }
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Winograd", {2, 3, kOutputs}, {2}, 0, Buffer(in.cells), transformed, out, in.channels, in.height, in.width);
  ExpectNear(out, expected, 1e-4, 1e-5);
}

TEST_F(ConvolutionTest, Im2Col) {
  const Image in = Image::Make(2, 7, 9, 40);
  constexpr int kSize = 3, kStride = 2, kPad = 1, kOutHeight = 4, kOutWidth = 5;
  std::vector<float> expected;
  for (int c = 0; c < in.channels; ++c) {
    for (int tap = 0; tap < kSize * kSize; ++tap) {
      for (int y = 0; y < kOutHeight; ++y) {
        for (int x = 0; x < kOutWidth; ++x) {
          const double value = in.At(c, y * kStride - kPad + tap / kSize, x * kStride - kPad + tap % kSize);
          expected.push_back(static_cast<float>(value));
        }
      }
    }
  }
  const auto columns = Output<float>(expected.size());
  Launch("Im2Col", {1}, {32}, 0, Buffer(in.cells), columns, in.channels, in.height, in.width, int{kSize}, int{kStride},
         int{kPad}, int{kOutHeight}, int{kOutWidth});
  ExpectEqual(columns, expected);
}

TEST_F(ConvolutionTest, Transposed) {
  constexpr int kWidth = 5, kStride = 2, kOutWidth = (kWidth - 1) * kStride + 4;
  const Image in = Image::Make(3, kWidth, kWidth, 50);
  const std::vector<float> weights = Random<float>(3 * 16, 51, -1.0f, 1.0f);
  std::vector<double> sums(kOutWidth * kOutWidth);
  for (int c = 0; c < 3; ++c) {
    for (int at = 0; at < kWidth * kWidth; ++at) {
      for (int tap = 0; tap < 16; ++tap) {
        const int y = at / kWidth * kStride + tap / 4;
        const int x = at % kWidth * kStride + tap % 4;
        sums[y * kOutWidth + x] += double{weights[c * 16 + tap]} * in.At(c, at / kWidth, at % kWidth);
      }
    }
  }
  const auto out = Output<float>(sums.size());
  Launch("Transposed", {1, kOutWidth}, {32}, 0, Buffer(in.cells), Buffer(weights), out, 3, int{kWidth}, int{kOutWidth},
         int{kStride});
  ExpectNear(out, std::vector<float>(sums.begin(), sums.end()), 1e-5, 1e-5);
}

// ---- flash_attention.

class AttentionTest : public CorpusKernels {
 protected:
  AttentionTest() : CorpusKernels("flash_attention") {}

  static constexpr int kHead = 64;
  // For each head and query, the softmax over the keys, times the values.
  static std::vector<float> Attention(const std::vector<float>& q, const std::vector<float>& k,
                                      const std::vector<float>& v, int heads, int keys, float scale, bool causal) {
    std::vector<float> out;
    for (int head = 0; head < heads; ++head) {
      for (int query = 0; query < keys; ++query) {
        std::vector<double> sums(kHead);
        double total = 0;
        for (int key = 0; key < (causal ? query + 1 : keys); ++key) {
          double dot = 0;
          for (int i = 0; i < kHead; ++i) {
            dot += double{q[(head * keys + query) * kHead + i]} * k[(head * keys + key) * kHead + i];
          }
          const double weight = std::exp(dot * scale);
          total += weight;
          for (int i = 0; i < kHead; ++i) sums[i] += weight * v[(head * keys + key) * kHead + i];
        }
        for (double sum : sums) out.push_back(static_cast<float>(sum / total));
      }
    }
    return out;
  }
};

TEST_F(AttentionTest, AttentionF32) {
  constexpr int kKeys = 64, kHeads = 2;
  const std::vector<float> q = Random<float>(kHeads * kKeys * kHead, 1, -2.0f, 2.0f);
  const std::vector<float> k = Random<float>(kHeads * kKeys * kHead, 2, -2.0f, 2.0f);
  const std::vector<float> v = Random<float>(kHeads * kKeys * kHead, 3, -1.0f, 1.0f);
  const auto q_buffer = Buffer(q);
  const auto k_buffer = Buffer(k);
  const auto v_buffer = Buffer(v);
  for (bool causal : {false, true}) {
    const auto out = Output<float>(q.size());
    Launch("AttentionF32", {1, kHeads}, {64}, 0, q_buffer, k_buffer, v_buffer, out, int{kKeys}, 0.125f, causal);
    ExpectNear(out, Attention(q, k, v, kHeads, kKeys, 0.125f, causal), 1e-4, 1e-5);
  }
}

TEST_F(AttentionTest, AttentionTensor) {
  constexpr int kKeys = 128, kHeads = 1;
  const std::vector<uint16_t> q = HalvesOf(Random<float>(kHeads * kKeys * kHead, 4, -2.0f, 2.0f));
  const std::vector<uint16_t> k = HalvesOf(Random<float>(kHeads * kKeys * kHead, 5, -2.0f, 2.0f));
  const std::vector<uint16_t> v = HalvesOf(Random<float>(kHeads * kKeys * kHead, 6, -1.0f, 1.0f));
  std::vector<uint16_t> transposed(v.size());
  for (int key = 0; key < kKeys; ++key) {
    for (int i = 0; i < kHead; ++i) transposed[i * kKeys + key] = v[key * kHead + i];
  }
  const std::vector<float> expected =
      Attention(ValuesOfHalves(q), ValuesOfHalves(k), ValuesOfHalves(v), kHeads, kKeys, 0.125f, false);
  const auto out = Output<uint16_t>(q.size());
  Launch("AttentionTensor", {kKeys / 64, kHeads}, {128}, 0, Buffer(q), Buffer(k), Buffer(transposed), out, int{kKeys},
         0.125f);
  ExpectNearValues<float>(ValuesOfHalves(Read(out)), expected, 2e-3, 1e-3);
}

}  // namespace
}  // namespace ptxmir::ptx
