// SPDX-License-Identifier: Apache-2.0

// Floating-point constants and rounding, for expansions.

#ifndef PTXMIR_SDAG_LEGALIZE_FLOAT_CONSTANTS_H_
#define PTXMIR_SDAG_LEGALIZE_FLOAT_CONSTANTS_H_

#include <bit>
#include <cstdint>

#include "base/float_format.h"
#include "sdag/graph/type_classes.h"
#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {

// Returns true for the 16-bit types, for which PTX does many operations in f32.
inline bool IsSixteenBits(MVT type) { return type == MVT::kF16 || type == MVT::kBF16; }

// Returns a constant. The format must hold `value` exactly, as a normal number or zero.
inline LegalValue FPConstant(Legalizer& l, MVT type, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const FloatFormat& format = FloatFormatOf(type);
  if (format == kDoubleFormat) return l.ConstantFP(type, bits);
  const uint64_t sign = bits >> 63 << (format.bits() - 1);
  if (value == 0.0) return l.ConstantFP(type, sign);
  const uint64_t exponent = ((bits >> 52) & 0x7ff) - 1023 + static_cast<uint64_t>(format.bias());
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) >> (52 - format.mantissa_bits);
  return l.ConstantFP(type, sign | exponent << format.mantissa_bits | mantissa);
}

// Returns 2^exponent, or infinity if the exponent is one beyond the format's largest.
inline LegalValue PowerOfTwo(Legalizer& l, MVT type, unsigned exponent) {
  const FloatFormat& format = FloatFormatOf(type);
  return l.ConstantFP(type, (static_cast<uint64_t>(format.bias()) + exponent) << format.mantissa_bits);
}

// Rounds the value once, by fp_round.
inline LegalValue RoundTo(Legalizer& l, MVT type, const LegalValue& value) {
  return l.Op(isd::kFPRound, type, {value}, 0, l.dag().GetTargetConstant(0, MVT::kI64));
}

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_LEGALIZE_FLOAT_CONSTANTS_H_
