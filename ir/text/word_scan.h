// SPDX-License-Identifier: Apache-2.0

// Looks at 8 or 16 characters of a text at once. The functions that load characters read behind the token; the caller
// sees to it that kReadAhead characters may be read.

#ifndef PTXMIR_IR_TEXT_WORD_SCAN_H_
#define PTXMIR_IR_TEXT_WORD_SCAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ptxmir::ir {

inline constexpr ptrdiff_t kReadAhead = 32;

// Returns 8 characters; the first one is in the lowest byte.
inline uint64_t LoadChars(const char* p) {
  uint64_t chars;
  std::memcpy(&chars, p, sizeof(chars));
  if constexpr (std::endian::native == std::endian::big) chars = __builtin_bswap64(chars);
  return chars;
}

// Returns a text of at most 8 characters as LoadChars does, with zeros behind it.
constexpr uint64_t PackChars(std::string_view text) {
  uint64_t chars = 0;
  for (size_t i = 0; i < text.size(); ++i) chars |= static_cast<uint64_t>(static_cast<uint8_t>(text[i])) << (8 * i);
  return chars;
}

// A text as an argument of a template.
template <size_t kSize>
struct ShortText {
  consteval ShortText(const char (&text)[kSize]) : chars(PackChars({text, kSize - 1})) {}  // NOLINT
  uint64_t chars;
};

// Returns whether a text begins with a word of at most 8 characters: BeginsWith<"float">(p).
template <ShortText kWord>
inline bool BeginsWith(const char* p) {
  constexpr uint64_t kMask = ~uint64_t{0} >> std::countl_zero(kWord.chars) / 8 * 8;
  return (LoadChars(p) & kMask) == kWord.chars;
}

// Returns how many of the characters are digits, before the first other one.
[[gnu::always_inline]] inline unsigned CountDigits(uint64_t chars) {
  // Carries only reach characters behind the first that is no digit.
  const uint64_t values = chars ^ 0x3030303030303030;
  const uint64_t others = ((values + 0x7676767676767676) | values) & 0x8080808080808080;
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

// Returns the number that the first `count` characters spell, which are digits. `count` is 1 to 8.
[[gnu::always_inline]] inline uint32_t ParseDigits(uint64_t chars, unsigned count) {
  uint64_t values = (chars ^ 0x3030303030303030) << (64 - 8 * count);
  values = values * 10 + (values >> 8);  // pairs
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  return static_cast<uint32_t>(
      ((values & kPairs) * 0x000f424000000064 + (values >> 16 & kPairs) * 0x0000271000000001) >> 32);
}

// Parses 8 hexadecimal digits. Returns false if there are other characters.
inline bool ParseHexDigits(uint64_t chars, uint32_t* value) {
  constexpr uint64_t kTop = 0x8080808080808080;
  // Additions set the top bit of each byte that is at least the bound. None carries if all characters are ASCII.
  const uint64_t lower = chars | 0x2020202020202020;
  const uint64_t digits = (chars + 0x5050505050505050) & ~(chars + 0x4646464646464646);
  const uint64_t letters = (lower + 0x1f1f1f1f1f1f1f1f) & ~(lower + 0x1919191919191919);
  if ((chars & kTop) != 0 || ((digits | letters) & kTop) != kTop) return false;
  uint64_t values = (chars & 0x0f0f0f0f0f0f0f0f) + (chars >> 6 & 0x0101010101010101) * 9;
  values = __builtin_bswap64(values);
  values = (values | values >> 4) & 0x00ff00ff00ff00ff;
  values = (values | values >> 8) & 0x0000ffff0000ffff;
  *value = static_cast<uint32_t>(values | values >> 16);
  return true;
}

// Returns a number whose lowest bit that is set is the top bit of the first `c`; 0 if there is none.
template <char kChar>
inline uint64_t FindChar(uint64_t chars) {
  const uint64_t zero_at_char = chars ^ static_cast<uint8_t>(kChar) * 0x0101010101010101;
  return (zero_at_char - 0x0101010101010101) & ~zero_at_char & 0x8080808080808080;
}

// A word of at most 16 characters, with zeros behind it. An empty one is no word.
struct PackedWord {
  uint64_t low = 0;
  uint64_t high = 0;

  static constexpr size_t kMaxLength = 16;
  static constexpr PackedWord Of(std::string_view word) {
    return {PackChars(word.substr(0, 8)), word.size() > 8 ? PackChars(word.substr(8)) : 0};
  }
  // Returns the text up to the next space. It is empty if that is not among the next 16 characters.
  static PackedWord BeforeSpace(const char* p) {
    const uint64_t low = LoadChars(p);
    const uint64_t low_space = FindChar<' '>(low);
    if (low_space != 0) return {low & BelowLowestBit(low_space), 0};
    const uint64_t high = LoadChars(p + 8);
    const uint64_t high_space = FindChar<' '>(high);
    if (high_space == 0) return {};
    return {low, high & BelowLowestBit(high_space)};
  }
  size_t size() const {
    return high != 0 ? 16 - static_cast<size_t>(std::countl_zero(high)) / 8
                     : 8 - static_cast<size_t>(std::countl_zero(low)) / 8;
  }
  friend bool operator==(const PackedWord& a, const PackedWord& b) { return a.low == b.low && a.high == b.high; }

 private:
  // The lowest bit that is set is the top bit of a byte. Returns a mask of all bytes before that one.
  static uint64_t BelowLowestBit(uint64_t bits) { return (bits ^ (bits - 1)) >> 8; }
};

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_TEXT_WORD_SCAN_H_
