// SPDX-License-Identifier: Apache-2.0

// Rounding up to a multiple.

#ifndef PTXMIR_BASE_ALIGN_H_
#define PTXMIR_BASE_ALIGN_H_

#include <cstdint>

namespace ptxmir {

// The least multiple of `alignment`, which is not 0, that is not below `value`.
constexpr uint64_t AlignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ALIGN_H_
