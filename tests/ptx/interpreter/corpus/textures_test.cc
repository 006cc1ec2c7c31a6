// SPDX-License-Identifier: Apache-2.0

// Compares textures and surfaces with arrays.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

namespace ptxmir::ptx {
namespace {

using Desc = Device::TextureDesc;
using Texel = std::array<float, 4>;

// Texels of four floats by slice, row and column. They are point-sampled with coordinates from 0 to 1.
struct Image {
  int width = 1;
  int height = 1;
  int depth = 1;
  std::vector<Texel> texels;

  Image(int w, int h, int d, uint64_t seed) : width(w), height(h), depth(d) {
    const std::vector<float> values = Random<float>(static_cast<size_t>(4 * w * h * d), seed, 0, 1);
    for (size_t i = 0; i < values.size(); i += 4) {
      texels.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
    }
  }
  absl::Span<const uint8_t> bytes() const {
    return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(texels.data()), texels.size() * sizeof(Texel));
  }
  Desc desc(bool linear = false) const {
    Desc desc;
    desc.width = static_cast<uint32_t>(width);
    desc.height = static_cast<uint32_t>(height);
    desc.depth = static_cast<uint32_t>(depth);
    desc.normalized_coordinates = true;
    desc.linear = linear;
    return desc;
  }
  // Clamped to the edges.
  const Texel& At(int x, int y, int z = 0) const {
    const int row = std::clamp(z, 0, depth - 1) * height + std::clamp(y, 0, height - 1);
    return texels[static_cast<size_t>(row * width + std::clamp(x, 0, width - 1))];
  }
  const Texel& Point(double u, double v, int slice = 0) const {
    return At(static_cast<int>(std::floor(u * width)), static_cast<int>(std::floor(v * height)), slice);
  }
  Texel Linear(double u, double v) const {
    const double x = u * width - 0.5;
    const double y = v * height - 0.5;
    const int left = static_cast<int>(std::floor(x));
    const int top = static_cast<int>(std::floor(y));
    Texel texel;
    for (size_t i = 0; i < 4; ++i) {
      const double above = At(left, top)[i] * (1 - (x - left)) + At(left + 1, top)[i] * (x - left);
      const double below = At(left, top + 1)[i] * (1 - (x - left)) + At(left + 1, top + 1)[i] * (x - left);
      texel[i] = static_cast<float>(above * (1 - (y - top)) + below * (y - top));
    }
    return texel;
  }
  // Returns the four texels around a point: lower left, lower right, upper right, upper left.
  Texel Gather(double u, double v, size_t component) const {
    const int left = static_cast<int>(std::floor(u * width - 0.5));
    const int top = static_cast<int>(std::floor(v * height - 0.5));
    return {At(left, top + 1)[component], At(left + 1, top + 1)[component], At(left + 1, top)[component],
            At(left, top)[component]};
  }
};

class TexturesTest : public CorpusKernels {
 protected:
  TexturesTest() : CorpusKernels("textures") {}

  uint64_t Create(const Image& image, bool linear = false) { return CreateTexture(image.desc(linear), image.bytes()); }
};

TEST_F(TexturesTest, Bilinear) {
  constexpr int kWidth = 20;
  constexpr int kHeight = 10;
  const Image image(16, 8, 1, 1);
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double u = x / double{kWidth} - 0.5;
      const double v = y / double{kHeight} - 0.5;
      const double s = std::sin(0.3);
      const double c = std::cos(0.3);
      for (const float component : image.Linear(u * c - v * s + 0.5, u * s + v * c + 0.5))
        expected.push_back(component);
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Bilinear", {2, 2}, {16, 8}, 0, Create(image, /*linear=*/true), out, kWidth, kHeight, 0.3f);
  ExpectNear(out, expected, 0, 3.0 / 256);  // two weights of eight bits
}

TEST_F(TexturesTest, RayMarch) {
  constexpr int kSize = 8;
  const std::vector<float> random = Random<float>(kSize * kSize * kSize, 1, 0, 15.9);
  std::vector<float> densities;  // in the middle of a color
  for (const float v : random) densities.push_back((std::floor(v) + 0.5f) / 16);
  Desc desc;
  desc.width = desc.height = desc.depth = kSize;
  desc.components = 1;
  desc.normalized_coordinates = true;
  const uint64_t volume = CreateTexture(
      desc, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(densities.data()), densities.size() * 4));
  const Image colors(16, 1, 1, 2);
  std::vector<float> expected;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      std::array<double, 4> sum = {};
      for (int z = 0; z < kSize && sum[3] < 0.95; ++z) {
        const Texel& color = colors.Point(densities[static_cast<size_t>((z * kSize + y) * kSize + x)], 0);
        const double weight = (1 - sum[3]) * color[3];
        for (size_t i = 0; i < 3; ++i) sum[i] += weight * color[i];
        sum[3] += weight;
      }
      for (const double component : sum) expected.push_back(static_cast<float>(component));
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("RayMarch", {1, 1}, {kSize, kSize}, 0, volume, Create(colors), out, kSize, 1.0f / kSize);
  ExpectNear(out, expected, 1e-6, 1e-6);
}

TEST_F(TexturesTest, Mipmaps) {
  const Image image(16, 8, 1, 1);
  const Image layers(16, 16, 4, 2);
  const Image cube(16, 16, 6, 3);
  std::vector<float> expected;
  for (int i = 0; i < 32; ++i) {
    const double u = i / 64.0;
    // Direction (u, 1, -u): the face of +y, the third, where x points right and z down.
    const Texel parts[] = {image.Point(u, 0.25), image.Point(u, 0.75), layers.Point(u, u, i % 4),
                           cube.Point((u + 1) / 2, (-u + 1) / 2, 2), image.Gather(u, u, 2)};
    for (size_t component = 0; component < 4; ++component) {
      float sum = 0;
      for (const Texel& part : parts) sum += part[component];
      expected.push_back(sum);
    }
  }
  const auto out = Output<float>(expected.size());
  Launch("Mipmaps", {1}, {32}, 0, Create(image), Create(layers), Create(cube), out);
  ExpectNear(out, expected, 1e-6);
}

TEST_F(TexturesTest, Fetches) {
  constexpr int kWidth = 100;
  const std::vector<int32_t> line = Random<int32_t>(4 * kWidth, 1);
  Desc desc;
  desc.width = kWidth;
  desc.format = Desc::Format::kSigned;
  const uint64_t line_handle =
      CreateTexture(desc, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(line.data()), line.size() * 4));
  constexpr int kSize = 33;
  const std::vector<uint32_t> ints = Random<uint32_t>(2 * kSize * kSize, 2);
  desc.width = desc.height = kSize;
  desc.components = 2;
  desc.format = Desc::Format::kUnsigned;
  const uint64_t ints_handle =
      CreateTexture(desc, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(ints.data()), ints.size() * 4));
  std::vector<int32_t> expected;
  std::vector<uint32_t> expected2;
  std::vector<int16_t> expected3;
  for (int i = 0; i < 32; ++i) {
    expected.insert(expected.end(), &line[12 * i], &line[12 * i] + 4);
    expected2.insert(expected2.end(), &ints[2 * ((i + 1) * kSize + i)], &ints[2 * ((i + 1) * kSize + i)] + 2);
    expected3.push_back(static_cast<int16_t>(line[4 * i]));
  }
  const auto out = Output<int32_t>(expected.size());
  const auto out2 = Output<uint32_t>(expected2.size());
  const auto out3 = Output<int16_t>(expected3.size());
  Launch("Fetches", {1}, {32}, 0, line_handle, ints_handle, out, out2, out3);
  ExpectEqual(out, expected);
  ExpectEqual(out2, expected2);
  ExpectEqual(out3, expected3);
}

TEST_F(TexturesTest, SurfaceBlur) {
  constexpr int kWidth = 16;
  constexpr int kHeight = 8;
  const Image image(kWidth, kHeight, 1, 1);
  const uint64_t from = Create(image);
  const uint64_t to = Create(Image(kWidth, kHeight, 1, 2));
  Launch("SurfaceBlur", {1, 2}, {16, 4}, 0, from, to, kWidth, kHeight);
  std::vector<float> actual(4 * kWidth * kHeight);
  const std::vector<uint8_t> bytes = ReadTexture(to, actual.size() * 4);
  std::memcpy(actual.data(), bytes.data(), bytes.size());
  std::vector<float> expected;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (size_t component = 0; component < 4; ++component) {
        float sum = 0;
        for (int i = 0; i < 9; ++i) sum += image.At(x + i % 3 - 1, y + i / 3 - 1)[component];
        expected.push_back(sum / 9);
      }
    }
  }
  ExpectNearValues(actual, expected, 1e-6);
}

TEST_F(TexturesTest, SurfaceKinds) {
  constexpr int kWidth = 32;
  constexpr int kHeight = 4;
  constexpr int kDepth = 3;
  std::vector<uint8_t> line = Random<uint8_t>(4 * kWidth, 1);
  std::vector<uint8_t> cube = Random<uint8_t>(4 * kWidth * kHeight * kDepth, 2);
  std::vector<uint8_t> layers = Random<uint8_t>(4 * kWidth * kHeight * kDepth, 3);
  Desc desc;
  desc.width = kWidth;
  desc.component_bytes = 1;
  desc.format = Desc::Format::kUnsigned;
  const uint64_t line_handle = CreateTexture(desc, line);
  desc.height = kHeight;
  desc.depth = kDepth;
  desc.components = 2;
  desc.component_bytes = 2;
  const uint64_t cube_handle = CreateTexture(desc, cube);
  desc.components = 1;
  desc.component_bytes = 4;
  desc.format = Desc::Format::kSigned;
  const uint64_t layers_handle = CreateTexture(desc, layers);
  const auto at = [](int x, int y, int z) { return static_cast<size_t>(4 * ((z * kHeight + y) * kWidth + x)); };
  for (int x = 0; x < kWidth; ++x) {
    for (int i = 0; i < 2; ++i) {  // a byte 0xab becomes 0xabab
      cube[at(x, 1, 2) + 2 * i] = cube[at(x, 1, 2) + 2 * i + 1] = line[4 * x + i];
    }
    int32_t got;
    std::memcpy(&got, &cube[at(x, 2, 1)], 4);
    line[4 * x + 3] = static_cast<uint8_t>(got);
    got = static_cast<int32_t>(static_cast<uint32_t>(got) + static_cast<uint32_t>(x));
    std::memcpy(&layers[at(x, 3, 1)], &got, 4);
  }
  Launch("SurfaceKinds", {1}, {kWidth}, 0, line_handle, cube_handle, layers_handle);
  EXPECT_EQ(ReadTexture(line_handle, line.size()), line);
  EXPECT_EQ(ReadTexture(cube_handle, cube.size()), cube);
  EXPECT_EQ(ReadTexture(layers_handle, layers.size()), layers);
}

// ---- texture_intrinsics.

class TextureIntrinsicsTest : public CorpusKernels {
 protected:
  TextureIntrinsicsTest() : CorpusKernels("texture_intrinsics") {}
};

// One texture, read in every shape: its rows as lines, its slices as layers and as faces of a cube.
TEST_F(TextureIntrinsicsTest, Fetches) {
  const Image image(16, 16, 6, 1);
  const float u = 0.3f;
  const float v = 0.65f;
  std::vector<float> start = Random<float>(16, 2, -1, 1);
  const auto out = Buffer(start);
  for (int t = 0; t < 16; ++t) {
    // Direction (u, v, 1): the face of +z, the fifth, where x points right and y up.
    for (const Texel& texel : {image.At(t, 0), image.Point(u, 0.5), image.Point(u, v), image.Point(u, v, 2),
                               image.Point((u + 1) / 2, (-v + 1) / 2, 4), image.Gather(u, v, 1)}) {
      start[t] += texel[0] + texel[3];
    }
  }
  Launch("Fetches", {1}, {16}, 0, CreateTexture(image.desc(), image.bytes()), out, u, v);
  ExpectNear(out, start, 1e-6, 1e-6);
}

// A texture that the module declares: its variable holds the handle.
TEST_F(TextureIntrinsicsTest, IntegerFetches) {
  constexpr int kWidth = 16;
  constexpr int kHeight = 8;
  constexpr int kDepth = 4;
  const std::vector<uint32_t> texels = Random<uint32_t>(4 * kWidth * kHeight * kDepth, 1);
  Desc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.depth = kDepth;
  desc.format = Desc::Format::kSigned;
  desc.normalized_coordinates = true;
  const uint64_t handle =
      CreateTexture(desc, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(texels.data()), texels.size() * 4));
  Write(Variable<uint64_t>("image"), {handle});
  const float u = 0.6f;
  const float v = 0.3f;
  const auto at = [&](int z, size_t component) {
    const int x = static_cast<int>(u * kWidth);
    const int y = static_cast<int>(v * kHeight);
    return texels[4 * static_cast<size_t>((z * kHeight + y) * kWidth + x) + component];
  };
  const auto out = Output<uint32_t>(1);
  Launch("IntegerFetches", {1}, {1}, 0, out, u, v);
  ExpectEqual(out, {(at(0, 0) + at(static_cast<int>(u * kDepth), 1) + kWidth) * kHeight});
}

TEST_F(TextureIntrinsicsTest, Surfaces) {
  constexpr size_t kWidth = 16;
  constexpr size_t kHeight = 4;
  constexpr size_t kDepth = 4;
  std::vector<uint8_t> surface = Random<uint8_t>(4 * kWidth * kHeight * kDepth, 1);
  std::vector<uint8_t> plane = Random<uint8_t>(4 * kWidth * kHeight * kDepth, 2);
  Desc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.depth = kDepth;
  desc.components = 1;
  desc.format = Desc::Format::kUnsigned;
  const uint64_t surface_handle = CreateTexture(desc, surface);
  const uint64_t plane_handle = CreateTexture(desc, plane);
  Write(Variable<uint64_t>("plane"), {plane_handle});
  const auto row = [](std::vector<uint8_t>& of, size_t y, size_t z) { return &of[4 * (z * kHeight + y) * kWidth]; };
  const auto word = [](const uint8_t* from, auto value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  const uint8_t first = surface[0];
  const std::array<uint32_t, 4> quad = {word(row(surface, 0, 0), 0u), word(row(surface, 1, 0), 0u),
                                        word(row(surface, 1, 0) + 4, 0u), kWidth};
  const std::array<uint64_t, 2> pair = {word(row(surface, 0, 0), uint64_t{}), 7};
  const uint16_t mixed =
      static_cast<uint16_t>(word(row(plane, 1, 2), uint16_t{}) + word(row(plane, 1, 2) + 6, uint16_t{})) ^ first;
  std::memcpy(row(surface, 0, 0), quad.data(), sizeof quad);
  std::memcpy(row(plane, 0, 0), &mixed, sizeof mixed);
  std::memcpy(row(surface, 0, 1), pair.data(), sizeof pair);
  std::memcpy(row(surface, 0, 3), &quad[0], sizeof quad[0]);
  Launch("Surfaces", {1}, {1}, 0, surface_handle, Zeros<float>(1));
  EXPECT_EQ(ReadTexture(surface_handle, surface.size()), surface);
  EXPECT_EQ(ReadTexture(plane_handle, plane.size()), plane);
}

}  // namespace
}  // namespace ptxmir::ptx
