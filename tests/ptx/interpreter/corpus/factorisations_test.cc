// SPDX-License-Identifier: Apache-2.0

// Tests factorizations and eigenvalues of small matrices by the equations that they must satisfy, and rows of a
// network's activations by comparison with double precision.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

// ---- small_matrices.

class SmallMatricesTest : public CorpusKernels {
 protected:
  SmallMatricesTest() : CorpusKernels("small_matrices") {}

  // L is triangular with a positive diagonal, and L times its transpose is the matrix. This determines L.
  template <typename T>
  void TestCholesky(std::string_view kernel, int n, double precision) {
    constexpr int kCount = 40;
    constexpr int kFailing = 23;
    const std::vector<T> random = Random<T>(static_cast<size_t>(n) * n * kCount, 1, -1, 1);
    const auto at = [&](int r, int c, int i) { return static_cast<size_t>((r * n + c) * kCount + i); };
    std::vector<T> in(random.size());
    for (int i = 0; i < kCount; ++i) {
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          double sum = r == c ? 0.5 : 0;
          for (int k = 0; k < n; ++k) sum += double{random[at(r, k, i)]} * random[at(c, k, i)];
          in[at(r, c, i)] = static_cast<T>(sum);
        }
      }
    }
    in[at(n - 1, n - 1, kFailing)] = -1;
    const auto out = Zeros<T>(in.size());
    const auto failed = Zeros<int32_t>(1);
    Launch(kernel, {2}, {32}, 0, Buffer(in), out, kCount, failed);
    ExpectEqual(failed, {kFailing + 1});
    const std::vector<T> l = Read(out);
    for (int i = 0; i < kCount; ++i) {
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          if (i == kFailing || c > r) {
            ASSERT_EQ(l[at(r, c, i)], T{0});
            continue;
          }
          double sum = 0;
          for (int k = 0; k <= c; ++k) sum += double{l[at(r, k, i)]} * l[at(c, k, i)];
          EXPECT_NEAR(sum, in[at(r, c, i)], precision) << i << ": " << r << ", " << c;
        }
        EXPECT_TRUE(i == kFailing || l[at(r, r, i)] > 0) << i;
      }
    }
  }

  template <size_t kN>
  void TestJacobi(std::string_view kernel) {
    constexpr size_t kCount = 32;
    std::vector<double> in = Random<double>(kN * kN * kCount, 1, -1, 1);
    for (size_t i = 0; i < kCount; ++i) {
      for (size_t r = 0; r < kN; ++r) {
        for (size_t c = 0; c < r; ++c) in[(i * kN + r) * kN + c] = i == 3 ? 0 : in[(i * kN + c) * kN + r];
        if (i == 3) std::fill_n(&in[(i * kN + r) * kN + r + 1], kN - 1 - r, 0.0);  // a diagonal matrix
      }
    }
    const auto device_values = Output<double>(kN * kCount);
    const auto device_vectors = Output<double>(kN * kN * kCount);
    Launch(kernel, {1}, {kCount}, 0, Buffer(in), device_values, device_vectors, 12);
    const std::vector<double> values = Read(device_values);
    const std::vector<double> vectors = Read(device_vectors);
    for (size_t i = 0; i < kCount; ++i) {
      const double* a = &in[i * kN * kN];
      const double* v = &vectors[i * kN * kN];
      for (size_t r = 0; r < kN; ++r) {
        for (size_t c = 0; c < kN; ++c) {
          double product = 0;  // the matrix times eigenvector c
          double dot = 0;      // eigenvector r times eigenvector c
          for (size_t k = 0; k < kN; ++k) {
            product += a[r * kN + k] * v[k * kN + c];
            dot += v[k * kN + r] * v[k * kN + c];
          }
          EXPECT_NEAR(product, values[i * kN + c] * v[r * kN + c], 1e-12) << i;
          EXPECT_NEAR(dot, r == c ? 1 : 0, 1e-12) << i;
        }
      }
    }
  }
};

TEST_F(SmallMatricesTest, Cholesky) {
  TestCholesky<float>("CholeskyIfLi4E", 4, 1e-5);
  TestCholesky<double>("CholeskyIdLi6E", 6, 1e-13);
  TestCholesky<float>("CholeskyIfLi10E", 10, 3e-5);
}

TEST_F(SmallMatricesTest, JacobiEigen) {
  TestJacobi<3>("JacobiEigenILi3E");
  TestJacobi<5>("JacobiEigenILi5E");
}

// In the order of the pivots, the rows are a lower triangle of factors of at most one and an upper triangle. Their
// product is the matrix in that order.
TEST_F(SmallMatricesTest, LuWarp) {
  constexpr size_t kN = 32;
  constexpr size_t kCount = 2;
  const std::vector<double> in = Random<double>(kN * kN * kCount, 1, -1, 1);
  const auto matrices = Buffer(in);
  const auto device_pivots = Output<int32_t>(kN * kCount);
  Launch("LuWarp", {kCount}, {32}, 0, matrices, device_pivots);
  const std::vector<double> out = Read(matrices);
  const std::vector<int32_t> pivots = Read(device_pivots);
  for (size_t i = 0; i < kCount; ++i) {
    std::vector<int32_t> order(pivots.begin() + i * kN, pivots.begin() + (i + 1) * kN);
    const auto row = [&](const std::vector<double>& from, size_t k) {
      return &from[(i * kN + static_cast<size_t>(order[k])) * kN];
    };
    for (size_t r = 0; r < kN; ++r) {
      for (size_t c = 0; c < kN; ++c) {
        EXPECT_TRUE(c >= r || std::abs(row(out, r)[c]) <= 1.0);
        double sum = r <= c ? row(out, r)[c] : 0;
        for (size_t k = 0; k < r && k <= c; ++k) sum += row(out, r)[k] * row(out, k)[c];
        EXPECT_NEAR(sum, row(in, r)[c], 1e-12) << i << ": " << r << ", " << c;
      }
    }
    std::sort(order.begin(), order.end());
    for (size_t k = 0; k < kN; ++k) EXPECT_EQ(order[k], static_cast<int32_t>(k));
  }
}

// R's transpose times R equals the matrix's transpose times the matrix.
TEST_F(SmallMatricesTest, Householder) {
  constexpr size_t kThreads = 32;
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{12, 8}, {6, 5}, {7, 1}}) {
    const std::vector<float> in = Random<float>(rows * columns * kThreads, 1, -1, 1);
    const auto r_out = Zeros<float>(columns * columns * kThreads);
    Launch("Householder", {1}, {kThreads}, 0, Buffer(in), r_out, static_cast<int32_t>(rows),
           static_cast<int32_t>(columns));
    const std::vector<float> r = Read(r_out);
    for (size_t i = 0; i < kThreads; ++i) {
      for (size_t a = 0; a < columns; ++a) {
        for (size_t b = 0; b < columns; ++b) {
          double expected = 0;
          double actual = 0;
          for (size_t k = 0; k < rows; ++k) {
            expected += double{in[(i * rows + k) * columns + a]} * in[(i * rows + k) * columns + b];
          }
          for (size_t k = 0; k < columns; ++k) {
            actual += double{r[(i * columns + k) * columns + a]} * r[(i * columns + k) * columns + b];
          }
          EXPECT_NEAR(actual, expected, 2e-5) << i << ": " << a << ", " << b;
        }
      }
    }
  }
}

TEST_F(SmallMatricesTest, Tridiagonal) {
  constexpr int kSize = 100;
  constexpr int kCount = 2;
  const std::vector<float> low = Random<float>(kSize * kCount, 1, -1, 1);
  const std::vector<float> middle = Random<float>(kSize * kCount, 2, 2.5, 4);
  const std::vector<float> high = Random<float>(kSize * kCount, 3, -1, 1);
  const std::vector<float> right = Random<float>(kSize * kCount, 4, -10, 10);
  const auto out = Output<float>(kSize * kCount);
  Launch("Tridiagonal", {kCount}, {kSize}, 0, Buffer(low), Buffer(middle), Buffer(high), Buffer(right), out);
  const std::vector<float> x = Read(out);
  for (int i = 0; i < kSize * kCount; ++i) {
    double sum = double{middle[i]} * x[i];
    if (i % kSize > 0) sum += double{low[i]} * x[i - 1];
    if (i % kSize < kSize - 1) sum += double{high[i]} * x[i + 1];
    EXPECT_NEAR(sum, right[i], 5e-5) << i;
  }
}

// ---- norms.

float FromHalf(uint16_t bits) { return static_cast<float>(HalfValue(bits)); }
uint16_t ToHalf(float v) { return HalfBits(v); }
float FromBFloat(uint16_t bits) { return static_cast<float>(BFloatValue(bits)); }
uint16_t ToBFloat(float v) { return BFloatBits(v); }
float FromFloat(float v) { return v; }
float ToFloat(float v) { return v; }

class NormsTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  NormsTest() : CorpusKernels(GetParam()) {}

  static constexpr int kRows = 3;
  static constexpr int kColumns = 150;

  template <typename T>
  static std::vector<T> Rows(T (*to)(float), size_t count, uint64_t seed) {
    std::vector<T> rows;
    for (const float v : Random<float>(count, seed, -6, 6)) rows.push_back(to(v));
    return rows;
  }
  template <typename T>
  static std::vector<float> Floats(float (*from)(T), const std::vector<T>& values) {
    std::vector<float> floats;
    for (const T v : values) floats.push_back(from(v));
    return floats;
  }

  template <typename T>
  void TestSoftmax(std::string_view kernel, T (*to)(float), float (*from)(T), double precision) {
    const std::vector<T> in = Rows(to, kRows * kColumns, 1);
    std::vector<float> expected;
    for (int row = 0; row < kRows; ++row) {
      double sum = 0;
      for (int i = 0; i < kColumns; ++i) sum += std::exp(double{from(in[row * kColumns + i])});
      for (int i = 0; i < kColumns; ++i) {
        expected.push_back(static_cast<float>(std::exp(double{from(in[row * kColumns + i])}) / sum));
      }
    }
    const auto out = Output<T>(in.size());
    Launch(kernel, {kRows}, {64}, 0, Buffer(in), out, kColumns);
    ExpectNearValues(Floats(from, Read(out)), expected, precision, precision / 1000);
  }

  template <typename T>
  void TestLayerNorm(std::string_view kernel, T (*to)(float), float (*from)(T), double precision) {
    const std::vector<T> in = Rows(to, kRows * kColumns, 1);
    const std::vector<float> gain = Random<float>(kColumns, 2, 0.5, 2);
    const std::vector<float> bias = Random<float>(kColumns, 3, -1, 1);
    std::vector<float> expected;
    for (int row = 0; row < kRows; ++row) {
      const T* values = &in[row * kColumns];
      double mean = 0;
      double variance = 0;
      for (int i = 0; i < kColumns; ++i) mean += from(values[i]) / double{kColumns};
      for (int i = 0; i < kColumns; ++i) variance += std::pow(from(values[i]) - mean, 2) / kColumns;
      for (int i = 0; i < kColumns; ++i) {
        expected.push_back(
            static_cast<float>((from(values[i]) - mean) / std::sqrt(variance + 1e-3) * gain[i] + bias[i]));
      }
    }
    const auto out = Output<T>(in.size());
    Launch(kernel, {kRows}, {96}, 0, Buffer(in), Buffer(gain), Buffer(bias), out, kColumns, 1e-3f);
    ExpectNearValues(Floats(from, Read(out)), expected, precision, precision);
  }
};
INSTANTIATE_TEST_SUITE_P(, NormsTest, ::testing::Values("norms", "norms.sm_90"),
                         [](const auto& info) { return info.index == 0 ? "Sm80" : "Sm90"; });

TEST_P(NormsTest, Softmax) {
  TestSoftmax<float>("SoftmaxIf", ToFloat, FromFloat, 5e-6);
  TestSoftmax<uint16_t>("SoftmaxI6__half", ToHalf, FromHalf, 0x1p-10);
  TestSoftmax<uint16_t>("SoftmaxI13__nv_bfloat16", ToBFloat, FromBFloat, 0x1p-7);
}

TEST_P(NormsTest, LayerNorm) {
  TestLayerNorm<float>("LayerNormIf", ToFloat, FromFloat, 5e-6);
  TestLayerNorm<uint16_t>("LayerNormI6__half", ToHalf, FromHalf, 0x1p-10);
}

TEST_P(NormsTest, RmsNormBf16) {
  constexpr int kEights = 37;
  constexpr int kWidth = 8 * kEights;
  const std::vector<uint16_t> in = Rows(ToBFloat, kRows * kWidth, 1);
  const std::vector<uint16_t> gain = Rows(ToBFloat, kWidth, 2);
  std::vector<float> expected;
  for (int row = 0; row < kRows; ++row) {
    double squares = 0;
    for (int i = 0; i < kWidth; ++i) squares += std::pow(FromBFloat(in[row * kWidth + i]), 2);
    const double scale = 1 / std::sqrt(squares / kWidth + 1e-3);
    for (int i = 0; i < kWidth; ++i) {
      expected.push_back(static_cast<float>(FromBFloat(in[row * kWidth + i]) * scale * FromBFloat(gain[i])));
    }
  }
  const auto out = Output<uint16_t>(in.size());
  Launch("RmsNormBf16", {kRows}, {32}, 0, Buffer(in), Buffer(gain), out, kEights, 1e-3f);
  // Three roundings to eight bits.
  ExpectNearValues(Floats(FromBFloat, Read(out)), expected, 3 * 0x1p-8);
}

TEST_P(NormsTest, Rotary) {
  constexpr int kTokens = 3;
  constexpr int kHeads = 2;
  constexpr int kHalf = 24;
  const std::vector<int32_t> positions = {0, 5, 77};
  const std::vector<uint16_t> in = Rows(ToHalf, 2 * kTokens * kHeads * kHalf, 1);
  std::vector<float> expected;
  for (int i = 0; i < kTokens * kHeads * kHalf; ++i) {
    const double angle = positions[i / (kHeads * kHalf)] * std::pow(10000.0, -(i % kHalf) / double{kHalf});
    const double x = FromHalf(in[2 * i]);
    const double y = FromHalf(in[2 * i + 1]);
    expected.push_back(static_cast<float>(x * std::cos(angle) - y * std::sin(angle)));
    expected.push_back(static_cast<float>(x * std::sin(angle) + y * std::cos(angle)));
  }
  const auto q = Buffer(in);
  Launch("Rotary", {kTokens}, {32}, 0, q, Buffer(positions), kHeads, kHalf, 10000.0f);
  ExpectNearValues(Floats(FromHalf, Read(q)), expected, 0x1p-10, 1e-4);
}

TEST_P(NormsTest, GeluAndGate) {
  constexpr int kCount = 100;
  const std::vector<float> in = Random<float>(2 * kCount, 1, -5, 5);
  std::vector<float> expected;
  for (int i = 0; i < kCount; ++i) {
    const double x = in[2 * i];
    const double gate = in[2 * i + 1];
    const double gelu = x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
    expected.push_back(static_cast<float>(gelu * gate / (1 + std::exp(-gate))));
  }
  const auto out = Output<float>(kCount);
  Launch("GeluAndGate", {2}, {64}, 0, Buffer(in), out, kCount);
  ExpectNear(out, expected, 5e-6, 2e-6);
}

TEST_P(NormsTest, CrossEntropyBackward) {
  const std::vector<float> in = Random<float>(kRows * kColumns, 1, -3, 3);
  const std::vector<int64_t> labels = {17, -100, 149};
  std::vector<float> lse;
  std::vector<float> expected;
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i) sum += std::exp(double{in[row * kColumns + i]});
    lse.push_back(static_cast<float>(std::log(sum)));
    for (int i = 0; i < kColumns; ++i) {
      const double p = std::exp(double{in[row * kColumns + i]}) / sum;
      expected.push_back(labels[row] == -100 ? 0 : static_cast<float>(0.25 * (p - (i == labels[row] ? 1 : 0))));
    }
  }
  const auto logits = Buffer(in);
  Launch("CrossEntropyBackward", {kRows}, {64}, 0, logits, Buffer(labels), Buffer(lse), 0.25f, kColumns, int64_t{-100});
  ExpectNear(logits, expected, 1e-5, 1e-7);
}

}  // namespace
}  // namespace ptxmir::ptx
