// SPDX-License-Identifier: Apache-2.0

// Compares the image filters and the transforms of blocks with their definitions, pixel by pixel in double.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

// Makes an image of smooth hills with some noise.
std::vector<uint8_t> Hills(int width, int height, int channels, uint64_t seed, double noise) {
  RandomNumbers random(seed);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double v = 128 + 90 * std::sin(0.31 * x + c) * std::cos(0.23 * y - 0.5 * c);
        pixels.push_back(static_cast<uint8_t>(std::clamp(v + random.Between(-noise, noise), 0.0, 255.0)));
      }
    }
  }
  return pixels;
}

// Expects each pixel to be its exact value, clamped and rounded. A value near a half may be rounded either way.
void ExpectRounded(const std::vector<uint8_t>& found, const std::vector<double>& exact, double slack) {
  ASSERT_EQ(found.size(), exact.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], std::clamp(exact[i], 0.0, 255.0), 0.5 + slack) << i;
}

// ---- image_filters.

class ImageFiltersTest : public CorpusKernels {
 protected:
  ImageFiltersTest() : CorpusKernels("image_filters") {}
};

TEST_F(ImageFiltersTest, Bilateral) {
  constexpr int kWidth = 21, kHeight = 13, kPitch = 24, kRadius = 3, kSide = 2 * kRadius + 1;
  constexpr float kFactor = -1.0f / (2 * 40 * 40);
  std::vector<float> spatial(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    const int dx = i % kSide - kRadius, dy = i / kSide - kRadius;
    spatial[i] = static_cast<float>(std::exp(-(dx * dx + dy * dy) / 8.0));
  }
  Write(Variable<float>("spatial", spatial.size()), spatial);
  const std::vector<uint8_t> in = Hills(kPitch, kHeight, 4, 1, 30);
  const auto out = Buffer(std::vector<uint8_t>(in.size(), 77));
  Launch("Bilateral", {2, 2}, {16, 8}, 0, Buffer(in), out, int{kWidth}, int{kHeight}, int{kPitch}, kFactor);
  std::vector<double> expected(in.size(), 77);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const uint8_t* center = &in[4 * (y * kPitch + x)];
      std::array<double, 3> sums{};
      double total = 0;
      for (int i = 0; i < kSide * kSide; ++i) {
        const int from_x = std::clamp(x + i % kSide - kRadius, 0, kWidth - 1);
        const int from_y = std::clamp(y + i / kSide - kRadius, 0, kHeight - 1);
        const uint8_t* p = &in[4 * (from_y * kPitch + from_x)];
        double distance = 0;
        for (int c = 0; c < 3; ++c) distance += (p[c] - center[c]) * (p[c] - center[c]);
        const double weight = spatial[i] * std::exp(distance * kFactor);
        total += weight;
        for (int c = 0; c < 3; ++c) sums[c] += weight * p[c];
      }
      for (int c = 0; c < 3; ++c) {
        expected[4 * (y * kPitch + x) + c] = sums[c] / total;
      }
      expected[4 * (y * kPitch + x) + 3] = center[3];
    }
  }
  ExpectRounded(Read(out), expected, 1e-3);
}

struct Gains {
  int red, green, blue;
};

TEST_F(ImageFiltersTest, Demosaic) {
  constexpr int kWidth = 39, kHeight = 19, kBlack = 60, kWhite = 1023;
  const Gains gains{410, 256, 333};
  const std::vector<uint16_t> raw = Random<uint16_t>(kWidth * kHeight, 2, 0, kWhite);
  const auto out = Output<uint16_t>(4 * kWidth * kHeight);
  Launch("Demosaic", {2, 2}, {16, 8}, 0, Buffer(raw), out, int{kWidth}, int{kHeight}, gains, int{kBlack}, int{kWhite});
  // The linear filters for each pair of a color and a place, in sixteenths.
  using Filter = std::array<int, 25>;
  constexpr Filter kSame = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  constexpr Filter kGreen = {0, 0, -2, 0, 0, 0, 0, 4, 0, 0, -2, 4, 8, 4, -2, 0, 0, 4, 0, 0, 0, 0, -2, 0, 0};
  constexpr Filter kRow = {0, 0, 1, 0, 0, 0, -2, 0, -2, 0, -2, 8, 10, 8, -2, 0, -2, 0, -2, 0, 0, 0, 1, 0, 0};
  constexpr Filter kColumn = {0, 0, -2, 0, 0, 0, -2, 8, -2, 0, 1, 0, 10, 0, 1, 0, -2, 8, -2, 0, 0, 0, -2, 0, 0};
  constexpr Filter kOpposite = {0, 0, -3, 0, 0, 0, 4, 0, 4, 0, -3, 0, 12, 0, -3, 0, 4, 0, 4, 0, 0, 0, -3, 0, 0};
  const auto mirror = [](int i, int count) { return i < 0 ? -i : i >= count ? 2 * count - 2 - i : i; };
  std::vector<uint16_t> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const auto apply = [&](const Filter& filter, int gain) {
        int sum = 0;
        for (int i = 0; i < 25; ++i) {
          const int from = mirror(y + i / 5 - 2, kHeight) * kWidth + mirror(x + i % 5 - 2, kWidth);
          sum += filter[i] * std::max(raw[from] - kBlack, 0);
        }
        const int level = std::max(sum + 8, 0) / 16;
        expected.push_back(static_cast<uint16_t>(std::min((level * gain + 128) / 256, int{kWhite})));
      };
      const bool odd_x = x % 2 != 0, odd_y = y % 2 != 0;
      apply(odd_y ? (odd_x ? kOpposite : kColumn) : (odd_x ? kRow : kSame), gains.red);
      apply(odd_x == odd_y ? kGreen : kSame, gains.green);
      apply(odd_y ? (odd_x ? kSame : kRow) : (odd_x ? kColumn : kOpposite), gains.blue);
      expected.push_back(kWhite);
    }
  }
  ExpectEqual(out, expected);
}

TEST_F(ImageFiltersTest, CannyEdges) {
  constexpr int kWidth = 37, kHeight = 19, kLow = 60, kHigh = 150;
  const std::vector<uint8_t> image = Hills(kWidth, kHeight, 1, 3, 12);
  const auto at = [&](int x, int y) {
    return int{image[std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1)]};
  };
  std::vector<int> gx(image.size()), gy(image.size());
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int i = -1; i <= 1; ++i) {
        const int weight = i == 0 ? 2 : 1;
        gx[y * kWidth + x] += weight * (at(x + 1, y + i) - at(x - 1, y + i));
        gy[y * kWidth + x] += weight * (at(x + i, y + 1) - at(x + i, y - 1));
      }
    }
  }
  const auto length = [&](int x, int y) {
    if (x < 0 || x >= kWidth || y < 0 || y >= kHeight) return 0;
    return std::abs(gx[y * kWidth + x]) + std::abs(gy[y * kWidth + x]);
  };
  std::vector<uint8_t> expected;
  std::array<int, 3> counts{};
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      // The sector of the gradient's line, in units of 45 degrees.
      const double angle = std::atan2(gy[y * kWidth + x], gx[y * kWidth + x]) / (std::numbers::pi / 4);
      const int sector = (static_cast<int>(std::lround(angle)) + 4) % 4;
      const int dx = sector == 2 ? 0 : sector == 3 ? -1 : 1;
      const int dy = sector == 0 ? 0 : 1;
      const int here = length(x, y);
      const bool top = here > length(x - dx, y - dy) && here >= length(x + dx, y + dy);
      expected.push_back(static_cast<uint8_t>(here <= kLow || !top ? 0 : here > kHigh ? 2 : 1));
      ++counts[expected.back()];
    }
  }
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 20);
  const auto marks = Output<uint8_t>(image.size());
  Launch("CannyEdges", {3, 3}, {16, 8}, 0, Buffer(image), int{kWidth}, int{kHeight}, int{kLow}, int{kHigh}, marks);
  ExpectEqual(marks, expected);
}

TEST_F(ImageFiltersTest, Hysteresis) {
  constexpr int kWidth = 27, kHeight = 14;
  std::vector<uint8_t> marks;
  for (int v : Random<int>(kWidth * kHeight, 4, 0, 99)) {
    marks.push_back(static_cast<uint8_t>(v < 55 ? 0 : v < 97 ? 1 : 2));
  }
  std::vector<uint8_t> expected = marks;
  std::vector<int> work;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    if (marks[i] == 2) work.push_back(i);
  }
  while (!work.empty()) {
    const int x = work.back() % kWidth, y = work.back() / kWidth;
    work.pop_back();
    for (int i = 0; i < 9; ++i) {
      const int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
      if (nx < 0 || nx >= kWidth || ny < 0 || ny >= kHeight || expected[ny * kWidth + nx] != 1) continue;
      expected[ny * kWidth + nx] = 2;
      work.push_back(ny * kWidth + nx);
    }
  }
  auto in = Buffer(marks);
  auto out = Output<uint8_t>(marks.size());
  int launches = 0;
  for (bool again = true; again && launches < 20; ++launches) {
    const auto changed = Buffer(std::vector<int>(1));
    Launch("Hysteresis", {2, 2}, {16, 8}, 0, in, out, int{kWidth}, int{kHeight}, changed);
    again = Read(changed)[0] != 0;
    std::swap(in, out);
  }
  EXPECT_GT(launches, 2);
  ExpectEqual(in, expected);
}

struct Float2 {
  float x, y;
};

TEST_F(ImageFiltersTest, Bicubic) {
  constexpr int kInWidth = 17, kInHeight = 11, kOutWidth = 45, kOutHeight = 9;
  constexpr float kA = -0.5f;
  const Float2 scale{17.0f / 45.0f, 11.0f / 9.0f};
  const std::vector<uint8_t> in = Hills(kInWidth, kInHeight, 4, 5, 20);
  const auto kernel = [](double x) {
    x = std::abs(x);
    if (x >= 2) return 0.0;
    return x < 1 ? (kA + 2) * x * x * x - (kA + 3) * x * x + 1 : kA * (x * x * x - 5 * x * x + 8 * x - 4);
  };
  std::vector<double> expected;
  for (int y = 0; y < kOutHeight; ++y) {
    for (int x = 0; x < kOutWidth; ++x) {
      const double sx = (x + 0.5) * scale.x - 0.5;
      const double sy = (y + 0.5) * scale.y - 0.5;
      std::array<double, 4> sums{};
      for (int fy = -3; fy < kInHeight + 3; ++fy) {
        for (int fx = -3; fx < kInWidth + 3; ++fx) {
          const int from = std::clamp(fy, 0, kInHeight - 1) * kInWidth + std::clamp(fx, 0, kInWidth - 1);
          for (int c = 0; c < 4; ++c) sums[c] += kernel(sx - fx) * kernel(sy - fy) * in[4 * from + c];
        }
      }
      expected.insert(expected.end(), sums.begin(), sums.end());
    }
  }
  const auto out = Output<uint8_t>(expected.size());
  Launch("Bicubic", {2, 3}, {16, 4}, 0, Buffer(in), int{kInWidth}, int{kInHeight}, out, int{kOutWidth}, int{kOutHeight},
         scale, kA);
  ExpectRounded(Read(out), expected, 1e-3);
}

// ---- block_transforms.

class BlockTransformsTest : public CorpusKernels {
 protected:
  BlockTransformsTest() : CorpusKernels("block_transforms") {}

  // Returns the value of base function k at place n.
  static double Base(int k, int n) {
    return (k == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * n + 1) * k * std::numbers::pi / 16);
  }
  // Returns the places of a block along the diagonals, each walked in the other direction than the last.
  static std::vector<int> Zigzag() {
    std::vector<int> places;
    for (int sum = 0; sum < 15; ++sum) {
      for (int i = 0; i <= sum; ++i) {
        const int y = sum % 2 == 0 ? sum - i : i;
        if (y < 8 && sum - y < 8) places.push_back(8 * y + sum - y);
      }
    }
    return places;
  }
};

TEST_F(BlockTransformsTest, DctQuantize) {
  constexpr int kWidth = 75, kHeight = 13, kAcross = 10, kDown = 2;
  const std::vector<uint8_t> image = Hills(kWidth, kHeight, 1, 6, 25);
  std::vector<float> reciprocals(64);
  for (int i = 0; i < 64; ++i) reciprocals[i] = 1.0f / static_cast<float>(3 + i % 8 + i / 8);
  Write(Variable<float>("reciprocals", 64), reciprocals);
  const auto levels = Output<int16_t>(64 * kAcross * kDown);
  Launch("DctQuantize", {2, kDown}, {64}, 0, Buffer(image), int{kWidth}, int{kHeight}, int{kAcross}, levels);
  const std::vector<int16_t> found = Read(levels);
  const std::vector<int> places = Zigzag();
  ASSERT_EQ(places.size(), 64u);
  for (int block = 0; block < kAcross * kDown; ++block) {
    for (int i = 0; i < 64; ++i) {
      const int u = places[i] % 8, v = places[i] / 8;
      double sum = 0;
      for (int n = 0; n < 64; ++n) {
        const int x = std::min(block % kAcross * 8 + n % 8, kWidth - 1);
        const int y = std::min(block / kAcross * 8 + n / 8, kHeight - 1);
        sum += Base(u, n % 8) * Base(v, n / 8) * (image[y * kWidth + x] - 128);
      }
      EXPECT_NEAR(found[block * 64 + i], sum * reciprocals[places[i]], 0.5001) << block << " " << i;
    }
  }
}

TEST_F(BlockTransformsTest, DctRestore) {
  constexpr int kPitch = 40, kHeight = 29, kAcross = 5, kBlocks = 20;
  RandomNumbers random(7);
  std::vector<int16_t> levels;
  std::vector<uint16_t> steps;
  for (int i = 0; i < 64; ++i) steps.push_back(static_cast<uint16_t>(4 + 2 * (i % 8 + i / 8)));
  for (int i = 0; i < 64 * kBlocks; ++i) {
    const int most = 60 / (1 + i % 8 + i / 8 % 8);
    levels.push_back(random.Between<int16_t>(static_cast<int16_t>(-most), static_cast<int16_t>(most)));
  }
  const auto image = Output<uint8_t>(kPitch * kHeight);
  Launch("DctRestore", {2}, {32}, 0, Buffer(levels), Buffer(steps), int{kAcross}, int{kBlocks}, image, int{kPitch},
         int{kHeight});
  std::vector<double> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kPitch; ++x) {
      const int16_t* block = &levels[64 * (y / 8 * kAcross + x / 8)];
      double sum = 128;
      for (int i = 0; i < 64; ++i) sum += Base(i % 8, x % 8) * Base(i / 8, y % 8) * block[i] * steps[i];
      expected.push_back(sum);
    }
  }
  ExpectRounded(Read(image), expected, 1e-3);
}

}  // namespace
}  // namespace ptxmir::ptx
