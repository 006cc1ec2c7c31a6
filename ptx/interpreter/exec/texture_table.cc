// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/exec/texture_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "ptx/interpreter/values/float_arithmetic.h"

namespace ptxmir::ptx {
namespace {

using Format = Device::TextureDesc::Format;
using AddressMode = Device::TextureDesc::Address;

constexpr float kWeightSteps = 256.0f;  // weights have eight fractional bits

uint32_t LoadComponent(const uint8_t* data, unsigned bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, data, bytes);
  return bits;
}

int32_t SignExtend(uint32_t bits, unsigned width) { return static_cast<int32_t>(bits << (32 - width)) >> (32 - width); }

// Rounds down. Clamps to values that are far beyond any texture and safe to convert.
int64_t FloorToInt(float value) {
  if (std::isnan(value)) return 0;
  constexpr float kFar = 1099511627776.0f;
  return static_cast<int64_t>(std::floor(std::clamp(value, -kFar, kFar)));
}

int64_t FloorMod(int64_t value, int64_t modulus) {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

// The face of a cube that a direction hits, and the point on it, with both coordinates from 0 to 1.
struct CubePoint {
  uint32_t face;
  float s;
  float t;
};
CubePoint ProjectOnCube(const std::array<float, 3>& direction) {
  const auto [x, y, z] = direction;
  const float ax = std::fabs(x);
  const float ay = std::fabs(y);
  const float az = std::fabs(z);
  CubePoint point{};
  float major = 1;
  if (az >= ax && az >= ay) {
    point = z >= 0 ? CubePoint{4, x, -y} : CubePoint{5, -x, -y};
    major = az;
  } else if (ay >= ax) {
    point = y >= 0 ? CubePoint{2, x, z} : CubePoint{3, x, -z};
    major = ay;
  } else {
    point = x >= 0 ? CubePoint{0, -z, -y} : CubePoint{1, z, -y};
    major = ax;
  }
  point.s = (point.s / major + 1) / 2;
  point.t = (point.t / major + 1) / 2;
  return point;
}

}  // namespace

unsigned NumCoordinates(TextureGeometry geometry) {
  switch (geometry) {
    case TextureGeometry::k1D:
    case TextureGeometry::k1DArray:
      return 1;
    case TextureGeometry::k2D:
    case TextureGeometry::k2DArray:
      return 2;
    case TextureGeometry::k3D:
    case TextureGeometry::kCube:
    case TextureGeometry::kCubeArray:
      return 3;
  }
  return 0;
}

bool IsArray(TextureGeometry geometry) {
  return geometry == TextureGeometry::k1DArray || geometry == TextureGeometry::k2DArray ||
         geometry == TextureGeometry::kCubeArray;
}

Texture::Texture(const Desc& desc, absl::Span<const uint8_t> texels)
    : desc_(desc), texels_(texels.begin(), texels.end()) {
  desc_.width = std::max(desc_.width, 1u);
  desc_.height = std::max(desc_.height, 1u);
  desc_.depth = std::max(desc_.depth, 1u);
  texels_.resize(size_t{RowBytes()} * desc_.height * desc_.depth);
}

// ---- Texels as values.

bool Texture::ReturnsFloats(bool float_result) const {
  return desc_.format == Format::kFloat || (desc_.read_normalized && float_result);
}

float Texture::ComponentAsFloat(const uint8_t* data) const {
  const unsigned bytes = desc_.component_bytes;
  const uint32_t bits = LoadComponent(data, bytes);
  if (desc_.format == Format::kFloat) {
    return bytes == 2 ? HalfToFloat(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
  }
  const unsigned width = bytes * 8;
  if (desc_.format == Format::kUnsigned) {
    return static_cast<float>(bits / (std::exp2(static_cast<double>(width)) - 1));
  }
  const double largest = std::exp2(static_cast<double>(width - 1)) - 1;
  return static_cast<float>(std::max(SignExtend(bits, width) / largest, -1.0));
}

uint32_t Texture::ComponentAsBits(const uint8_t* data, bool float_result) const {
  if (ReturnsFloats(float_result)) return std::bit_cast<uint32_t>(ComponentAsFloat(data));
  const uint32_t bits = LoadComponent(data, desc_.component_bytes);
  if (desc_.format == Format::kSigned) return static_cast<uint32_t>(SignExtend(bits, desc_.component_bytes * 8));
  return bits;
}

Texture::Sample Texture::TexelAt(int64_t x, int64_t y, int64_t z, bool float_result) const {
  Sample sample;
  if (x < 0 || y < 0 || z < 0) return sample;
  const size_t offset = OffsetOf({x * TexelBytes(), y, z});
  for (unsigned i = 0; i < desc_.components; ++i) {
    sample.components[i] = ComponentAsBits(&texels_[offset + i * desc_.component_bytes], float_result);
  }
  if (desc_.components < 4) sample.components[3] = ReturnsFloats(float_result) ? std::bit_cast<uint32_t>(1.0f) : 1;
  if (!undefined_.empty()) {
    const auto begin = undefined_.begin() + static_cast<ptrdiff_t>(offset);
    sample.undefined = std::any_of(begin, begin + TexelBytes(), [](uint8_t bits) { return bits != 0; });
  }
  return sample;
}

// ---- Addressing.

int64_t Texture::Address(int64_t index, uint32_t size) const {
  const int64_t last = int64_t{size} - 1;
  AddressMode mode = desc_.address;
  // By the guide, wrap and mirror exist only for normalized coordinates, and mean clamp otherwise.
  if (!desc_.normalized_coordinates && mode != AddressMode::kBorder) mode = AddressMode::kClamp;
  switch (mode) {
    case AddressMode::kClamp:
      return std::clamp<int64_t>(index, 0, last);
    case AddressMode::kWrap:
      return FloorMod(index, size);
    case AddressMode::kMirror: {
      const int64_t folded = FloorMod(index, 2 * int64_t{size});
      return folded > last ? 2 * last + 1 - folded : folded;
    }
    case AddressMode::kBorder:
      return index < 0 || index > last ? -1 : index;
  }
  return -1;
}

Texture::Taps Texture::TapsOf(float coordinate, uint32_t size, bool filter) const {
  if (desc_.normalized_coordinates) coordinate *= static_cast<float>(size);
  if (!filter) return {{Tap{Address(FloorToInt(coordinate), size), 1}, Tap{}}, 1};
  const float corner = coordinate - 0.5f;
  const int64_t index = FloorToInt(corner);
  float weight = corner - std::floor(corner);
  if (!std::isfinite(corner)) weight = 0;
  weight = std::nearbyint(weight * kWeightSteps) / kWeightSteps;
  return {{Tap{Address(index, size), 1 - weight}, Tap{Address(index + 1, size), weight}}, 2};
}

// Sums in the order z, y, x. Each product and sum is rounded to single precision.
Texture::Sample Texture::Filter(const std::array<Taps, 3>& taps, int64_t slice, bool float_result) const {
  if (taps[0].count == 1) {
    return TexelAt(taps[0].taps[0].index, taps[1].taps[0].index, slice >= 0 ? slice : taps[2].taps[0].index,
                   float_result);
  }
  Sample sum;
  for (int k = 0; k < taps[2].count; ++k) {
    for (int j = 0; j < taps[1].count; ++j) {
      for (int i = 0; i < taps[0].count; ++i) {
        const Tap& x = taps[0].taps[static_cast<size_t>(i)];
        const Tap& y = taps[1].taps[static_cast<size_t>(j)];
        const Tap& z = taps[2].taps[static_cast<size_t>(k)];
        const float weight = x.weight * y.weight * z.weight;
        if (weight == 0) continue;
        const Sample texel = TexelAt(x.index, y.index, slice >= 0 ? slice : z.index, float_result);
        sum.undefined |= texel.undefined;
        for (size_t c = 0; c < 4; ++c) {
          const float value = std::bit_cast<float>(texel.components[c]);
          sum.components[c] = std::bit_cast<uint32_t>(std::bit_cast<float>(sum.components[c]) + weight * value);
        }
      }
    }
  }
  return sum;
}

Texture::Sample Texture::Fetch(TextureGeometry geometry, uint32_t layer, const std::array<float, 3>& coordinates,
                               bool float_result) const {
  const bool filter = desc_.linear && ReturnsFloats(float_result);
  const Taps none = {{Tap{0, 1}, Tap{}}, 1};
  if (geometry == TextureGeometry::kCube || geometry == TextureGeometry::kCubeArray) {
    const CubePoint point = ProjectOnCube(coordinates);
    const uint32_t faces = IsArray(geometry) ? desc_.depth / 6 : 1;
    const uint32_t cube = std::min(IsArray(geometry) ? layer : 0, std::max(faces, 1u) - 1);
    const uint32_t slice = std::min(cube * 6 + point.face, desc_.depth - 1);
    // Directions are always normalized.
    Texture::Taps s = none;
    Texture::Taps t = none;
    const auto scale = [this](float value, uint32_t size) {
      return desc_.normalized_coordinates ? value : value * static_cast<float>(size);
    };
    s = TapsOf(scale(point.s, desc_.width), desc_.width, filter);
    t = TapsOf(scale(point.t, desc_.height), desc_.height, filter);
    return Filter({s, t, none}, slice, float_result);
  }
  const unsigned dimensions = NumCoordinates(geometry);
  const std::array<uint32_t, 3> sizes = {desc_.width, desc_.height, desc_.depth};
  std::array<Taps, 3> taps = {none, none, none};
  for (unsigned i = 0; i < dimensions; ++i) taps[i] = TapsOf(coordinates[i], sizes[i], filter);
  int64_t slice = dimensions == 3 ? -1 : 0;
  if (IsArray(geometry)) slice = std::min(layer, desc_.depth - 1);
  return Filter(taps, slice, float_result);
}

Texture::Sample Texture::FetchInteger(TextureGeometry geometry, uint32_t layer,
                                      const std::array<int32_t, 3>& coordinates, bool float_result) const {
  const std::array<uint32_t, 3> sizes = {desc_.width, desc_.height, desc_.depth};
  std::array<int64_t, 3> index = {0, 0, 0};
  for (unsigned i = 0; i < NumCoordinates(geometry); ++i) {
    index[i] = coordinates[i] < static_cast<int64_t>(sizes[i]) ? coordinates[i] : -1;
  }
  if (IsArray(geometry)) index[2] = std::min(layer, desc_.depth - 1);
  return TexelAt(index[0], index[1], index[2], float_result);
}

Texture::Sample Texture::Gather(unsigned component, const std::array<float, 3>& coordinates, bool float_result) const {
  const Taps x = TapsOf(coordinates[0], desc_.width, true);
  const Taps y = TapsOf(coordinates[1], desc_.height, true);
  static constexpr std::array<std::array<size_t, 2>, 4> kOrder = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  Sample result;
  for (size_t i = 0; i < 4; ++i) {
    const Sample texel = TexelAt(x.taps[kOrder[i][0]].index, y.taps[kOrder[i][1]].index, 0, float_result);
    result.components[i] = texel.components[component];
    result.undefined |= texel.undefined;
  }
  return result;
}

// ---- Surfaces.

size_t Texture::OffsetOf(const SurfacePosition& position) const {
  return (static_cast<size_t>(position.z) * desc_.height + static_cast<size_t>(position.y)) * RowBytes() +
         static_cast<size_t>(position.x);
}

bool Texture::Contains(const SurfacePosition& position, unsigned size) const {
  return position.x >= 0 && position.x + size <= RowBytes() && position.y >= 0 && position.y < desc_.height &&
         position.z >= 0 && position.z < desc_.depth;
}

Texture::SurfacePosition Texture::Clamp(const SurfacePosition& position, unsigned size) const {
  const int64_t last = std::max<int64_t>(int64_t{RowBytes()} - size, 0);
  return {std::clamp<int64_t>(position.x, 0, last), std::clamp<int64_t>(position.y, 0, int64_t{desc_.height} - 1),
          std::clamp<int64_t>(position.z, 0, int64_t{desc_.depth} - 1)};
}

void Texture::ReadBytes(const SurfacePosition& position, absl::Span<uint8_t> data,
                        absl::Span<uint8_t> undefined) const {
  const auto offset = static_cast<ptrdiff_t>(OffsetOf(position));
  std::copy_n(texels_.begin() + offset, data.size(), data.begin());
  if (undefined_.empty()) {
    std::fill(undefined.begin(), undefined.end(), uint8_t{0});
  } else {
    std::copy_n(undefined_.begin() + offset, undefined.size(), undefined.begin());
  }
}

void Texture::WriteBytes(const SurfacePosition& position, absl::Span<const uint8_t> data,
                         absl::Span<const uint8_t> undefined) {
  const auto offset = static_cast<ptrdiff_t>(OffsetOf(position));
  std::copy(data.begin(), data.end(), texels_.begin() + offset);
  const bool any = std::any_of(undefined.begin(), undefined.end(), [](uint8_t bits) { return bits != 0; });
  if (undefined_.empty() && any) undefined_.resize(texels_.size());
  if (!undefined_.empty()) std::copy(undefined.begin(), undefined.end(), undefined_.begin() + offset);
}

std::vector<uint8_t> Texture::EncodeTexel(absl::Span<const uint32_t> components) const {
  std::vector<uint8_t> texel(TexelBytes());
  const unsigned width = desc_.component_bytes * 8;
  for (size_t i = 0; i < std::min<size_t>(desc_.components, components.size()); ++i) {
    uint32_t bits = components[i];
    if (desc_.format == Format::kFloat) {
      if (width == 16) bits = FloatToHalf(std::bit_cast<float>(bits));
    } else if (width < 32) {
      const uint32_t largest = (1u << (desc_.format == Format::kSigned ? width - 1 : width)) - 1;
      if (desc_.format == Format::kUnsigned) {
        bits = std::min(bits, largest);
      } else {
        const auto limit = static_cast<int32_t>(largest);
        bits = static_cast<uint32_t>(std::clamp(static_cast<int32_t>(bits), -limit - 1, limit));
      }
    }
    std::memcpy(&texel[i * desc_.component_bytes], &bits, desc_.component_bytes);
  }
  return texel;
}

// ---- The table.

uint64_t TextureTable::Create(const Texture::Desc& desc, absl::Span<const uint8_t> texels) {
  uint64_t handle = kFirstHandle + textures_.size() * kHandleStride;
  while (!CreateAt(handle, desc, texels)) handle += kHandleStride;
  return handle;
}

bool TextureTable::CreateAt(uint64_t handle, const Texture::Desc& desc, absl::Span<const uint8_t> texels) {
  if (by_handle_.contains(handle)) return false;
  textures_.push_back(std::make_unique<Texture>(desc, texels));
  by_handle_.emplace(handle, textures_.back().get());
  return true;
}

const Texture* TextureTable::Find(uint64_t handle) const {
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() ? nullptr : found->second;
}

Texture* TextureTable::Find(uint64_t handle) { return const_cast<Texture*>(std::as_const(*this).Find(handle)); }

}  // namespace ptxmir::ptx
