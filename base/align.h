// SPDX-License-Identifier: Apache-2.0

// Rounding up to a multiple of an alignment.

#ifndef PTXMIR_BASE_ALIGN_H_
#define PTXMIR_BASE_ALIGN_H_

#include <cstdint>

namespace ptxmir {

// Returns the smallest multiple of `alignment` that is at least `value`. `alignment` must not be 0.
constexpr uint64_t AlignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_ALIGN_H_
