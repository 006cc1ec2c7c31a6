// SPDX-License-Identifier: Apache-2.0

// The random numbers of the generator. The same seed gives the same numbers everywhere, which
// std::uniform_int_distribution does not guarantee.
//
// A fuzzer that is guided by coverage makes the decisions itself: they are read from its bytes, and are random again
// when those are used up. A decision among up to 256 takes one byte, so that a change of a byte changes one decision.

#ifndef PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_
#define PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/types/span.h"
#include "base/split_mix64.h"

namespace ptxmir::fuzz {

// Bytes that decide. Several sources of numbers may share them.
class FuzzBytes {
 public:
  explicit FuzzBytes(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  // Returns the number that the next `count` bytes are, or those that are left.
  uint64_t Take(size_t count) {
    uint64_t number = 0;
    for (; count > 0 && !bytes_.empty(); --count) {
      number = number << 8 | bytes_.front();
      bytes_.remove_prefix(1);
    }
    return number;
  }

 private:
  absl::Span<const uint8_t> bytes_;
};

class FuzzRandom {
 public:
  // `bytes` may be null.
  explicit FuzzRandom(uint64_t seed, FuzzBytes* bytes = nullptr) : random_(seed), bytes_(bytes) {}

  // Returns 64 bits.
  uint64_t Next() { return IsSteered() ? SplitMix64(bytes_->Take(2)).Next() : random_.Next(); }
  // Returns a number in [0, bound), or 0 if `bound` is 0.
  uint64_t Below(uint64_t bound) {
    if (bound == 0) return 0;
    return (IsSteered() && bound <= 1 << 16 ? bytes_->Take(bound <= 1 << 8 ? 1 : 2) : Next()) % bound;
  }
  // Returns a number in [low, high].
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  bool Percent(unsigned percent) { return Below(100) < percent; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }
  // Returns a source with numbers of its own and the same bytes.
  FuzzRandom Fork() { return FuzzRandom(Next(), bytes_); }

 private:
  bool IsSteered() const { return bytes_ != nullptr && !bytes_->is_empty(); }

  SplitMix64 random_;
  FuzzBytes* bytes_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_GENERATOR_FUZZ_RANDOM_H_
