#include "ptx/interpreter/float_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptxmir::ptx {
namespace {

uint32_t LowBits(unsigned count) { return (uint32_t{1} << count) - 1; }

}  // namespace

double DecodeFloat(const FloatFormat& format, uint32_t bits) {
  const uint32_t mantissa = bits & LowBits(format.mantissa_bits);
  const uint32_t highest = LowBits(format.exponent_bits);
  const uint32_t exponent = bits >> format.mantissa_bits & highest;
  const bool negative = format.is_signed && (bits >> (format.bits() - 1) & 1) != 0;
  double value = 0;
  if (exponent == highest && format.specials == FloatFormat::Specials::kInfinityAndNan) {
    if (mantissa != 0) return std::numeric_limits<double>::quiet_NaN();
    value = std::numeric_limits<double>::infinity();
  } else if (exponent == highest && mantissa == LowBits(format.mantissa_bits) &&
             format.specials == FloatFormat::Specials::kNan) {
    return std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - format.bias() - format.mantissa_bits);
  } else {
    const uint32_t significand = mantissa | uint32_t{1} << format.mantissa_bits;
    value = std::ldexp(significand, static_cast<int>(exponent) - format.bias() - format.mantissa_bits);
  }
  return negative ? -value : value;
}

uint32_t EncodeFloat(const FloatFormat& format, double value) {
  using Specials = FloatFormat::Specials;
  const unsigned magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const uint32_t nan = LowBits(magnitude_bits);
  if (std::isnan(value)) return nan;
  const uint32_t sign = format.is_signed && std::signbit(value) ? uint32_t{1} << magnitude_bits : 0;
  const uint32_t infinity = LowBits(format.exponent_bits) << format.mantissa_bits;
  const uint32_t overflow = format.specials == Specials::kInfinityAndNan ? infinity : nan;
  // The first encoding that is no number.
  const uint32_t end = format.specials == Specials::kNone ? nan + 1 : overflow;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | overflow;
  // Encodings of one sign are ordered as their values are, and within one exponent evenly spaced.
  const int lowest = 1 - format.bias();
  const int exponent = magnitude == 0 ? lowest : std::max(std::ilogb(magnitude), lowest);
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const double code = steps + std::ldexp(exponent - lowest, format.mantissa_bits);
  return sign | (code >= end ? overflow : static_cast<uint32_t>(code));
}

double DecodeUE8M0(uint32_t bits) {
  bits &= 0xff;
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

}  // namespace ptxmir::ptx
