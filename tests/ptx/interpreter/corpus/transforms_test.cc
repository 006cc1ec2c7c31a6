// SPDX-License-Identifier: Apache-2.0

// fft (also with flushed denormals) and fractals.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"
#include "tests/ptx/interpreter/corpus/small_floats.h"

namespace ptxmir::ptx {
namespace {

using Complex = std::complex<double>;

// Transforms by the definition.
std::vector<Complex> Transform(const std::vector<Complex>& in, double sign = -1) {
  const size_t n = in.size();
  std::vector<Complex> out(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      out[i] += in[j] * std::polar(1.0, sign * 2 * M_PI * static_cast<double>(i * j % n) / static_cast<double>(n));
    }
  }
  return out;
}

class FftTest : public CorpusKernels, public ::testing::WithParamInterface<const char*> {
 protected:
  FftTest() : CorpusKernels(GetParam()) {}

  static std::vector<Complex> Points(size_t count, uint64_t seed) {
    const std::vector<float> parts = Random<float>(2 * count, seed, -1.0f, 1.0f);
    std::vector<Complex> points;
    for (size_t i = 0; i < count; ++i) points.emplace_back(parts[2 * i], parts[2 * i + 1]);
    return points;
  }
  static std::vector<float> Flat(const std::vector<Complex>& points) {
    std::vector<float> out;
    for (const Complex& point : points) {
      out.push_back(static_cast<float>(point.real()));
      out.push_back(static_cast<float>(point.imag()));
    }
    return out;
  }
};

TEST_P(FftTest, Fft512) {
  std::vector<Complex> roots;
  for (int i = 0; i < 64; ++i) roots.push_back(std::polar(1.0, -2 * M_PI * i / 64));
  Write(Variable<float>("table", 128), Flat(roots));
  std::vector<float> in;
  std::vector<float> expected;
  for (uint64_t block = 0; block < 2; ++block) {
    const std::vector<Complex> points = Points(512, 1 + block);
    const std::vector<float> flat_in = Flat(points);
    // The two lower octal digits of a frequency's position are swapped, because the last pass does not sort them.
    const std::vector<Complex> frequencies = Transform(points);
    std::vector<Complex> placed;
    for (size_t i = 0; i < 512; ++i) placed.push_back(frequencies[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]);
    const std::vector<float> flat_out = Flat(placed);
    in.insert(in.end(), flat_in.begin(), flat_in.end());
    expected.insert(expected.end(), flat_out.begin(), flat_out.end());
  }
  const auto data = Buffer(in);
  Launch("Fft512", {2}, {64}, 0, data);
  ExpectNear(data, expected, 1e-5, 5e-5);
}

TEST_P(FftTest, Pass4) {
  // Four passes of radix 4 are a transform of 256 points.
  const std::vector<Complex> points = Points(256, 3);
  auto from = Buffer(Flat(points));
  auto to = Output<float>(512);
  for (int span = 1; span < 256; span *= 4) {
    Launch("Pass4", {3}, {32}, 0, from, to, 256, span);
    std::swap(from, to);
  }
  ExpectNear(from, Flat(Transform(points)), 1e-4, 1e-4);
}

TEST_P(FftTest, Convolve16) {
  const std::vector<float> filter = Random<float>(16, 4, -1.0f, 1.0f);
  std::vector<float> in;
  std::vector<float> expected;
  for (uint64_t thread = 0; thread < 32; ++thread) {
    const std::vector<Complex> points = Points(16, 5 + thread);
    std::vector<Complex> middle = Transform(points);
    for (size_t i = 0; i < 16; ++i) middle[i] *= filter[i] / 16;
    std::vector<Complex> out = Transform(middle, +1);
    for (Complex& value : out) value = std::conj(value);
    const std::vector<float> flat_in = Flat(points);
    const std::vector<float> flat_out = Flat(out);
    in.insert(in.end(), flat_in.begin(), flat_in.end());
    expected.insert(expected.end(), flat_out.begin(), flat_out.end());
  }
  const auto data = Buffer(in);
  Launch("Convolve16", {1}, {32}, 0, data, Buffer(filter));
  ExpectNear(data, expected, 1e-5, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Modes, FftTest, ::testing::Values("fft", "fft.ftz"),
                         [](const auto& info) { return std::string(info.param) == "fft" ? "Ieee" : "FlushToZero"; });

// ---- fractals. In x * x - y * y the compiler may round either product first, which matters at the edge of a
// fractal. A few points may therefore differ, unless the kernel spells out the arithmetic.

class FractalsTest : public CorpusKernels {
 protected:
  FractalsTest() : CorpusKernels("fractals") {}

  template <typename T>
  static void ExpectMostlyEqual(const std::vector<T>& actual, const std::vector<T>& expected, double share) {
    ASSERT_EQ(actual.size(), expected.size());
    size_t different = 0;
    for (size_t i = 0; i < actual.size(); ++i) different += actual[i] != expected[i] ? 1 : 0;
    EXPECT_LE(static_cast<double>(different), share * static_cast<double>(actual.size()));
  }

  using Pixel = std::array<uint8_t, 4>;
  static Pixel Palette(int steps, int limit) {
    if (steps == limit) return {0, 0, 0, 255};
    const float t = static_cast<float>(steps) / static_cast<float>(limit);
    const float u = 1 - t;
    return {static_cast<uint8_t>(9 * u * t * t * t * 255), static_cast<uint8_t>(15 * u * u * t * t * 255),
            static_cast<uint8_t>(8.5f * u * u * u * t * 255), 255};
  }
  static int EscapeSteps(Complex c, int limit) {
    Complex z = 0;
    int steps = 0;
    while (steps < limit && std::norm(z) < 4) {
      z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag() + c.imag()};
      ++steps;
    }
    return steps;
  }

  template <typename Real>
  void TestMandelbrot(std::string_view kernel) {
    constexpr int kWidth = 30, kHeight = 21, kLimit = 40;
    std::vector<Pixel> expected;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        expected.push_back(Palette(EscapeSteps({-2.1 + 0.1 * x, -1.05 + 0.1 * y}, kLimit), kLimit));
      }
    }
    const auto image = Output<Pixel>(expected.size());
    Launch(kernel, {4, 6}, {8, 4}, 0, image, int{kWidth}, int{kHeight}, static_cast<Real>(-2.1),
           static_cast<Real>(-1.05), static_cast<Real>(0.1), int{kLimit});
    ExpectMostlyEqual(Read(image), expected, 0.03);
  }
};

TEST_F(FractalsTest, MandelbrotFloat) { TestMandelbrot<float>("MandelbrotIfE"); }
TEST_F(FractalsTest, MandelbrotDouble) { TestMandelbrot<double>("MandelbrotIdE"); }

TEST_F(FractalsTest, DeepZoom) {
  // A point near the edge, at a scale that floats cannot resolve.
  constexpr int kWidth = 32, kHeight = 6, kLimit = 150;
  const double x0 = -0.743643887037151;
  const double y0 = 0.131825904205330;
  const float scale = 1e-8f;
  const auto twofold = [](double value) {
    const auto high = static_cast<float>(value);
    return std::array<float, 2>{high, static_cast<float>(value - high)};
  };
  std::vector<uint16_t> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      expected.push_back(static_cast<uint16_t>(EscapeSteps({x0 + x * scale, y0 + y * scale}, kLimit)));
    }
  }
  const auto counts = Output<uint16_t>(expected.size());
  Launch("DeepZoom", {1, kHeight}, {kWidth}, 0, counts, int{kWidth}, twofold(x0), twofold(y0), scale, int{kLimit});
  ExpectMostlyEqual(Read(counts), expected, 0.03);
}

TEST_F(FractalsTest, JuliaHalf) {
  constexpr int kWidth = 64, kHeight = 40, kLimit = 30;
  const double cx = HalfValue(HalfBits(-0.7));
  const double cy = HalfValue(HalfBits(0.27));
  const auto round = [](double value) { return HalfValue(HalfBits(value)); };
  std::vector<uint8_t> expected;
  for (int row = 0; row < kHeight; ++row) {
    for (int pair = 0; pair < kWidth / 2; ++pair) {
      double x[2];
      double y[2];
      int steps[2] = {0, 0};
      for (int i = 0; i < 2; ++i) {
        x[i] = round((2 * pair + i) * 0.01f - 1.5f);
        y[i] = round(static_cast<float>(row) * 0.01f - 1.0f);
      }
      for (int iteration = 0; iteration < kLimit; ++iteration) {
        bool any = false;
        for (int i = 0; i < 2; ++i) {
          const double yy = round(y[i] * y[i]);
          const bool inside = round(x[i] * x[i] + yy) < 4;
          any |= inside;
          steps[i] += inside ? 1 : 0;
          const double next = round(round(x[i] * x[i] - yy) + cx);
          y[i] = round(round(x[i] + x[i]) * y[i] + cy);
          x[i] = next;
        }
        if (!any) break;
      }
      for (int count : steps) expected.push_back(static_cast<uint8_t>(count));
    }
  }
  const auto image = Output<uint8_t>(expected.size());
  const std::array<uint16_t, 2> c = {HalfBits(cx), HalfBits(cy)};
  Launch("JuliaHalf", {1, kHeight}, {kWidth / 2}, 0, image, int{kWidth}, c, int{kLimit});
  ExpectMostlyEqual(Read(image), expected, 0.01);
}

TEST_F(FractalsTest, Newton) {
  constexpr int kWidth = 32;
  const double scale = 0.13;
  std::vector<uint8_t> expected;
  for (int row = 0; row < kWidth; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      Complex z((column - kWidth / 2) * scale, (row - kWidth / 2) * scale);
      int root = 3;
      for (int i = 0; i < 40 && root == 3; ++i) {
        if (z == 0.0) break;
        z -= (z * z * z - 1.0) / (3.0 * z * z);
        for (int candidate = 0; candidate < 3; ++candidate) {
          const Complex to = std::polar(1.0, candidate * 2 * M_PI / 3);
          if (std::abs(z.real() - to.real()) + std::abs(z.imag() - to.imag()) < 1e-9) root = candidate;
        }
      }
      expected.push_back(static_cast<uint8_t>(root));
    }
  }
  const auto roots = Output<uint8_t>(expected.size());
  Launch("Newton", {1, kWidth}, {kWidth}, 0, roots, int{kWidth}, scale);
  ExpectMostlyEqual(Read(roots), expected, 0.01);
}

TEST_F(FractalsTest, Buddhabrot) {
  constexpr int kWidth = 16, kLimit = 60;
  constexpr uint32_t kThreads = 128;
  std::vector<uint32_t> expected(kWidth * kWidth);
  double total = 0;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    uint32_t s = 99 + thread * 2654435761u;
    s = (s ^ s >> 16) * 0x85ebca6bu;
    const Complex c((s & 0xffff) * 3.0 / 65536 - 2.0, (s >> 16) * 3.0 / 65536 - 1.5);
    if (EscapeSteps(c, kLimit) == kLimit) continue;
    Complex z = 0;
    for (int i = 0; i < kLimit && std::norm(z) < 4; ++i) {
      z = z * z + c;
      const double u = std::nearbyint((z.real() + 2) * kWidth / 3);
      const double v = std::nearbyint((z.imag() + 1.5) * kWidth / 3);
      if (u < 0 || v < 0 || u >= kWidth || v >= kWidth) continue;
      ++expected[static_cast<size_t>(v) * kWidth + static_cast<size_t>(u)];
      ++total;
    }
  }
  const auto counts = Zeros<uint32_t>(expected.size());
  Launch("Buddhabrot", {2}, {kThreads / 2}, 0, counts, int{kWidth}, 99u, int{kLimit});
  const std::vector<uint32_t> actual = Read(counts);
  double distance = 0;
  for (size_t i = 0; i < actual.size(); ++i) distance += std::abs(double{1} * actual[i] - expected[i]);
  EXPECT_GT(total, 300);
  EXPECT_LE(distance, 0.03 * total);
}

}  // namespace
}  // namespace ptxmir::ptx
