// SPDX-License-Identifier: Apache-2.0

// Textures and surfaces: tex, tld4, txq, suld, sust, suq.
//
// PTX ISA, "Texture Instructions" and "Surface Instructions". texture_table.h computes the results. A handle is the
// value that Device::CreateTexture returned, or the address of a variable (a .texref, .samplerref or .surfref) that
// holds such a handle. Samplers of the independent mode are ignored, because the sampling mode belongs to the
// texture. Levels and gradients are ignored too, because there is only one level.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/code/decoded_function.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/exec/collective_groups.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/texture_table.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/semantics_table.h"

namespace ptxmir::ptx {
namespace {

// Returns the contents of a texture, surface or sampler variable, or 0 if there is none at the address.
uint64_t HandleInMemory(Warp& warp, const DecodedInstr& instr, uint64_t address, unsigned lane) {
  uint64_t handle = 0;
  const MemoryBlock* const block = warp.grid().program().global.Find(address);
  if (block == nullptr || address % sizeof handle != 0) return 0;
  if (address - block->address + sizeof handle > block->data.size()) return 0;
  std::array<uint8_t, sizeof handle> data{};
  std::array<uint8_t, sizeof handle> undefined{};
  if (!warp.Load(instr, MemorySpace::kGlobal, address, sizeof handle, lane, AccessKind::kStrong, data.data(),
                 undefined.data())) {
    return 0;
  }
  std::memcpy(&handle, data.data(), sizeof handle);
  return handle;
}

// Returns the texture that an operand names, or null after a fault.
Texture* FindTexture(Warp& warp, const DecodedInstr& instr, unsigned operand, unsigned lane) {
  uint64_t handle = 0;
  if (!warp.ReadAddress(instr, operand, lane, &handle)) return nullptr;
  if (Texture* const texture = warp.textures().Find(handle)) return texture;
  if (Texture* const texture = warp.textures().Find(HandleInMemory(warp, instr, handle, lane))) return texture;
  warp.Fail(instr, FaultKind::kNoTexture, lane,
            StrCat("0x", absl::StrCat(absl::Hex(handle)), " is no texture and holds none"));
  return nullptr;
}

// Reads `count` operands. Sets `undefined` if a bit of one of them is undefined.
template <size_t kSize>
std::array<uint32_t, kSize> ReadWords(const Warp& warp, const DecodedInstr& instr, unsigned first, unsigned count,
                                      unsigned lane, bool* undefined) {
  std::array<uint32_t, kSize> words{};
  for (unsigned i = 0; i < count; ++i) {
    const LaneValue value = warp.Read(instr, first + i, lane);
    words[i] = static_cast<uint32_t>(value.value);
    *undefined |= (value.undefined & 0xffffffffu) != 0;
  }
  return words;
}

// ---- Fetches.

// KernelParams of tex and tld4.
struct FetchParams {
  // a: TextureGeometry
  // b: flags
  enum : uint32_t { kIntegerCoordinates = 1, kFloatResult = 2, kGather = 4 };
  // c: first coordinate operand; d: component of tld4
};

Texture::Sample FetchLane(const Texture& texture, const DecodedInstr& instr, uint32_t layer,
                          const std::array<uint32_t, 3>& words) {
  const auto geometry = static_cast<TextureGeometry>(instr.params.a);
  const uint32_t flags = instr.params.b;
  const bool float_result = (flags & FetchParams::kFloatResult) != 0;
  if ((flags & FetchParams::kIntegerCoordinates) != 0) {
    return texture.FetchInteger(geometry, layer, std::bit_cast<std::array<int32_t, 3>>(words), float_result);
  }
  const auto coordinates = std::bit_cast<std::array<float, 3>>(words);
  if ((flags & FetchParams::kGather) != 0) return texture.Gather(instr.params.d, coordinates, float_result);
  return texture.Fetch(geometry, layer, coordinates, float_result);
}

bool RunFetchLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  const auto geometry = static_cast<TextureGeometry>(instr.params.a);
  const Texture* const texture = FindTexture(warp, instr, instr.num_results, lane);
  if (texture == nullptr) return false;
  bool undefined = false;
  unsigned operand = instr.params.c;
  uint32_t layer = 0;
  if (IsArray(geometry)) layer = ReadWords<1>(warp, instr, operand++, 1, lane, &undefined)[0];
  const auto words = ReadWords<3>(warp, instr, operand, NumCoordinates(geometry), lane, &undefined);
  const Texture::Sample sample = FetchLane(*texture, instr, layer, words);
  undefined |= sample.undefined;
  for (unsigned i = 0; i < instr.num_results; ++i) {
    warp.Write(instr, i, lane, {sample.components[i], undefined ? kAllBits : 0});
  }
  return true;
}

StepResult RunFetch(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) { return RunFetchLane(warp, instr, lane); });
}

// ---- Queries.

enum class Query : uint8_t {
  kWidth,
  kHeight,
  kDepth,
  kChannelDataType,
  kChannelOrder,
  kNormalizedCoordinates,
  kArraySize,
  kNumMipmapLevels,
  kNumSamples,
};

// Returns OpenCL's numbers, which PTX uses (cl.h: CL_R and so on; CL_SIGNED_INT8 and so on).
uint32_t ChannelOrder(const Texture::Desc& desc) {
  return desc.components == 1 ? 0x10b0 : desc.components == 2 ? 0x10b2 : 0x10b5;
}
uint32_t ChannelDataType(const Texture::Desc& desc) {
  using Format = Texture::Desc::Format;
  const uint32_t size = static_cast<uint32_t>(std::countr_zero(desc.component_bytes));
  if (desc.format == Format::kFloat) return desc.component_bytes == 2 ? 0x10dd : 0x10de;
  const bool is_signed = desc.format == Format::kSigned;
  if (desc.read_normalized) return (is_signed ? 0x10d0 : 0x10d2) + size;
  return (is_signed ? 0x10d7 : 0x10da) + size;
}

uint32_t Answer(Query query, const Texture::Desc& desc) {
  switch (query) {
    case Query::kWidth:
      return desc.width;
    case Query::kHeight:
      return desc.height;
    case Query::kDepth:
    case Query::kArraySize:
      return desc.depth;
    case Query::kChannelDataType:
      return ChannelDataType(desc);
    case Query::kChannelOrder:
      return ChannelOrder(desc);
    case Query::kNormalizedCoordinates:
      return desc.normalized_coordinates;
    case Query::kNumMipmapLevels:
    case Query::kNumSamples:
      return 1;
  }
  return 0;
}

StepResult RunTextureQuery(Warp& warp, const DecodedInstr& instr) {
  return ForEachActive(warp, [&](unsigned lane) {
    const Texture* const texture = FindTexture(warp, instr, 1, lane);
    if (texture == nullptr) return false;
    warp.Write(instr, 0, lane, {Answer(static_cast<Query>(instr.params.a), texture->desc()), 0});
    return true;
  });
}

// ---- Surfaces.

// KernelParams of suld and sust: a is the TextureGeometry, b the bytes of a component, c has these flags, d is the
// index of the first data operand of stores.
struct SurfaceFlag {
  enum : uint32_t { kClamp = 1, kZero = 2, kFormatted = 4, kStore = 8 };
};

// Reads the position of an access. Returns nullopt after a fault.
std::optional<Texture::SurfacePosition> ReadPosition(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  const auto geometry = static_cast<TextureGeometry>(instr.params.a);
  // The handle precedes the coordinates.
  const unsigned first = instr.num_results + 1u;
  const unsigned count = NumCoordinates(geometry) + (IsArray(geometry) ? 1 : 0);
  std::array<int64_t, 3> words{};
  for (unsigned i = 0; i < count; ++i) {
    uint64_t value = 0;
    if (!warp.ReadDefined(instr, first + i, lane, &value)) return std::nullopt;
    words[i] = static_cast<int32_t>(value);
  }
  if (IsArray(geometry)) return Texture::SurfacePosition{words[1], count == 3 ? words[2] : 0, words[0]};
  return Texture::SurfacePosition{words[0], words[1], words[2]};
}

enum class Place : uint8_t { kInside, kOutside, kFault };

// Finds the place of an access. Moves the position inside if the clamp mode says so.
Place FindPlace(Warp& warp, const DecodedInstr& instr, unsigned lane, const Texture& texture, unsigned size,
                Texture::SurfacePosition* position) {
  if (position->x % size != 0) {
    warp.Fail(instr, FaultKind::kMisaligned, lane,
              StrCat("byte ", position->x, " of a surface's row is not a multiple of ", size));
    return Place::kFault;
  }
  if (texture.Contains(*position, size)) return Place::kInside;
  if ((instr.params.c & SurfaceFlag::kZero) != 0) return Place::kOutside;
  if ((instr.params.c & SurfaceFlag::kClamp) != 0) {
    *position = texture.Clamp(*position, size);
    if (texture.Contains(*position, size)) return Place::kInside;
  }
  warp.Fail(
      instr, FaultKind::kOutOfBounds, lane,
      StrCat("byte ", position->x, ", row ", position->y, ", slice ", position->z, " of a surface of ",
             texture.RowBytes(), " bytes, ", texture.desc().height, " rows and ", texture.desc().depth, " slices"));
  return Place::kFault;
}

bool LoadSurface(Warp& warp, const DecodedInstr& instr, unsigned lane, const Texture& texture,
                 Texture::SurfacePosition position) {
  const unsigned bytes = instr.params.b;
  std::vector<uint8_t> data(bytes * instr.num_results);
  std::vector<uint8_t> undefined(data.size());
  const auto size = static_cast<unsigned>(data.size());
  switch (FindPlace(warp, instr, lane, texture, size, &position)) {
    case Place::kFault:
      return false;
    case Place::kOutside:
      break;
    case Place::kInside:
      if (!warp.CheckSurfaceRace(instr, texture, texture.OffsetOf(position), size, lane, nullptr, nullptr)) {
        return false;
      }
      texture.ReadBytes(position, absl::MakeSpan(data), absl::MakeSpan(undefined));
      break;
  }
  for (unsigned i = 0; i < instr.num_results; ++i) {
    LaneValue value;
    std::memcpy(&value.value, &data[i * bytes], bytes);
    std::memcpy(&value.undefined, &undefined[i * bytes], bytes);
    warp.Write(instr, i, lane, value);
  }
  return true;
}

// Stores the bytes at the position, or near it if the clamp mode says so.
bool StoreBytes(Warp& warp, const DecodedInstr& instr, unsigned lane, Texture* texture,
                Texture::SurfacePosition position, const std::vector<uint8_t>& data,
                const std::vector<uint8_t>& undefined) {
  const auto size = static_cast<unsigned>(data.size());
  const Place place = FindPlace(warp, instr, lane, *texture, size, &position);
  if (place != Place::kInside) return place == Place::kOutside;
  if (!warp.CheckSurfaceRace(instr, *texture, texture->OffsetOf(position), size, lane, data.data(), undefined.data())) {
    return false;
  }
  texture->WriteBytes(position, data, undefined);
  return true;
}

bool StoreRaw(Warp& warp, const DecodedInstr& instr, unsigned lane, Texture* texture,
              Texture::SurfacePosition position) {
  const unsigned bytes = instr.params.b;
  std::vector<uint8_t> data(bytes * (instr.num_operands - instr.params.d));
  std::vector<uint8_t> undefined(data.size());
  for (unsigned i = 0; instr.params.d + i < instr.num_operands; ++i) {
    const LaneValue value = warp.Read(instr, instr.params.d + i, lane);
    std::memcpy(&data[i * bytes], &value.value, bytes);
    std::memcpy(&undefined[i * bytes], &value.undefined, bytes);
  }
  return StoreBytes(warp, instr, lane, texture, position, data, undefined);
}

bool StoreFormatted(Warp& warp, const DecodedInstr& instr, unsigned lane, Texture* texture,
                    Texture::SurfacePosition position) {
  bool is_undefined = false;
  const unsigned count = std::min(4u, instr.num_operands - instr.params.d);
  const auto components = ReadWords<4>(warp, instr, instr.params.d, count, lane, &is_undefined);
  const std::vector<uint8_t> texel = texture->EncodeTexel(absl::MakeConstSpan(components).subspan(0, count));
  const std::vector<uint8_t> undefined(texel.size(), is_undefined ? 0xff : 0);
  position.x *= texture->TexelBytes();
  return StoreBytes(warp, instr, lane, texture, position, texel, undefined);
}

bool RunSurfaceLane(Warp& warp, const DecodedInstr& instr, unsigned lane) {
  const uint32_t flags = instr.params.c;
  Texture* const texture = FindTexture(warp, instr, instr.num_results, lane);
  if (texture == nullptr) return false;
  const std::optional<Texture::SurfacePosition> position = ReadPosition(warp, instr, lane);
  if (!position) return false;
  if ((flags & SurfaceFlag::kStore) == 0) return LoadSurface(warp, instr, lane, *texture, *position);
  return (flags & SurfaceFlag::kFormatted) != 0 ? StoreFormatted(warp, instr, lane, texture, *position)
                                                : StoreRaw(warp, instr, lane, texture, *position);
}

StepResult RunSurface(Warp& warp, const DecodedInstr& instr) {
  return warp.InWriteOrder([&](unsigned lane) { return RunSurfaceLane(warp, instr, lane); });
}

// ---- Resolvers.

std::optional<TextureGeometry> FindGeometry(const Mnemonic& mnemonic) {
  static constexpr std::pair<std::string_view, TextureGeometry> kNames[] = {
      {"1d", TextureGeometry::k1D},          {"2d", TextureGeometry::k2D},       {"3d", TextureGeometry::k3D},
      {"a1d", TextureGeometry::k1DArray},    {"a2d", TextureGeometry::k2DArray}, {"cube", TextureGeometry::kCube},
      {"acube", TextureGeometry::kCubeArray}};
  for (const auto& [name, geometry] : kNames) {
    if (mnemonic.Has(name)) return geometry;
  }
  return std::nullopt;
}

// Returns the number of operands with which a vector of coordinates is written. Three are padded to four.
unsigned NumWritten(unsigned coordinates) { return coordinates == 3 ? 4 : coordinates; }

bool ResolveFetch(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::optional<TextureGeometry> geometry = FindGeometry(mnemonic);
  const ScalarType result = ParseScalarType(mnemonic.Last(1));
  const ScalarType coordinate = ParseScalarType(mnemonic.Last());
  if (!geometry || !mnemonic.Has("v4") || result.bits != 32 || result.elements != 1 || coordinate.bits != 32) {
    return false;
  }
  const auto is_bracketed = [](const StatementOperand& operand) { return operand.in_bracket; };
  const auto& operands = statement.operands;
  const unsigned first = 4;  // the operands before are results
  const auto bracketed = static_cast<unsigned>(std::count_if(operands.begin(), operands.end(), is_bracketed));
  const unsigned coordinates = NumCoordinates(*geometry) + (IsArray(*geometry) ? 1 : 0);
  const unsigned written = NumWritten(coordinates);
  // The extra operands are a texture and, in the independent mode, a sampler.
  if (bracketed != written + 1 && bracketed != written + 2) return false;
  unsigned behind = 0;
  if (mnemonic.Has("level")) behind = 1;
  if (mnemonic.Has("grad")) behind = 2 * NumWritten(NumCoordinates(*geometry));
  // Offsets and depth comparison are not supported.
  if (operands.size() != first + bracketed + behind) return false;
  const bool integer = !coordinate.is_float();
  semantics->warp = &RunFetch;
  semantics->category = InstrCategory::kTexture;
  semantics->params.a = static_cast<uint32_t>(*geometry);
  semantics->params.b = (integer ? uint32_t{FetchParams::kIntegerCoordinates} : 0) |
                        (result.is_float() ? uint32_t{FetchParams::kFloatResult} : 0);
  semantics->params.c = first + bracketed - written;
  if (mnemonic.base() == "tld4") {
    const size_t component = std::string_view("rgba").find(mnemonic.parts().empty() ? "" : mnemonic.parts()[0]);
    if (component > 3 || *geometry != TextureGeometry::k2D || integer) return false;
    semantics->params.b |= FetchParams::kGather;
    semantics->params.d = static_cast<uint32_t>(component);
  }
  return true;
}

bool ResolveQuery(const Statement& statement, Semantics* semantics) {
  static constexpr std::pair<std::string_view, Query> kNames[] = {{"width", Query::kWidth},
                                                                  {"height", Query::kHeight},
                                                                  {"depth", Query::kDepth},
                                                                  {"channel_data_type", Query::kChannelDataType},
                                                                  {"channel_order", Query::kChannelOrder},
                                                                  {"normalized_coords", Query::kNormalizedCoordinates},
                                                                  {"array_size", Query::kArraySize},
                                                                  {"num_mipmap_levels", Query::kNumMipmapLevels},
                                                                  {"num_samples", Query::kNumSamples}};
  if (statement.operands.size() != 2) return false;
  for (const auto& [name, query] : kNames) {
    if (!statement.mnemonic.Has(name)) continue;
    semantics->warp = &RunTextureQuery;
    semantics->category = InstrCategory::kTexture;
    semantics->params.a = static_cast<uint32_t>(query);
    return true;
  }
  return false;
}

bool ResolveSurface(const Statement& statement, Semantics* semantics) {
  const Mnemonic& mnemonic = statement.mnemonic;
  const std::optional<TextureGeometry> geometry = FindGeometry(mnemonic);
  if (!geometry || mnemonic.parts().empty()) return false;
  const bool store = mnemonic.base() == "sust";
  const bool formatted = mnemonic.parts()[0] == "p";
  if (!formatted && mnemonic.parts()[0] != "b") return false;
  if (formatted && !store) return false;
  unsigned bits = 0;
  for (std::string_view part : mnemonic.parts()) {
    const ScalarType type = ParseScalarType(part);
    if (type.is_valid()) bits = type.bits;
  }
  if (bits < 8 || bits > 64) return false;
  const unsigned count = mnemonic.Has("v4") ? 4 : mnemonic.Has("v2") ? 2 : 1;
  const unsigned bracketed = 1 + NumWritten(NumCoordinates(*geometry) + (IsArray(*geometry) ? 1 : 0));
  if (statement.operands.size() != bracketed + count) return false;
  uint32_t flags = store ? uint32_t{SurfaceFlag::kStore} : 0;
  if (formatted) flags |= SurfaceFlag::kFormatted;
  if (mnemonic.Has("clamp")) flags |= SurfaceFlag::kClamp;
  if (mnemonic.Has("zero")) flags |= SurfaceFlag::kZero;
  semantics->warp = &RunSurface;
  semantics->category = InstrCategory::kTexture;
  semantics->params = {static_cast<uint32_t>(*geometry), bits / 8, flags, bracketed};
  return true;
}

}  // namespace

absl::Span<const ResolverEntry> TextureResolvers() {
  static constexpr ResolverEntry kEntries[] = {
      {"tex", &ResolveFetch}, {"tld4", &ResolveFetch},   {"txq", &ResolveQuery},
      {"suq", &ResolveQuery}, {"suld", &ResolveSurface}, {"sust", &ResolveSurface},
  };
  return kEntries;
}

}  // namespace ptxmir::ptx
