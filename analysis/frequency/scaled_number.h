// SPDX-License-Identifier: Apache-2.0

// Unsigned floating-point numbers with a 64-bit mantissa, for frequencies. Results are the same on every machine
// and are rounded as LLVM's ScaledNumber rounds. Nested loops do not overflow the exponent.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_SCALED_NUMBER_H_
#define PTXMIR_ANALYSIS_FREQUENCY_SCALED_NUMBER_H_

#include <bit>
#include <cstdint>

namespace ptxmir {

class ScaledNumber {
 public:
  // The value is digits * 2^scale.
  constexpr ScaledNumber(uint64_t digits = 0, int32_t scale = 0) : digits_(digits), scale_(scale) {}

  constexpr bool is_zero() const { return digits_ == 0; }

  friend constexpr ScaledNumber operator*(ScaledNumber a, ScaledNumber b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a.digits_) * b.digits_;
    const uint64_t high = static_cast<uint64_t>(product >> 64);
    const int32_t scale = a.scale_ + b.scale_;
    if (high == 0) return {static_cast<uint64_t>(product), scale};
    const int shift = 64 - std::countl_zero(high);
    return Rounded(static_cast<uint64_t>(product >> shift), scale + shift, (product >> (shift - 1) & 1) != 0);
  }
  // `b` must not be zero.
  friend constexpr ScaledNumber operator/(ScaledNumber a, ScaledNumber b) {
    if (a.is_zero()) return a;
    int32_t scale = a.scale_ - b.scale_;
    const int divisor_shift = std::countr_zero(b.digits_);
    const uint64_t divisor = b.digits_ >> divisor_shift;
    scale -= divisor_shift;
    if (divisor == 1) return {a.digits_, scale};
    // As many digits as fit, by long division.
    const int dividend_shift = std::countl_zero(a.digits_);
    uint64_t rest = a.digits_ << dividend_shift;
    scale -= dividend_shift;
    uint64_t quotient = rest / divisor;
    rest %= divisor;
    while (quotient >> 63 == 0 && rest != 0) {
      const bool overflows = rest >> 63 != 0;
      rest <<= 1;
      --scale;
      quotient <<= 1;
      if (overflows || divisor <= rest) {
        quotient |= 1;
        rest -= divisor;
      }
    }
    return Rounded(quotient, scale, rest >= (divisor >> 1) + (divisor & 1));
  }
  friend constexpr bool operator<(ScaledNumber a, ScaledNumber b) {
    if (b.is_zero()) return false;
    if (a.is_zero()) return true;
    const int32_t top_of_a = a.scale_ - std::countl_zero(a.digits_);
    const int32_t top_of_b = b.scale_ - std::countl_zero(b.digits_);
    if (top_of_a != top_of_b) return top_of_a < top_of_b;
    return a.digits_ << std::countl_zero(a.digits_) < b.digits_ << std::countl_zero(b.digits_);
  }
  // Returns the value rounded down, or the largest integer if it does not fit.
  constexpr uint64_t ToInteger() const {
    if (is_zero()) return 0;
    if (scale_ <= -64) return 0;
    if (scale_ < 0) return digits_ >> -scale_;
    return scale_ > std::countl_zero(digits_) ? ~uint64_t{0} : digits_ << scale_;
  }

 private:
  static constexpr ScaledNumber Rounded(uint64_t digits, int32_t scale, bool up) {
    if (!up) return {digits, scale};
    return ++digits == 0 ? ScaledNumber(uint64_t{1} << 63, scale + 1) : ScaledNumber(digits, scale);
  }

  uint64_t digits_;
  int32_t scale_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_SCALED_NUMBER_H_
