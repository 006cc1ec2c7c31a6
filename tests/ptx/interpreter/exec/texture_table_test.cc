// SPDX-License-Identifier: Apache-2.0

// Compares fetches and surface accesses with the formulas of the CUDA C++ Programming Guide, "Texture Fetching".

#include "ptx/interpreter/exec/texture_table.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ptxmir::ptx {
namespace {

using Desc = Texture::Desc;

template <typename T>
std::vector<uint8_t> Bytes(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Desc OneFloat(uint32_t width, uint32_t height = 1, uint32_t depth = 1) {
  Desc desc;
  desc.width = width;
  desc.height = height;
  desc.depth = depth;
  desc.components = 1;
  desc.component_bytes = 4;
  return desc;
}

float Fetch(const Texture& texture, TextureGeometry geometry, std::array<float, 3> at, uint32_t layer = 0) {
  return std::bit_cast<float>(texture.Fetch(geometry, layer, at, true).components[0]);
}

TEST(TextureTest, PointSamplingInThreeDimensions) {
  std::vector<float> texels(4 * 3 * 2);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  const Texture texture(OneFloat(4, 3, 2), Bytes(texels));
  EXPECT_EQ(Fetch(texture, TextureGeometry::k1D, {2.9f}), 2);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {1.5f, 2.0f}), 9);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k3D, {1.5f, 2.0f, 1.9f}), 21);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2DArray, {1.5f, 2.0f}, 1), 21);
  // Layers are clamped like coordinates.
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2DArray, {-7.0f, 200.0f}, 9), 20);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k1D, {1e30f}), 3);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k1D, {std::numeric_limits<float>::quiet_NaN()}), 0);
}

TEST(TextureTest, AddressModes) {
  Desc desc = OneFloat(4);
  desc.normalized_coordinates = true;
  const std::vector<uint8_t> texels = Bytes<float>({10, 20, 30, 40});
  const auto row = [&](Desc::Address address) {
    desc.address = address;
    const Texture texture(desc, texels);
    std::vector<float> values;
    for (int i = -5; i < 9; ++i) {
      values.push_back(Fetch(texture, TextureGeometry::k1D, {(static_cast<float>(i) + 0.5f) / 4}));
    }
    return values;
  };
  EXPECT_EQ(row(Desc::Address::kClamp), (std::vector<float>{10, 10, 10, 10, 10, 10, 20, 30, 40, 40, 40, 40, 40, 40}));
  EXPECT_EQ(row(Desc::Address::kWrap), (std::vector<float>{40, 10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40, 10}));
  EXPECT_EQ(row(Desc::Address::kMirror), (std::vector<float>{40, 40, 30, 20, 10, 10, 20, 30, 40, 40, 30, 20, 10, 10}));
  EXPECT_EQ(row(Desc::Address::kBorder), (std::vector<float>{0, 0, 0, 0, 0, 10, 20, 30, 40, 0, 0, 0, 0, 0}));
  // Without normalized coordinates, wrapping is the same as clamping.
  desc.normalized_coordinates = false;
  desc.address = Desc::Address::kWrap;
  EXPECT_EQ(Fetch(Texture(desc, texels), TextureGeometry::k1D, {5.0f}), 40);
}

TEST(TextureTest, LinearFiltering) {
  Desc desc = OneFloat(2, 2);
  desc.linear = true;
  const Texture texture(desc, Bytes<float>({0, 8, 16, 24}));
  // At centers there is nothing to mix.
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {1.5f, 0.5f}), 8);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {1.0f, 0.5f}), 4);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {1.0f, 1.0f}), 12);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {1.25f, 0.75f}), 10);
  // Weights have eight fractional bits.
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {0.5f + 1.0f / 1024, 0.5f}), 0);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {0.5f + 3.0f / 1024, 0.5f}), 8.0f / 256);
  EXPECT_EQ(Fetch(texture, TextureGeometry::k2D, {-3.0f, -3.0f}), 0);
}

TEST(TextureTest, Gather) {
  const Texture texture(OneFloat(3, 3), Bytes<float>({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  // Between texels 4, 5, 7 and 8: lower left first, counterclockwise.
  const auto sample = texture.Gather(0, {2.0f, 2.0f, 0}, true);
  const std::array<float, 4> expected = {7, 8, 5, 4};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(sample.components[i]), expected[i]) << i;
}

TEST(TextureTest, IntegerCoordinatesOutOfRangeGiveZeros) {
  const Texture texture(OneFloat(3), Bytes<float>({5, 6, 7}));
  const auto at = [&](int32_t x) {
    return std::bit_cast<float>(texture.FetchInteger(TextureGeometry::k1D, 0, {x, 0, 0}, true).components[0]);
  };
  EXPECT_EQ(at(2), 7);
  EXPECT_EQ(at(3), 0);
  EXPECT_EQ(at(-1), 0);
}

TEST(TextureTest, FacesOfACube) {
  std::vector<float> texels;
  for (int i = 0; i < 6 * 4; ++i) texels.push_back(static_cast<float>(i));
  Desc desc = OneFloat(2, 2, 6);
  desc.normalized_coordinates = true;
  const Texture texture(desc, Bytes(texels));
  const auto face = [&](std::array<float, 3> at) {
    return static_cast<int>(Fetch(texture, TextureGeometry::kCube, at)) / 4;
  };
  EXPECT_EQ(face({2, 1, 1}), 0);
  EXPECT_EQ(face({-2, 1, 1}), 1);
  EXPECT_EQ(face({1, 2, 1}), 2);
  EXPECT_EQ(face({1, -2, 1}), 3);
  EXPECT_EQ(face({1, 1, 2}), 4);
  EXPECT_EQ(face({1, 1, -2}), 5);
  // On +x, s is opposite to z and t opposite to y: a point with -z, -y is to the lower right.
  EXPECT_EQ(Fetch(texture, TextureGeometry::kCube, {1, -0.5f, -0.5f}), 3);
  EXPECT_EQ(Fetch(texture, TextureGeometry::kCube, {1, 0.5f, 0.5f}), 0);
}

TEST(TextureTest, FormatsAndMissingComponents) {
  Desc desc = OneFloat(2);
  desc.component_bytes = 1;
  desc.components = 2;
  desc.format = Desc::Format::kSigned;
  const std::vector<uint8_t> texels = {0x80, 0x7f, 0xff, 0x01};
  EXPECT_EQ(Texture(desc, texels).Fetch(TextureGeometry::k1D, 0, {0}, false).components,
            (std::array<uint32_t, 4>{0xffffff80u, 0x7f, 0, 1}));
  desc.read_normalized = true;
  const auto normalized = Texture(desc, texels).Fetch(TextureGeometry::k1D, 0, {0}, true).components;
  EXPECT_EQ(std::bit_cast<float>(normalized[0]), -1.0f);
  EXPECT_EQ(std::bit_cast<float>(normalized[1]), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(normalized[3]), 1.0f);
  desc.format = Desc::Format::kUnsigned;
  const auto unsigned_normalized = Texture(desc, texels).Fetch(TextureGeometry::k1D, 0, {1}, true).components;
  EXPECT_EQ(std::bit_cast<float>(unsigned_normalized[0]), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(unsigned_normalized[1]), 1.0f / 255);
  desc.components = 1;
  desc.component_bytes = 2;
  desc.format = Desc::Format::kFloat;
  EXPECT_EQ(Fetch(Texture(desc, {{0x00, 0x3c, 0x00, 0xc0}}), TextureGeometry::k1D, {1}), -2);
}

TEST(SurfaceTest, BytesAndRanges) {
  Desc desc = OneFloat(4, 2, 2);
  Texture surface(desc, {});
  const std::array<uint8_t, 4> data = {1, 2, 3, 4};
  const std::array<uint8_t, 4> undefined = {0, 0, 0xff, 0};
  EXPECT_TRUE(surface.Contains({12, 1, 1}, 4));
  EXPECT_FALSE(surface.Contains({13, 1, 1}, 4));
  EXPECT_FALSE(surface.Contains({12, 2, 1}, 4));
  EXPECT_FALSE(surface.Contains({12, 1, -1}, 4));
  const Texture::SurfacePosition clamped = surface.Clamp({100, -4, 7}, 4);
  EXPECT_EQ(clamped.x, 12);
  EXPECT_EQ(clamped.y, 0);
  EXPECT_EQ(clamped.z, 1);
  surface.WriteBytes({4, 1, 1}, data, undefined);
  EXPECT_EQ(surface.texels()[(1 * 2 + 1) * 16 + 4], 1);
  std::array<uint8_t, 4> read{};
  std::array<uint8_t, 4> read_undefined{};
  surface.ReadBytes({4, 1, 1}, absl::MakeSpan(read), absl::MakeSpan(read_undefined));
  EXPECT_EQ(read, data);
  EXPECT_EQ(read_undefined, undefined);
  EXPECT_TRUE(surface.Fetch(TextureGeometry::k3D, 0, {1, 1, 1}, true).undefined);
  EXPECT_FALSE(surface.Fetch(TextureGeometry::k3D, 0, {2, 1, 1}, true).undefined);
}

TEST(SurfaceTest, FormattedStoresClamp) {
  Desc desc = OneFloat(1);
  desc.component_bytes = 1;
  desc.components = 2;
  desc.format = Desc::Format::kSigned;
  const std::array<uint32_t, 2> values = {1000, static_cast<uint32_t>(-1000)};
  EXPECT_EQ(Texture(desc, {}).EncodeTexel(values), (std::vector<uint8_t>{0x7f, 0x80}));
  desc.format = Desc::Format::kUnsigned;
  EXPECT_EQ(Texture(desc, {}).EncodeTexel(values), (std::vector<uint8_t>{0xff, 0xff}));
  desc.component_bytes = 2;
  desc.format = Desc::Format::kFloat;
  const std::array<uint32_t, 2> floats = {std::bit_cast<uint32_t>(1.0f), std::bit_cast<uint32_t>(-2.0f)};
  EXPECT_EQ(Texture(desc, {}).EncodeTexel(floats), (std::vector<uint8_t>{0x00, 0x3c, 0x00, 0xc0}));
}

TEST(TextureTableTest, Handles) {
  TextureTable table;
  const uint64_t first = table.Create(OneFloat(1), {});
  const uint64_t second = table.Create(OneFloat(2), {});
  ASSERT_NE(first, second);
  EXPECT_EQ(table.Find(second)->desc().width, 2u);
  EXPECT_EQ(table.Find(first)->desc().width, 1u);
  EXPECT_EQ(table.Find(0), nullptr);
  EXPECT_EQ(table.Find(second + 1), nullptr);
  EXPECT_EQ(table.Find(second + TextureTable::kHandleStride), nullptr);
}

}  // namespace
}  // namespace ptxmir::ptx
