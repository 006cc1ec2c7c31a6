// SPDX-License-Identifier: Apache-2.0

// Compares directed rounding with the host's own rounding modes, and checks that intervals contain the right
// values.

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// Returns the result of `operation` in a rounding mode. Operands and result are volatile objects, so that the
// operation stays between the changes of the mode. Volatile references to non-volatile objects are not enough: GCC
// then merges products of the same operands in two modes.
template <typename Result, typename Operation, typename T, typename... Same>
Result Rounded(int mode, Operation operation, T first, Same... rest) {
  const volatile T operands[] = {first, rest...};
  std::fesetround(mode);
  const volatile Result result = [&]<size_t... i>(std::index_sequence<i...>)->Result {
    return operation(T(operands[i])...);
  }
  (std::make_index_sequence<1 + sizeof...(rest)>());
  std::fesetround(FE_TONEAREST);
  return result;
}
template <typename T>
T Add(int mode, T a, T b) {
  return Rounded<T>(
      mode, [](T x, T y) { return x + y; }, a, b);
}
template <typename T>
T Multiply(int mode, T a, T b) {
  return Rounded<T>(
      mode, [](T x, T y) { return x * y; }, a, b);
}
template <typename T>
T Divide(int mode, T a, T b) {
  return Rounded<T>(
      mode, [](T x, T y) { return x / y; }, a, b);
}
template <typename T>
T Fma(int mode, T a, T b, T c) {
  return Rounded<T>(
      mode, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
}
template <typename T>
T SquareRoot(int mode, T a) {
  return Rounded<T>(
      mode, [](T x) { return std::sqrt(x); }, a);
}
template <typename To, typename From>
To Convert(int mode, From a) {
  return Rounded<To>(
      mode, [](From x) { return static_cast<To>(x); }, a);
}

constexpr int kDown = FE_DOWNWARD;
constexpr int kUp = FE_UPWARD;
constexpr int kZero = FE_TOWARDZERO;

template <typename T>
struct Interval {
  T low, high;

  Interval operator-(Interval b) const { return {Add(kDown, low, -b.high), Add(kUp, high, -b.low)}; }
  Interval operator+(Interval b) const { return {Add(kDown, low, b.low), Add(kUp, high, b.high)}; }
  Interval operator*(Interval b) const {
    Interval product = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()};
    for (const T x : {low, high}) {
      for (const T y : {b.low, b.high}) {
        product = {std::fmin(product.low, Multiply(kDown, x, y)), std::fmax(product.high, Multiply(kUp, x, y))};
      }
    }
    return product;
  }
  Interval operator/(Interval b) const {
    if (b.low <= 0 && b.high >= 0) return {-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity()};
    return *this * Interval{Divide(kDown, T{1}, b.high), Divide(kUp, T{1}, b.low)};
  }
};

// Newton's method for the cube root of two, and the sum of the root and its square root.
template <typename T>
Interval<T> Newton(Interval<T> x, int steps) {
  for (int step = 0; step < steps && x.high - x.low > T(1e-6); ++step) {
    const T m = T{0.5} * (x.low + x.high);
    const Interval<T> middle = {m, m};
    const Interval<T> next = middle - (middle * middle * middle - Interval<T>{2, 2}) / (Interval<T>{3, 3} * x * x);
    x = {std::max(x.low, next.low), std::min(x.high, next.high)};
    if (x.low > x.high) x = {0, 0};
  }
  return x + Interval<T>{SquareRoot(kDown, std::max(x.low, T{0})), SquareRoot(kUp, x.high)};
}

class IntervalsTest : public CorpusKernels {
 protected:
  IntervalsTest() : CorpusKernels("intervals") {}

  template <typename T>
  void TestNewton(std::string_view kernel, double precision) {
    constexpr size_t kThreads = 64;
    const std::vector<T> below = Random<T>(kThreads, 1, 0.5, 1.25);
    const std::vector<T> above = Random<T>(kThreads, 2, 1.26, 3);
    std::vector<T> starts;
    for (size_t i = 0; i < kThreads; ++i) {
      starts.push_back(below[i]);
      starts.push_back(i == 5 ? T(1.2) : above[i]);  // one that does not contain the root
    }
    starts[14] = -1;  // a slope that contains zero
    const auto out = Output<T>(2 * kThreads);
    Launch(kernel, {2}, {kThreads / 2}, 0, Buffer(starts), out, 30);
    std::vector<T> expected;
    for (size_t i = 0; i < kThreads; ++i) {
      const Interval<T> x = Newton(Interval<T>{starts[2 * i], starts[2 * i + 1]}, 30);
      expected.push_back(x.low);
      expected.push_back(x.high);
    }
    ExpectEqual(out, expected);
    const std::vector<T> actual = Read(out);
    const double root = std::cbrt(2.0) + std::sqrt(std::cbrt(2.0));
    for (size_t i = 0; i < kThreads; ++i) {
      if (i == 5 || i == 7) continue;
      EXPECT_LE(actual[2 * i], root) << i;
      EXPECT_GE(actual[2 * i + 1], root) << i;
      EXPECT_LE(actual[2 * i + 1] - actual[2 * i], precision) << i;
    }
  }
};

TEST_F(IntervalsTest, NewtonRootsOfFloats) { TestNewton<float>("NewtonRootsIf", 1e-5); }
TEST_F(IntervalsTest, NewtonRootsOfDoubles) { TestNewton<double>("NewtonRootsId", 1e-5); }

// Converts as the hardware does: an out-of-range value gives the nearest integer in range.
template <typename Integer>
Integer Saturated(double rounded) {
  if (rounded < static_cast<double>(std::numeric_limits<Integer>::min())) return std::numeric_limits<Integer>::min();
  if (rounded > static_cast<double>(std::numeric_limits<Integer>::max())) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(rounded);
}

TEST_F(IntervalsTest, Roundings) {
  constexpr size_t kThreads = 32;
  std::vector<float> a = Random<float>(kThreads + 1, 1, -1000, 1000);
  std::vector<double> b = Random<double>(kThreads + 1, 2, -1000, 1000);
  const std::vector<int32_t> n = Random<int32_t>(kThreads, 3);
  a[3] = 0x1p-130f, a[4] = 3e9f, a[9] = -3e9f;
  b[5] = 0x1p-140, b[6] = 5e9, b[8] = 1e39;
  std::vector<float> f(3 * kThreads);
  std::vector<double> d(2 * kThreads);
  std::vector<int32_t> expected_n;
  for (size_t i = 0; i < kThreads; ++i) {
    const float x = a[i];
    const float y = a[i + 1];
    f[i] = Fma(kDown, x, y, 1.0f) - Fma(kUp, x, y, 1.0f) + Fma(kZero, x, y, 2.0f);
    f[i + 32] = Divide(kDown, 1.0f, x) + Divide(kUp, 1.0f, y) + Add(kZero, x, -y) + Add(kZero, x, y);
    f[i + 64] = Convert<float>(kDown, b[i]) - Convert<float>(kUp, b[i]) + Convert<float>(kZero, b[i]) +
                Convert<float>(kZero, n[i]) + Convert<float>(kUp, static_cast<uint32_t>(n[i]));
    d[i] = Fma(kDown, b[i], b[i + 1], 1.0) - Fma(kUp, b[i], b[i + 1], 1.0) + Fma(kZero, b[i], b[i + 1], 2.0) +
           Divide(kDown, 1.0, b[i]);
    d[i + 32] = Add(kZero, b[i], -b[i + 1]) * Add(kZero, b[i], 3.0);
    const uint32_t sum = static_cast<uint32_t>(Saturated<int32_t>(std::floor(x))) +
                         static_cast<uint32_t>(Saturated<int32_t>(std::ceil(x))) + Saturated<uint32_t>(std::trunc(x)) +
                         static_cast<uint32_t>(Saturated<int32_t>(std::ceil(b[i]))) +
                         Saturated<uint32_t>(std::floor(b[i]));
    expected_n.push_back(static_cast<int32_t>(sum));
  }
  const auto out_f = Output<float>(f.size());
  const auto out_d = Output<double>(d.size());
  const auto in_out_n = Buffer(n);
  Launch("Roundings", {1}, {kThreads}, 0, Buffer(a), Buffer(b), out_f, out_d, in_out_n);
  ExpectEqual(out_f, f);
  ExpectEqual(out_d, d);
  ExpectEqual(in_out_n, expected_n);
}

TEST_F(IntervalsTest, ExactSum) {
  constexpr size_t kThreads = 32;
  constexpr size_t kCount = 500;
  // Large values cancel and leave small ones, which plain sums lose.
  std::vector<double> in = Random<double>(kCount, 1, -1, 1);
  for (size_t i = 0; i + 7 * kThreads < kCount; ++i) {
    if (i / kThreads % 2 == 0) {
      in[i] = 1e17 * (1 + static_cast<double>(i));
      in[i + 7 * kThreads] = -in[i];
    }
  }
  const auto out = Output<double>(kThreads);
  Launch("ExactSum", {1}, {kThreads}, 0, Buffer(in), static_cast<int32_t>(kCount), out);
  std::vector<double> expected;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    __float128 sum = 0;
    for (size_t i = thread; i < kCount; i += kThreads) sum += in[i];
    expected.push_back(static_cast<double>(sum));
  }
  ExpectNear(out, expected, 1e-14, 1e-14);
}

}  // namespace
}  // namespace ptxmir::ptx
