// SPDX-License-Identifier: Apache-2.0

// LargeVector: a std::vector that puts its memory in huge pages once it is large. LargeArray: such memory without
// the vector. For a function of a million instructions, the page faults of an analysis's tables cost more than
// computing their contents.

#ifndef PTXMIR_BASE_LARGE_VECTOR_H_
#define PTXMIR_BASE_LARGE_VECTOR_H_

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/huge_pages.h"
#include "base/out_of_memory.h"

namespace ptxmir {

template <typename T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <typename U>
  LargeAllocator(const LargeAllocator<U>&) {}
  T* allocate(size_t count) {
    void* memory = AllocateLarge(count * sizeof(T));
    if (memory == nullptr) OutOfMemory();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { std::free(memory); }
  friend bool operator==(LargeAllocator, LargeAllocator) { return true; }
};

// A deleter for memory that is filled piece by piece, without a vector.
struct FreeDeleter {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using LargeArray = std::unique_ptr<T[], FreeDeleter>;

// Allocates an uninitialized array: for types that need no construction, or for callers that construct in place.
template <typename T>
LargeArray<T> AllocateLargeArray(size_t count) {
  return LargeArray<T>(LargeAllocator<T>().allocate(count));
}

template <typename T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace ptxmir

#endif  // PTXMIR_BASE_LARGE_VECTOR_H_
