// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/values/float_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace ptxmir::ptx {
namespace {

constexpr int kDoubleMantissaBits = 52;
constexpr uint64_t kDoubleSign = uint64_t{1} << 63;

// Returns true if a magnitude is rounded up when the `shift` bits `rest` after `kept` are dropped.
bool RoundsUp(uint64_t kept, uint64_t rest, unsigned shift, bool negative, const RoundingOptions& options) {
  if (rest == 0) return false;
  const uint64_t half = uint64_t{1} << (shift - 1);
  switch (options.mode) {
    case Rounding::kDefault:
    case Rounding::kNearestEven:
      return rest > half || (rest == half && (kept & 1) != 0);
    case Rounding::kNearestAway:
      return rest >= half;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
    case Rounding::kStochastic: {
      const unsigned bits = options.random_bits;
      const uint64_t first = shift >= bits ? rest >> (shift - bits) : rest << (bits - shift);
      return first + options.random >= uint64_t{1} << bits;
    }
  }
  return false;
}

bool OverflowsToInfinity(bool negative, Rounding mode) {
  switch (mode) {
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
    default:
      return true;
  }
}

// Sets the last bit of a truncated result. `nearest` is the result rounded to nearest, and `error` has the sign of
// its error (exact minus rounded; 0: exact).
double ToOdd(double nearest, double error) {
  uint64_t bits = std::bit_cast<uint64_t>(nearest);
  if (error == 0 || (bits & 1) != 0) return nearest;
  // The magnitude is too small if the error has the sign of the result.
  bits += (error > 0) == (nearest > 0) ? 1 : ~uint64_t{0};
  return std::bit_cast<double>(bits);
}

int HostRounding(Rounding mode) {
  switch (mode) {
    case Rounding::kZero:
      return FE_TOWARDZERO;
    case Rounding::kDown:
      return FE_DOWNWARD;
    case Rounding::kUp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// Evaluates in a host rounding mode. Volatile operands keep the compiler from computing before the mode is set or
// after it is restored.
template <typename Function>
double InMode(Rounding mode, double a, double b, double c, Function function) {
  const int host = HostRounding(mode);
  if (host == FE_TONEAREST) return function(a, b, c);
  volatile double operands[3] = {a, b, c};
  std::fesetround(host);
  volatile double result = function(operands[0], operands[1], operands[2]);
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace

Rounding ParseRounding(std::string_view part) {
  if (part == "rn") return Rounding::kNearestEven;
  if (part == "rz") return Rounding::kZero;
  if (part == "rm") return Rounding::kDown;
  if (part == "rp") return Rounding::kUp;
  if (part == "rna") return Rounding::kNearestAway;
  if (part == "rs") return Rounding::kStochastic;
  return Rounding::kDefault;
}

Rounding ParseIntegerRounding(std::string_view part) {
  if (part == "rni") return Rounding::kNearestEven;
  if (part == "rzi") return Rounding::kZero;
  if (part == "rmi") return Rounding::kDown;
  if (part == "rpi") return Rounding::kUp;
  return Rounding::kDefault;
}

double DecodeFloat(const FloatFormat& format, uint32_t bits) {
  const bool negative = format.is_signed && (bits & format.sign()) != 0;
  const uint64_t magnitude = bits & (format.sign() - 1);
  double value = 0;
  if (magnitude > format.max_finite()) {
    if (magnitude != format.overflow() || format.specials == FloatFormat::Specials::kNan)
      return std::numeric_limits<double>::quiet_NaN();
    value = std::numeric_limits<double>::infinity();
  } else {
    const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const uint64_t one = format.smallest_normal();
    const uint64_t mantissa = (magnitude & (one - 1)) | (exponent != 0 ? one : 0);
    value = std::ldexp(static_cast<double>(mantissa), std::max(exponent, 1) - format.bias() - format.mantissa_bits);
  }
  return negative ? -value : value;
}

double DecodeUE8M0(uint32_t bits) {
  bits &= 0xff;
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

uint32_t RoundFloat(const FloatFormat& format, double value, const RoundingOptions& options) {
  if (std::isnan(value)) return static_cast<uint32_t>(format.nan());
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = (bits & kDoubleSign) != 0;
  const auto sign = static_cast<uint32_t>(negative && format.is_signed ? format.sign() : 0);
  const auto largest = static_cast<uint32_t>(format.max_finite());
  const auto overflow = static_cast<uint32_t>(format.overflow());
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | (options.saturate_finite ? largest : overflow);
  // Subnormal doubles are far below every format, so they can use the exponent of the smallest normal number.
  const int biased = std::max<int>(static_cast<int>(bits >> kDoubleMantissaBits & 0x7ff), 1);
  const int exponent = biased - 1023;
  uint64_t mantissa = bits & ((uint64_t{1} << kDoubleMantissaBits) - 1);
  if (std::isnormal(value)) mantissa |= uint64_t{1} << kDoubleMantissaBits;
  const int lowest = 1 - format.bias();
  const unsigned shift =
      static_cast<unsigned>(std::min(kDoubleMantissaBits - format.mantissa_bits + std::max(lowest - exponent, 0), 62));
  uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
  if (RoundsUp(kept, rest, shift, negative, options)) ++kept;
  // The leading bit of a normal number adds 1 to the exponent field.
  const uint64_t magnitude = kept + (static_cast<uint64_t>(std::max(exponent - lowest, 0)) << format.mantissa_bits);
  if (magnitude > largest) {
    const bool to_infinity = OverflowsToInfinity(negative, options.mode) && !options.saturate_finite;
    return sign | (to_infinity ? overflow : largest);
  }
  return sign | static_cast<uint32_t>(magnitude);
}

uint8_t FloatToUE8M0(uint32_t f32_bits, Rounding mode, bool saturate_finite) {
  const uint32_t magnitude = f32_bits & 0x7fffffff;
  constexpr uint32_t kInfinity = 0x7f800000;
  if (magnitude > kInfinity) return 0xff;
  uint32_t result = magnitude >> 23;
  // 2^-127 is the smallest number, and a subnormal f32.
  constexpr uint32_t kSmallest = 0x00400000;
  if (mode == Rounding::kUp && (magnitude & 0x7fffff) != 0 && magnitude > kSmallest) {
    ++result;
  }
  if (result == 0xff && saturate_finite) result = 0xfe;
  return static_cast<uint8_t>(result);
}

double AddToOdd(double a, double b, Rounding mode) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  if (sum == 0) {
    // The sum is exact. Zeros of different signs, and numbers that cancel, give -0 when rounding down.
    const bool both_negative = std::signbit(a) && std::signbit(b);
    const bool both_positive = !std::signbit(a) && !std::signbit(b);
    const bool negative = both_negative || (mode == Rounding::kDown && !both_positive);
    return negative ? -0.0 : 0.0;
  }
  // Knuth's error term of a sum.
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return ToOdd(sum, (a - a_part) + (b - b_part));
}

double DivideToOdd(double a, double b) {
  const double quotient = a / b;
  if (!std::isfinite(quotient) || quotient == 0 || std::isinf(b)) {
    return quotient;
  }
  const double remainder = std::fma(-quotient, b, a);
  return ToOdd(quotient, b > 0 ? remainder : -remainder);
}

double SqrtToOdd(double a) {
  const double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0) return root;
  return ToOdd(root, std::fma(-root, root, a));
}

double IntegerToOdd(uint64_t magnitude, bool negative) {
  const int excess = 64 - std::countl_zero(magnitude) - 53;
  if (excess > 0) {
    const uint64_t dropped = magnitude & ((uint64_t{1} << excess) - 1);
    magnitude -= dropped;
    if (dropped != 0) magnitude |= uint64_t{1} << excess;
  }
  const double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

double AddDouble(double a, double b, Rounding mode) {
  return InMode(mode, a, b, 0, [](double x, double y, double) { return x + y; });
}
double MultiplyDouble(double a, double b, Rounding mode) {
  return InMode(mode, a, b, 0, [](double x, double y, double) { return x * y; });
}
double FmaDouble(double a, double b, double c, Rounding mode) {
  return InMode(mode, a, b, c, [](double x, double y, double z) { return std::fma(x, y, z); });
}
double DivideDouble(double a, double b, Rounding mode) {
  return InMode(mode, a, b, 0, [](double x, double y, double) { return x / y; });
}
double SqrtDouble(double a, Rounding mode) {
  return InMode(mode, a, 0, 0, [](double x, double, double) { return std::sqrt(x); });
}

double IntegerToDouble(uint64_t magnitude, bool negative, Rounding mode) {
  const int excess = 64 - std::countl_zero(magnitude) - 53;
  if (excess > 0) {
    const auto shift = static_cast<unsigned>(excess);
    const uint64_t rest = magnitude & ((uint64_t{1} << shift) - 1);
    uint64_t kept = magnitude >> shift;
    RoundingOptions options;
    options.mode = mode;
    if (RoundsUp(kept, rest, shift, negative, options)) ++kept;
    const double value = std::ldexp(static_cast<double>(kept), excess);
    return negative ? -value : value;
  }
  const double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

double RoundToIntegral(double value, Rounding mode) {
  switch (mode) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

}  // namespace ptxmir::ptx
