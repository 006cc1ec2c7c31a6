// SPDX-License-Identifier: Apache-2.0

// Large buffers in huge pages: touching fresh memory costs a page fault per page, which with 4 KiB pages is a
// good part of the time of reading or writing a big file.

#ifndef PTXMIR_BASE_HUGE_PAGES_H_
#define PTXMIR_BASE_HUGE_PAGES_H_

#include <cstddef>

namespace ptxmir {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Asks the system to back the whole huge pages within [begin, begin + bytes) by huge ones. A hint: nothing
// changes where the system has none.
void AdviseHugePages(void* begin, size_t bytes);

// Memory for `bytes` bytes, uninitialised, to be released with std::free. From kHugePageBytes on it is
// aligned to, and advised to be in, huge pages. Null when there is not enough memory.
void* AllocateLarge(size_t bytes, size_t alignment = 16);

}  // namespace ptxmir

#endif  // PTXMIR_BASE_HUGE_PAGES_H_
