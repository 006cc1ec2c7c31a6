// SPDX-License-Identifier: Apache-2.0

// Tensor maps: the tensors from and to which cp.async.bulk.tensor copies boxes. PTX ISA, "Tensors", "Tensor-map".
//
// The bytes of a tensor map are opaque to programs, and only the driver makes them (cuTensorMapEncodeTiled). Here
// Encode makes them from the driver's parameters. A GPU cannot use them.

#ifndef PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MAP_H_
#define PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MAP_H_

#include <array>
#include <cstdint>
#include <optional>

namespace ptxmir::ptx {

struct TensorMap {
  static constexpr unsigned kMaxRank = 5;
  using Bytes = std::array<uint8_t, 128>;

  uint64_t address = 0;  // the first element, in global memory
  uint8_t rank = 1;
  uint8_t element_bytes = 4;
  uint8_t swizzle_bytes = 0;  // 0, 32, 64 or 128
  // From the innermost dimension: the sizes in elements; the strides of the other dimensions in bytes; the elements
  // of a box; and the distance between those in elements.
  std::array<uint32_t, kMaxRank> sizes = {1, 1, 1, 1, 1};
  std::array<uint64_t, kMaxRank - 1> strides = {};
  std::array<uint16_t, kMaxRank> box = {1, 1, 1, 1, 1};
  std::array<uint8_t, kMaxRank> element_strides = {1, 1, 1, 1, 1};

  Bytes Encode() const;
  // Decodes a tensor map. Returns nullopt if the bytes are not a tensor map.
  static std::optional<TensorMap> Decode(const Bytes& bytes);

  uint32_t BoxElements() const;
  uint32_t BoxBytes() const { return BoxElements() * element_bytes; }

  using Coordinates = std::array<int32_t, kMaxRank>;
  // Returns the address of element `i` of the box (innermost dimension first) at the coordinates, or nullopt outside
  // the tensor, where elements read as zeros.
  std::optional<uint64_t> ElementAddress(const Coordinates& coordinates, uint32_t i) const;
  // Returns the element's address in shared memory, for a box that begins at `begin`.
  uint64_t SharedAddress(uint64_t begin, uint32_t i) const;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_MEMORY_TENSOR_MAP_H_
