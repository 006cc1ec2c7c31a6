// SPDX-License-Identifier: Apache-2.0

// Copies lists into the memory of a module.

#ifndef PTXMIR_IR_COPY_TO_ARENA_H_
#define PTXMIR_IR_COPY_TO_ARENA_H_

#include <algorithm>
#include <memory_resource>

#include "absl/types/span.h"

namespace ptxmir {

template <typename T>
absl::Span<const T> CopyToArena(std::pmr::memory_resource* arena, absl::Span<const T> values) {
  if (values.empty()) return {};
  T* copy = static_cast<T*>(arena->allocate(values.size() * sizeof(T), alignof(T)));
  std::copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

}  // namespace ptxmir

#endif  // PTXMIR_IR_COPY_TO_ARENA_H_
