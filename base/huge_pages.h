// SPDX-License-Identifier: Apache-2.0

// Large buffers in huge pages. The first access to each page of fresh memory costs a page fault. With 4 KiB pages,
// these faults take a good part of the time to read or write a big file.

#ifndef PTXMIR_BASE_HUGE_PAGES_H_
#define PTXMIR_BASE_HUGE_PAGES_H_

#include <cstddef>
#include <string>

namespace ptxmir {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Asks the system to use huge pages for the whole huge pages within [begin, begin + bytes). This is a hint; it has
// no effect on systems without huge pages.
void AdviseHugePages(void* begin, size_t bytes);

// Returns the memory of the whole pages within [begin, begin + bytes) to the system. Their contents are lost, except
// for those of a mapped file, which the next access reads again.
void ReleasePages(void* begin, size_t bytes);

// Returns `bytes` bytes of uninitialized memory, or null if there is not enough. The caller releases it with
// std::free. From kHugePageBytes on, the memory is aligned to huge pages and advised to be in them.
void* AllocateLarge(size_t bytes, size_t alignment = 16);

// Makes room for a text of `bytes` bytes, in huge pages if it is large.
void ReserveLarge(size_t bytes, std::string* text);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_HUGE_PAGES_H_
