// SPDX-License-Identifier: Apache-2.0

// Compares double_math and fast_math with the C library. Tolerances are those of the functions: a few units in the
// last place for the device library, about 2^-20 for approximate instructions.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

constexpr size_t kThreads = 32;

// Inverts an increasing function by bisection.
template <typename Function>
double Inverse(const Function& function, double value, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (function(middle) < value ? low : high) = middle;
  }
  return low;
}
double InverseErf(double value) {
  return Inverse([](double x) { return std::erf(x); }, value, -6, 6);
}

class DoubleMathTest : public CorpusKernels {
 protected:
  DoubleMathTest() : CorpusKernels("double_math") {}
};

TEST_F(DoubleMathTest, Exponentials) {
  const std::vector<double> a = Random<double>(kThreads + 2, 1, 0.1, 4.0);
  std::vector<double> expected(64);
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = a[i];
    expected[i] = std::exp(x) + std::expm1(x) * std::log(x) - std::log1p(x) / std::exp2(x) + std::log10(x);
    expected[i + 32] = std::pow(x, a[i + 1]) + std::cbrt(x) + std::hypot(x, a[i + 2]);
  }
  const auto out = Output<double>(64);
  Launch("Exponentials", {1}, {kThreads}, 0, Buffer(a), out);
  ExpectNear(out, expected, 1e-14, 1e-14);
}

TEST_F(DoubleMathTest, Trigonometry) {
  // The large values take the slow path of the argument reduction.
  std::vector<double> a = Random<double>(kThreads, 2, -20.0, 20.0);
  a[3] = 1e9 + 0.3;
  a[4] = -3.7e15;
  a[5] = 1e100;
  std::vector<double> expected(96);
  for (size_t i = 0; i < kThreads; ++i) {
    const double s = std::sin(a[i]);
    const double c = std::cos(a[i]);
    expected[i] = s * std::tan(a[i]) - c;
    const double half_turns = std::sin(M_PI * std::fmod(a[i], 2.0));
    expected[i + 32] = std::asin(s) + std::acos(c) + std::atan2(s, a[i]) + half_turns;
    expected[i + 64] = std::sinh(s) + std::cosh(c) - std::tanh(a[i]) + std::asinh(c) + std::atanh(s);
  }
  const auto out = Output<double>(96);
  Launch("Trigonometry", {1}, {kThreads}, 0, Buffer(a), out);
  ExpectNear(out, expected, 1e-11, 1e-11);
}

TEST_F(DoubleMathTest, Special) {
  const std::vector<double> a = Random<double>(kThreads, 3, 0.02, 0.98);
  std::vector<double> expected(96);
  for (size_t i = 0; i < kThreads; ++i) {
    expected[i] = std::erf(a[i]) + std::erfc(a[i]) + InverseErf(a[i]) + 0.5 * std::erfc(-a[i] * M_SQRT1_2);
    expected[i + 32] = std::tgamma(a[i]) + std::lgamma(a[i]);
    expected[i + 64] = ::j0(a[i]) + ::y1(a[i]);
  }
  const auto out = Output<double>(96);
  Launch("Special", {1}, {kThreads}, 0, Buffer(a), out);
  ExpectNear(out, expected, 1e-13, 1e-13);
}

TEST_F(DoubleMathTest, Rounding) {
  std::vector<double> a = Random<double>(kThreads + 2, 4, -40.0, 40.0);
  a[0] = 2.5;
  a[1] = -2.5;
  a[2] = 3.0;
  a[3] = 1e-310;
  a[4] = -0x1.fffffffffffffp+30;
  std::vector<double> expected(128);
  std::vector<int32_t> expected_n;
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = a[i];
    int exponent;
    double whole;
    expected[i] = std::floor(x) + std::ceil(x) * std::trunc(x) - std::rint(x) + std::round(x);
    expected[i + 32] = std::frexp(x, &exponent) + std::modf(x, &whole) + std::ldexp(x, 3);
    expected_n.push_back(static_cast<int32_t>(exponent + std::ilogb(x) + std::llrint(x) + (std::signbit(x) ? 1 : 0)));
    expected[i + 64] = std::fmod(x, a[i + 1]) + std::remainder(x, a[i + 2]) + whole;
    expected[i + 96] = std::fmin(x, 1.0) + std::fmax(x, -1.0) + std::fdim(x, 2.0) + std::fabs(x) +
                       std::copysign(x, a[i + 1]) + std::nextafter(x, 10.0);
  }
  const auto out = Output<double>(128);
  const auto n = Output<int32_t>(kThreads);
  Launch("Rounding", {1}, {kThreads}, 0, Buffer(a), out, n);
  ExpectNear(out, expected, 1e-15, 1e-15);
  ExpectEqual(n, expected_n);
}

TEST_F(DoubleMathTest, Floats) {
  const std::vector<float> a = Random<float>(kThreads + 1, 5, 0.1f, 1.9f);
  const double norm = std::sqrt(double{a[0]} * a[0] + double{a[1]} * a[1] + double{a[2]} * a[2] + double{a[3]} * a[3]);
  std::vector<float> expected(128);
  for (size_t i = 0; i < kThreads; ++i) {
    const double x = a[i];
    const double y = a[i + 1];
    expected[i] = static_cast<float>(std::sin(x) + std::cos(x) * std::tan(x) + std::atan(x));
    expected[i + 32] = static_cast<float>(std::pow(x, y) + std::cbrt(x) + std::lgamma(x) + InverseErf(1 - x));
    expected[i + 64] = static_cast<float>(std::exp(x) / std::log(x) + std::log1p(x) + std::remainder(x, 3.0));
    expected[i + 96] = static_cast<float>(::j1(x) + std::tgamma(x) + 1 / std::hypot(x, y) + norm);
  }
  const auto out = Output<float>(128);
  Launch("Floats", {1}, {kThreads}, 0, Buffer(a), out);
  ExpectNear(out, expected, 2e-6, 2e-6);
}

// ---- fast_math.

class FastMathTest : public CorpusKernels {
 protected:
  FastMathTest() : CorpusKernels("fast_math") {}
};

TEST_F(FastMathTest, Divisions) {
  const std::vector<float> a = Random<float>(64, 1, 0.5f, 9.0f);
  const std::vector<float> b = Random<float>(64, 2, 0.5f, 9.0f);
  std::vector<float> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    expected.push_back(static_cast<float>(x / y + 1 / x + std::sqrt(y) * std::sqrt(x) + std::fmod(x, y) + x));
  }
  const auto out = Output<float>(64);
  Launch("Divisions", {2}, {32}, 0, Buffer(a), Buffer(b), out);
  ExpectNear(out, expected, 2e-6);
}

TEST_F(FastMathTest, Transcendental) {
  const std::vector<float> a = Random<float>(64, 3, 0.2f, 1.4f);
  std::vector<float> expected;
  for (double x : a) {
    expected.push_back(static_cast<float>(std::sin(x) * std::cos(x) + std::tan(x) - std::exp(x) * std::log(x) +
                                          std::pow(x, 2.5) + std::exp2(x) + std::log2(x) + std::log10(x) +
                                          std::tanh(x)));
  }
  const auto out = Output<float>(64);
  Launch("Transcendental", {2}, {32}, 0, Buffer(a), out);
  // tanh.approx is the coarsest: 2^-11.
  ExpectNear(out, expected, 1e-3, 1e-3);
}

TEST_F(FastMathTest, ToneMap) {
  constexpr int kCount = 50;
  constexpr double kKey = 1.3;
  std::vector<float> in = Random<float>(4 * kCount, 4, 0.0f, 2.0f);
  in[0] = in[1] = in[2] = 0.001f;
  const auto out = Output<std::array<uint8_t, 4>>(kCount);
  Launch("ToneMap", {2}, {32}, 0, Buffer(in), out, int{kCount}, static_cast<float>(kKey));
  const auto actual = Read(out);
  for (size_t i = 0; i < kCount; ++i) {
    const double luma = 0.2126 * in[4 * i] + 0.7152 * in[4 * i + 1] + 0.0722 * in[4 * i + 2];
    for (size_t channel = 0; channel < 3; ++channel) {
      const double v = std::clamp(in[4 * i + channel] * kKey / (1 + luma * kKey), 0.0, 1.0);
      const double curve = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
      EXPECT_NEAR(actual[i][channel], curve * 255, 0.501) << i;
    }
    EXPECT_EQ(actual[i][3], 255);
  }
}

TEST_F(FastMathTest, Bilateral) {
  constexpr int kWidth = 32, kHeight = 5;
  const std::vector<float> in = Random<float>(kWidth * kHeight, 5, 0.0f, 1.0f);
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      double sum = 0;
      double weights = 0;
      for (int tap = 0; tap < 25; ++tap) {
        const int dy = tap / 5 - 2;
        const int dx = tap % 5 - 2;
        const double v = in[std::clamp(y + dy, 0, kHeight - 1) * kWidth + std::clamp(x + dx, 0, kWidth - 1)];
        const double d = v - in[y * kWidth + x];
        const double weight = std::exp(-(dx * dx + dy * dy) / 3.0 - d * d / 0.25);
        sum += weight * v;
        weights += weight;
      }
      expected.push_back(static_cast<float>(sum / weights));
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Bilateral", {1, kHeight}, {kWidth}, 0, Buffer(in), out, int{kWidth}, int{kHeight}, 3.0f, 0.25f);
  ExpectNear(out, expected, 1e-5);
}

TEST_F(FastMathTest, Dot) {
  constexpr int kCount = 20;
  const std::vector<float> a = Random<float>(kCount * kThreads, 6, -1.0f, 1.0f);
  const std::vector<float> b = Random<float>(kCount * kThreads, 7, -1.0f, 1.0f);
  std::vector<float> expected;
  for (size_t t = 0; t < kThreads; ++t) {
    double sum = 0;
    for (size_t i = 0; i < kCount; ++i) sum += double{a[i * kThreads + t]} * b[i * kThreads + t];
    expected.push_back(static_cast<float>(sum + std::abs(sum)));
  }
  const auto out = Output<float>(kThreads);
  Launch("Dot", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out, int{kCount});
  ExpectNear(out, expected, 1e-5, 1e-6);
}

TEST_F(FastMathTest, Doubles) {
  const std::vector<double> a = Random<double>(kThreads + 3, 8, 0.5, 10.0);
  std::vector<double> expected;
  for (size_t i = 0; i < kThreads; ++i) {
    expected.push_back(a[i] / a[i + 1] + std::sqrt(a[i]) * a[i + 2] - a[i] * a[i + 3]);
  }
  const auto out = Output<double>(kThreads);
  Launch("Doubles", {1}, {kThreads}, 0, Buffer(a), out);
  ExpectNear(out, expected, 1e-14, 1e-13);
}

}  // namespace
}  // namespace ptxmir::ptx
