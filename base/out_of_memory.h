// SPDX-License-Identifier: Apache-2.0

#ifndef PTXMIR_BASE_OUT_OF_MEMORY_H_
#define PTXMIR_BASE_OUT_OF_MEMORY_H_

#include <cstdlib>
#include <new>

namespace ptxmir {

// Reports, as operator new does, that there is no memory. Code that is compiled without exceptions ends the program.
[[noreturn]] inline void OutOfMemory() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_OUT_OF_MEMORY_H_
