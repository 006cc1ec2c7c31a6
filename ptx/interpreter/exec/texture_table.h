// SPDX-License-Identifier: Apache-2.0

// The textures and surfaces of a device: arrays of texels, and how coordinates are mapped to texels.
//
// Follows "Texture Fetching" in the CUDA C++ Programming Guide, and tex, tld4, suld and sust in the PTX ISA. There
// is one mipmap level. Linear filtering uses weights with eight fractional bits, as the guide says. Our choices
// where the guide is silent: components that the texture lacks are 0, but the fourth is 1; integer coordinates out
// of range read zeros; on the edges of a cube z takes precedence over y and y over x.

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

// Returns the number of coordinates, without the layer of arrays: 1, 2 or 3.
unsigned NumCoordinates(TextureGeometry geometry);
bool IsArray(TextureGeometry geometry);

class Texture {
 public:
  using Desc = Device::TextureDesc;

  // Missing texels are 0.
  Texture(const Desc& desc, absl::Span<const uint8_t> texels);

  const Desc& desc() const { return desc_; }
  absl::Span<const uint8_t> texels() const { return texels_; }
  // One byte for each byte of the texels, with a 1 for each undefined bit. Empty if all are defined.
  absl::Span<const uint8_t> undefined() const { return undefined_; }
  uint32_t TexelBytes() const { return desc_.components * desc_.component_bytes; }
  uint32_t RowBytes() const { return desc_.width * TexelBytes(); }

  // Four components, each as a 32-bit register holds it.
  struct Sample {
    std::array<uint32_t, 4> components{};
    bool undefined = false;
  };
  // Samples a texture. `float_result`: the instruction returns f32. Coordinates beyond those of the geometry are
  // ignored. For cubes the coordinates are a direction.
  Sample Fetch(TextureGeometry geometry, uint32_t layer, const std::array<float, 3>& coordinates,
               bool float_result) const;
  Sample FetchInteger(TextureGeometry geometry, uint32_t layer, const std::array<int32_t, 3>& coordinates,
                      bool float_result) const;
  // Returns one component of the four texels that linear filtering in two dimensions would use, in the order lower
  // left, lower right, upper right, upper left. The second coordinate points down.
  Sample Gather(unsigned component, const std::array<float, 3>& coordinates, bool float_result) const;

  // A position in a surface. `x` counts bytes; y, z and layer count rows and slices.
  struct SurfacePosition {
    int64_t x = 0;
    int64_t y = 0;
    int64_t z = 0;  // or layer
  };
  bool Contains(const SurfacePosition& position, unsigned size) const;
  // Returns the offset of the position in the texels' bytes.
  size_t OffsetOf(const SurfacePosition& position) const;
  // Returns the nearest position at which `size` bytes fit.
  SurfacePosition Clamp(const SurfacePosition& position, unsigned size) const;
  // Read or write a range, which the surface must contain. `undefined` has one byte for each byte of data.
  void ReadBytes(const SurfacePosition& position, absl::Span<uint8_t> data, absl::Span<uint8_t> undefined) const;
  void WriteBytes(const SurfacePosition& position, absl::Span<const uint8_t> data, absl::Span<const uint8_t> undefined);
  // Converts components (32-bit floats or integers, depending on the format) to a texel, as sust.p does.
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
  // Returns a texel. A texel outside (any coordinate is -1) is all zeros.
  Sample TexelAt(int64_t x, int64_t y, int64_t z, bool float_result) const;
  Sample Filter(const std::array<Taps, 3>& taps, int64_t slice, bool float_result) const;

  Desc desc_;
  std::vector<uint8_t> texels_;
  std::vector<uint8_t> undefined_;  // empty if all are defined
};

class TextureTable {
 public:
  // Handles are not addresses: nothing is mapped there.
  static constexpr uint64_t kFirstHandle = (uint64_t{0x7600} << 32) + 16;
  static constexpr uint64_t kHandleStride = 16;

  uint64_t Create(const Texture::Desc& desc, absl::Span<const uint8_t> texels);
  // Creates a texture with a handle of the caller's choice. If the handle is taken, creates nothing and returns
  // false.
  bool CreateAt(uint64_t handle, const Texture::Desc& desc, absl::Span<const uint8_t> texels);
  // Return the texture with this handle, or null if there is none.
  Texture* Find(uint64_t handle);
  const Texture* Find(uint64_t handle) const;
  // The textures in the order of their creation.
  absl::Span<const std::unique_ptr<Texture>> textures() const { return textures_; }

 private:
  std::vector<std::unique_ptr<Texture>> textures_;
  absl::flat_hash_map<uint64_t, Texture*> by_handle_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_TEXTURE_TABLE_H_
