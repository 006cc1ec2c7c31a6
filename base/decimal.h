// SPDX-License-Identifier: Apache-2.0

// Decimal numbers for writers of text. Most numbers there are short, for which this takes half the time of
// std::to_chars.

#ifndef PTXMIR_BASE_DECIMAL_H_
#define PTXMIR_BASE_DECIMAL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ptxmir {

// The most characters that WriteDecimal writes: a sign and 19 digits, or 20 digits.
inline constexpr size_t kMaxDecimal = 20;

inline constexpr char kDigitPairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

// Writes a number at `to`, which has room for kMaxDecimal characters. Returns the end of what it wrote.
inline char* WriteUnsignedDecimal(char* to, uint64_t value) {
  // Computes the length first, then writes backward in place.
  size_t count = 1;
  for (uint64_t limit = 10; value >= limit; limit *= 10) {
    if (++count == kMaxDecimal) break;  // 10^20 does not fit
  }
  char* const end = to + count;
  char* next = end;
  while (value >= 100) {
    next -= 2;
    std::memcpy(next, kDigitPairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    std::memcpy(next - 2, kDigitPairs + 2 * value, 2);
  } else {
    next[-1] = static_cast<char>('0' + value);
  }
  return end;
}

template <typename Integer>
char* WriteDecimal(char* to, Integer value) {
  if constexpr (std::is_signed_v<Integer>) {
    if (value < 0) {
      *to++ = '-';
      return WriteUnsignedDecimal(to, ~static_cast<uint64_t>(value) + 1);
    }
  }
  return WriteUnsignedDecimal(to, static_cast<uint64_t>(value));
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_DECIMAL_H_
