// SPDX-License-Identifier: Apache-2.0

// The random numbers of the generator. The same seed gives the same numbers everywhere, which
// std::uniform_int_distribution does not guarantee.

#ifndef PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_
#define PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/split_mix64.h"

namespace ptxmir::fuzz {

class FuzzRandom : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  // Returns a number in [0, bound), or 0 if `bound` is 0.
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }
  // Returns a number in [low, high].
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  bool Percent(unsigned percent) { return Below(100) < percent; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_
