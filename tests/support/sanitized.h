// SPDX-License-Identifier: Apache-2.0

// How much a test does under sanitizers. These look for memory errors, not for wrong results, and everything is many
// times slower there, so a part of the cases is enough for them; the checked build runs all.

#ifndef PTXMIR_TESTS_SUPPORT_SANITIZED_H_
#define PTXMIR_TESTS_SUPPORT_SANITIZED_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxmir::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Returns the number of inputs that a test makes: `count`, or every `share`th of them under sanitizers.
constexpr uint64_t NumInputs(uint64_t count, uint64_t share = 5) {
  return kIsSanitized ? (count + share - 1) / share : count;
}

// Returns the distance of the cases that run, for tests that step through a list: 1, or `stride` under sanitizers.
constexpr uint64_t CaseStride(uint64_t stride = 5) { return kIsSanitized ? stride : 1; }

// Returns the cases of a list that run.
template <typename T>
std::vector<T> Sampled(std::vector<T> cases, size_t stride = CaseStride()) {
  size_t count = 0;
  for (size_t i = 0; i < cases.size(); i += stride, ++count) {
    if (count != i) cases[count] = std::move(cases[i]);
  }
  cases.resize(count);
  return cases;
}

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_SUPPORT_SANITIZED_H_
