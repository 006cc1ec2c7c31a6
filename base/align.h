// SPDX-License-Identifier: Apache-2.0

// Rounding up to an alignment, and the alignment of what lies at an offset.

#ifndef PTXMIR_BASE_ALIGN_H_
#define PTXMIR_BASE_ALIGN_H_

#include <algorithm>
#include <cstdint>

namespace ptxmir {

// Returns the smallest multiple of `alignment` that is at least `value`. `alignment` must not be 0.
constexpr uint64_t AlignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Returns the alignment of the address this many bytes after an address with the alignment `align`, which is a power of
// two.
constexpr uint64_t AlignAt(uint64_t align, uint64_t offset) {
  return offset == 0 ? align : std::min(align, offset & (~offset + 1));
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ALIGN_H_
