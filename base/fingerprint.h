// SPDX-License-Identifier: Apache-2.0

// Fingerprint: a 64-bit hash that is the same on every machine and in every run. It multiplies and folds, like wyhash
// and other fast hashes: every bit of a word affects every bit of the state.

#ifndef PTXMIR_BASE_FINGERPRINT_H_
#define PTXMIR_BASE_FINGERPRINT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptxmir {

class Fingerprint {
 public:
  void Add(uint64_t word) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(state_ ^ word) * 0x9e3779b97f4a7c15u + 0xd1b54a32d192ed03u;
    state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  void Add(uint32_t high, uint32_t low) { Add(uint64_t{high} << 32 | low); }
  void Add(std::string_view text) {
    Add(text.size());
    for (; !text.empty(); text.remove_prefix(std::min<size_t>(text.size(), 8))) {
      uint64_t word = 0;
      for (size_t i = 0; i < text.size() && i < 8; ++i) word = word << 8 | static_cast<unsigned char>(text[i]);
      Add(word);
    }
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x2545f4914f6cdd1du;
};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_FINGERPRINT_H_
