// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/memory/shared_matrix.h"

namespace ptxmir::ptx {
namespace {

// Returns the width in bytes of a line in an atom.
unsigned WidthOf(SharedSwizzle swizzle) {
  switch (swizzle) {
    case SharedSwizzle::kNone:
      return 16;
    case SharedSwizzle::k32:
      return 32;
    case SharedSwizzle::k64:
      return 64;
    case SharedSwizzle::k128:
    case SharedSwizzle::k128Atom32:
      return 128;
  }
  return 16;
}

// Returns a field of the descriptor. Addresses and offsets are in units of 16 bytes.
uint32_t Field(uint64_t descriptor, unsigned shift) { return static_cast<uint32_t>(descriptor >> shift & 0x3fff) << 4; }

SharedMatrix DecodeCommon(uint64_t descriptor) {
  return {.start = Field(descriptor, 0),
          .leading = Field(descriptor, 16),
          .stride = Field(descriptor, 32),
          .base_offset = static_cast<uint32_t>(descriptor >> 49 & 7)};
}

}  // namespace

uint32_t SharedMatrix::Address(bool along_k, unsigned line, unsigned byte) const {
  const unsigned width = WidthOf(swizzle);
  const unsigned lines = swizzle == SharedSwizzle::k128Atom32 && !along_k ? 4 : 8;
  const bool plain = swizzle == SharedSwizzle::kNone;
  const uint32_t next_lines = plain && !along_k ? leading : stride;
  const uint32_t next_bytes = !plain && along_k ? width : plain && !along_k ? stride : leading;
  const uint32_t address =
      start + line / lines * next_lines + line % lines * width + byte / width * next_bytes + byte % width;
  const uint32_t phase = (address >> 7) - base_offset;
  switch (swizzle) {
    case SharedSwizzle::kNone:
      return address;
    case SharedSwizzle::k32:
      return address ^ (phase & 1) << 4;
    case SharedSwizzle::k64:
      return address ^ (phase & 3) << 4;
    case SharedSwizzle::k128:
      return address ^ (phase & 7) << 4;
    case SharedSwizzle::k128Atom32:
      return address ^ (phase & 3) << 5;
  }
  return address;
}

std::optional<SharedMatrix> DecodeTcgen05Descriptor(uint64_t descriptor) {
  SharedMatrix matrix = DecodeCommon(descriptor);
  if ((descriptor >> 52 & 1) != 0) return std::nullopt;
  switch (descriptor >> 61) {
    case 0:
      matrix.swizzle = SharedSwizzle::kNone;
      return matrix;
    case 1:
      matrix.swizzle = SharedSwizzle::k128Atom32;
      return matrix;
    case 2:
      matrix.swizzle = SharedSwizzle::k128;
      return matrix;
    case 4:
      matrix.swizzle = SharedSwizzle::k64;
      return matrix;
    case 6:
      matrix.swizzle = SharedSwizzle::k32;
      return matrix;
    default:
      return std::nullopt;
  }
}

std::optional<SharedMatrix> DecodeWgmmaDescriptor(uint64_t descriptor) {
  static constexpr SharedSwizzle kModes[] = {SharedSwizzle::kNone, SharedSwizzle::k128, SharedSwizzle::k64,
                                             SharedSwizzle::k32};
  SharedMatrix matrix = DecodeCommon(descriptor);
  matrix.swizzle = kModes[descriptor >> 62];
  return matrix;
}

}  // namespace ptxmir::ptx
