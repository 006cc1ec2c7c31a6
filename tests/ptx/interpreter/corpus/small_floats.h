// SPDX-License-Identifier: Apache-2.0

// Narrow floating-point formats for references. Any format is rounded in double, by the definition of rounding.

#ifndef PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_SMALL_FLOATS_H_
#define PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_SMALL_FLOATS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ptxmir::ptx {

// The interpreter has formats of the same names. The namespace keeps them apart.
namespace reference {

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // otherwise only the largest bit pattern is not a number

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int min_exponent() const { return 1 - bias(); }
  uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  uint32_t max_finite() const { return has_infinity ? infinity() - 1 : sign_bit() - 2; }
  uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};
inline constexpr FloatFormat kHalf{5, 10, true};
inline constexpr FloatFormat kBFloat{8, 7, true};
inline constexpr FloatFormat kE4m3{4, 3, false};
inline constexpr FloatFormat kE5m2{5, 2, true};

enum class Rounding { kNearestEven, kZero, kUp, kDown };

inline double Decode(const FloatFormat& format, uint32_t bits) {
  const double sign = (bits & format.sign_bit()) != 0 ? -1 : 1;
  const uint32_t magnitude = bits & (format.sign_bit() - 1);
  if (format.has_infinity && magnitude == format.infinity()) return sign * std::numeric_limits<double>::infinity();
  if (magnitude > format.max_finite()) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const int mantissa = static_cast<int>(magnitude & ((1u << format.mantissa_bits) - 1));
  const int whole = exponent == 0 ? mantissa : mantissa | 1 << format.mantissa_bits;
  return sign * std::ldexp(whole, std::max(exponent, 1) - format.bias() - format.mantissa_bits);
}

// Encodes a value. `value` must be the exact result, or precise enough that rounding twice does no harm.
inline uint32_t Encode(const FloatFormat& format, double value, Rounding rounding = Rounding::kNearestEven,
                       bool saturate = false) {
  if (std::isnan(value)) return format.sign_bit() - 1;
  const uint32_t sign = std::signbit(value) ? format.sign_bit() : 0;
  if (value == 0) return sign;
  const uint32_t overflow = saturate || !format.has_infinity ? format.max_finite() : format.infinity();
  if (std::isinf(value)) return sign | overflow;
  const int exponent = std::max(std::ilogb(value), format.min_exponent());
  double units = std::ldexp(value, format.mantissa_bits - exponent);
  switch (rounding) {
    case Rounding::kNearestEven:
      units = std::nearbyint(units);
      break;
    case Rounding::kZero:
      units = std::trunc(units);
      break;
    case Rounding::kUp:
      units = std::ceil(units);
      break;
    case Rounding::kDown:
      units = std::floor(units);
      break;
  }
  // A carry into the exponent gives the right result without further work.
  const int64_t magnitude = static_cast<int64_t>(std::abs(units)) +
                            (static_cast<int64_t>(exponent - format.min_exponent()) << format.mantissa_bits);
  if (magnitude > format.max_finite()) {
    const bool towards_zero = rounding == Rounding::kZero || (rounding == Rounding::kUp && sign != 0) ||
                              (rounding == Rounding::kDown && sign == 0);
    return sign | (towards_zero ? format.max_finite() : overflow);
  }
  return sign | static_cast<uint32_t>(magnitude);
}

inline double HalfValue(uint16_t bits) { return Decode(kHalf, bits); }
inline uint16_t HalfBits(double value) { return static_cast<uint16_t>(Encode(kHalf, value)); }
inline double BFloatValue(uint16_t bits) { return Decode(kBFloat, bits); }
inline uint16_t BFloatBits(double value) { return static_cast<uint16_t>(Encode(kBFloat, value)); }

inline std::vector<uint16_t> HalvesOf(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (float value : values) bits.push_back(HalfBits(value));
  return bits;
}
inline std::vector<float> ValuesOfHalves(const std::vector<uint16_t>& bits) {
  std::vector<float> values;
  for (uint16_t half : bits) values.push_back(static_cast<float>(HalfValue(half)));
  return values;
}

}  // namespace reference

using namespace reference;

}  // namespace ptxmir::ptx

#endif  // PTXMIR_TESTS_PTX_INTERPRETER_CORPUS_SMALL_FLOATS_H_
