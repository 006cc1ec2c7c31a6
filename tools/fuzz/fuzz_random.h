// The random numbers of the generator: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014). The same seed gives the same numbers everywhere, which std::uniform_int_distribution does not
// promise.

#ifndef PTXMIR_TOOLS_FUZZ_FUZZ_RANDOM_H_
#define PTXMIR_TOOLS_FUZZ_FUZZ_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ptxmir::fuzz {

class FuzzRandom {
 public:
  explicit FuzzRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, bound); 0 if `bound` is 0.
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }
  // In [low, high].
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  bool Percent(unsigned percent) { return Below(100) < percent; }
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }

 private:
  uint64_t state_;
};

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_FUZZ_RANDOM_H_
