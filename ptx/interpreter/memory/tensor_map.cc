// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/tensor_map.h"

#include <cstring>

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kMagic = 0x70614d726f736e54;

// Visits the fields in order.
template <typename Map, typename Visit>
void ForEachField(Map& map, const Visit& visit) {
  visit(&map.address, sizeof map.address);
  visit(&map.rank, sizeof map.rank);
  visit(&map.element_bytes, sizeof map.element_bytes);
  visit(&map.swizzle_bytes, sizeof map.swizzle_bytes);
  visit(&map.sizes, sizeof map.sizes);
  visit(&map.strides, sizeof map.strides);
  visit(&map.box, sizeof map.box);
  visit(&map.element_strides, sizeof map.element_strides);
}

bool IsValid(const TensorMap& map) {
  if (map.rank < 1 || map.rank > TensorMap::kMaxRank) return false;
  if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 && map.element_bytes != 8) {
    return false;
  }
  if (map.swizzle_bytes != 0 && map.swizzle_bytes != 32 && map.swizzle_bytes != 64 && map.swizzle_bytes != 128) {
    return false;
  }
  if (map.address % 16 != 0 || map.box[0] * map.element_bytes % 16 != 0) return false;
  if (map.swizzle_bytes != 0 && map.box[0] * map.element_bytes > map.swizzle_bytes) return false;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.sizes[i] == 0 || map.box[i] == 0 || map.box[i] > 256 || map.element_strides[i] == 0) return false;
    if (i > 0 && map.strides[i - 1] % 16 != 0) return false;
  }
  return true;
}

}  // namespace

TensorMap::Bytes TensorMap::Encode() const {
  Bytes bytes{};
  size_t at = 0;
  const auto put = [&](const void* field, size_t size) {
    std::memcpy(&bytes[at], field, size);
    at += size;
  };
  put(&kMagic, sizeof kMagic);
  ForEachField(*this, put);
  return bytes;
}

std::optional<TensorMap> TensorMap::Decode(const Bytes& bytes) {
  TensorMap map;
  uint64_t magic = 0;
  size_t at = 0;
  const auto get = [&](void* field, size_t size) {
    std::memcpy(field, &bytes[at], size);
    at += size;
  };
  get(&magic, sizeof magic);
  ForEachField(map, get);
  if (magic != kMagic || !IsValid(map)) return std::nullopt;
  return map;
}

uint32_t TensorMap::BoxElements() const {
  uint32_t count = 1;
  for (unsigned i = 0; i < rank; ++i) count *= box[i];
  return count;
}

std::optional<uint64_t> TensorMap::ElementAddress(const Coordinates& coordinates, uint32_t i) const {
  uint64_t at = address;
  for (unsigned dimension = 0; dimension < rank; ++dimension) {
    const int64_t in_box = int64_t{i % box[dimension]} * element_strides[dimension];
    const int64_t place = coordinates[dimension] + in_box;
    i /= box[dimension];
    if (place < 0 || place >= int64_t{sizes[dimension]}) return std::nullopt;
    at += static_cast<uint64_t>(place) * (dimension == 0 ? element_bytes : strides[dimension - 1]);
  }
  return at;
}

uint64_t TensorMap::SharedAddress(uint64_t begin, uint32_t i) const {
  const uint64_t at = begin + uint64_t{i} * element_bytes;
  return swizzle_bytes == 0 ? at : at ^ (at >> 7 & (swizzle_bytes / 16 - 1u)) << 4;
}

}  // namespace ptxmir::ptx
