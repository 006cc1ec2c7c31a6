// SPDX-License-Identifier: Apache-2.0

// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): random
// numbers that are the same with every standard library, from a 64-bit state.

#ifndef PTXMIR_BASE_SPLIT_MIX64_H_
#define PTXMIR_BASE_SPLIT_MIX64_H_

#include <cstdint>

namespace ptxmir {

class SplitMix64 {
 public:
  // The increment of the state: the odd number nearest to 2^64 divided by the golden ratio.
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;

  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    state_ += kStep;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

 private:
  uint64_t state_;
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_SPLIT_MIX64_H_
