// SPDX-License-Identifier: Apache-2.0

#include "base/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace ptxmir {

void AdviseHugePages(void* begin, size_t bytes) {
  const uintptr_t mask = kHugePageBytes - 1;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + mask) & ~mask;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes) & ~mask;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void ReleasePages(void* begin, size_t bytes) {
  const uintptr_t mask = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + mask) & ~mask;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes) & ~mask;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void* AllocateLarge(size_t bytes, size_t alignment) {
  if (bytes >= kHugePageBytes) alignment = std::max(alignment, kHugePageBytes);
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory != nullptr) AdviseHugePages(memory, bytes);
  return memory;
}

void ReserveLarge(size_t bytes, std::string* text) {
  if (bytes <= text->capacity()) return;
  text->reserve(bytes);
  AdviseHugePages(text->data() + text->size(), text->capacity() - text->size());
}

}  // namespace ptxmir
