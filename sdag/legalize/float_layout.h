// SPDX-License-Identifier: Apache-2.0

// The floating-point formats, for expansions that make constants and take numbers apart.

#ifndef PTXMIR_SDAG_LEGALIZE_FLOAT_LAYOUT_H_
#define PTXMIR_SDAG_LEGALIZE_FLOAT_LAYOUT_H_

#include <bit>
#include <cstdint>

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {

struct FloatFormat {
  unsigned width;
  unsigned mantissa_bits;  // without the implicit leading bit
  unsigned bias;

  uint64_t sign_mask() const { return uint64_t{1} << (width - 1); }
  uint64_t infinity() const { return (sign_mask() - 1) >> mantissa_bits << mantissa_bits; }
  uint64_t quiet_bit() const { return uint64_t{1} << (mantissa_bits - 1); }
  uint64_t smallest_normal() const { return uint64_t{1} << mantissa_bits; }
  uint64_t quiet_nan() const { return infinity() | quiet_bit(); }
};

inline FloatFormat FormatOf(MVT type) {
  switch (ScalarType(type)) {
    case MVT::kF16:
      return {16, 10, 15};
    case MVT::kBF16:
      return {16, 7, 127};
    case MVT::kF32:
      return {32, 23, 127};
    default:
      return {64, 52, 1023};
  }
}

// Returns true for the 16-bit types, for which PTX does many operations in f32.
inline bool IsSixteenBits(MVT type) { return type == MVT::kF16 || type == MVT::kBF16; }

// Returns a constant. The format must hold `value` exactly, as a normal number or zero.
inline LegalValue FPConstant(Legalizer& l, MVT type, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const FloatFormat format = FormatOf(type);
  if (format.width == 64) return l.ConstantFP(type, bits);
  const uint64_t sign = bits >> 63 << (format.width - 1);
  if (value == 0.0) return l.ConstantFP(type, sign);
  const uint64_t exponent = ((bits >> 52) & 0x7ff) - 1023 + format.bias;
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) >> (52 - format.mantissa_bits);
  return l.ConstantFP(type, sign | exponent << format.mantissa_bits | mantissa);
}

// Returns 2^exponent, or infinity if the exponent is one beyond the format's largest.
inline LegalValue PowerOfTwo(Legalizer& l, MVT type, unsigned exponent) {
  const FloatFormat format = FormatOf(type);
  return l.ConstantFP(type, uint64_t{format.bias + exponent} << format.mantissa_bits);
}

// Rounds the value once, by fp_round.
inline LegalValue RoundTo(Legalizer& l, MVT type, const LegalValue& value) {
  return l.Op(isd::kFPRound, type, {value}, 0, l.dag().GetTargetConstant(0, MVT::kI64));
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_FLOAT_LAYOUT_H_
