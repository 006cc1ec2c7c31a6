// SPDX-License-Identifier: Apache-2.0

// Textures and surfaces of a device: arrays of texels, and how coordinates find them.
//
// After "Texture Fetching" in the CUDA C++ Programming Guide and tex, tld4, suld and sust in the PTX ISA. There is
// one mipmap level. Linear filtering uses weights of eight fractional bits, as the guide says. What it leaves open
// is decided thus: components that the texture lacks are 0, the fourth is 1; integer coordinates out of range give
// zeros; on the edges of a cube z goes before y before x.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_TEXTURE_TABLE_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_TEXTURE_TABLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ptx/interpreter/exec/device.h"

namespace ptxmir::ptx {

enum class TextureGeometry : uint8_t { k1D, k2D, k3D, k1DArray, k2DArray, kCube, kCubeArray };

// Numbers of coordinates, without the layer of arrays: 1, 2 or 3.
unsigned NumCoordinates(TextureGeometry geometry);
bool IsArray(TextureGeometry geometry);

class Texture {
 public:
  using Desc = Device::TextureDesc;

  // Missing texels are 0.
  Texture(const Desc& desc, absl::Span<const uint8_t> texels);

  const Desc& desc() const { return desc_; }
  absl::Span<const uint8_t> texels() const { return texels_; }
  // A byte for each byte of the texels, with a 1 for each undefined bit; empty: all are defined.
  absl::Span<const uint8_t> undefined() const { return undefined_; }
  uint32_t TexelBytes() const { return desc_.components * desc_.component_bytes; }
  uint32_t RowBytes() const { return desc_.width * TexelBytes(); }

  // Four components as 32-bit registers hold them.
  struct Sample {
    std::array<uint32_t, 4> components{};
    bool undefined = false;
  };
  // `float_result`: the instruction returns f32. Coordinates beyond those of the geometry are ignored; for cubes
  // they are a direction.
  Sample Fetch(TextureGeometry geometry, uint32_t layer, const std::array<float, 3>& coordinates,
               bool float_result) const;
  Sample FetchInteger(TextureGeometry geometry, uint32_t layer, const std::array<int32_t, 3>& coordinates,
                      bool float_result) const;
  // One component of the four texels that linear filtering in two dimensions would use: lower left, lower right,
  // upper right, upper left, where the second coordinate points down.
  Sample Gather(unsigned component, const std::array<float, 3>& coordinates, bool float_result) const;

  // Surfaces. `x` counts bytes; y, z and layer count rows and slices.
  struct SurfacePosition {
    int64_t x = 0;
    int64_t y = 0;
    int64_t z = 0;  // or layer
  };
  bool Contains(const SurfacePosition& position, unsigned size) const;
  // Where the position is among the texels' bytes.
  size_t OffsetOf(const SurfacePosition& position) const;
  // The position nearest to it at which `size` bytes fit.
  SurfacePosition Clamp(const SurfacePosition& position, unsigned size) const;
  // The range must be contained. `undefined` has a byte for each byte.
  void ReadBytes(const SurfacePosition& position, absl::Span<uint8_t> data, absl::Span<uint8_t> undefined) const;
  void WriteBytes(const SurfacePosition& position, absl::Span<const uint8_t> data, absl::Span<const uint8_t> undefined);
  // Converts components, 32-bit floats or integers as the format is, to a texel; as sust.p does.
  std::vector<uint8_t> EncodeTexel(absl::Span<const uint32_t> components) const;

 private:
  struct Tap {
    int64_t index;  // -1: border
    float weight;
  };
  struct Taps {
    std::array<Tap, 2> taps;
    int count = 0;
  };
  Taps TapsOf(float coordinate, uint32_t size, bool filter) const;
  int64_t Address(int64_t index, uint32_t size) const;
  float ComponentAsFloat(const uint8_t* data) const;
  uint32_t ComponentAsBits(const uint8_t* data, bool float_result) const;
  bool ReturnsFloats(bool float_result) const;
  // Adds a texel; outside (any coordinate -1) counts as zeros.
  Sample TexelAt(int64_t x, int64_t y, int64_t z, bool float_result) const;
  Sample Filter(const std::array<Taps, 3>& taps, int64_t slice, bool float_result) const;

  Desc desc_;
  std::vector<uint8_t> texels_;
  std::vector<uint8_t> undefined_;  // empty: all defined
};

class TextureTable {
 public:
  // The handles are no addresses: nothing is mapped there.
  static constexpr uint64_t kFirstHandle = (uint64_t{0x7600} << 32) + 16;
  static constexpr uint64_t kHandleStride = 16;

  uint64_t Create(const Texture::Desc& desc, absl::Span<const uint8_t> texels);
  // With a handle of the caller's choice. False, and no texture, where it is taken.
  bool CreateAt(uint64_t handle, const Texture::Desc& desc, absl::Span<const uint8_t> texels);
  // Null when there is none.
  Texture* Find(uint64_t handle);
  const Texture* Find(uint64_t handle) const;
  // In the order in which they were created.
  absl::Span<const std::unique_ptr<Texture>> textures() const { return textures_; }

 private:
  std::vector<std::unique_ptr<Texture>> textures_;
  absl::flat_hash_map<uint64_t, Texture*> by_handle_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_TEXTURE_TABLE_H_
