// SPDX-License-Identifier: Apache-2.0

// The floating-point formats of PTX: how many bits they have and which encodings are special.

#ifndef PTXMIR_BASE_FLOAT_FORMAT_H_
#define PTXMIR_BASE_FLOAT_FORMAT_H_

#include <cstdint>

namespace ptxmir {

// A floating-point format: IEEE 754 binary16, binary32 and binary64; bfloat16; tf32 (19 bits at the top of 32); the
// formats of the OCP Microscaling specification (v1.0: e4m3, e5m2, e3m2, e2m3, e2m1, ue8m0); and unsigned e4m3.
struct FloatFormat {
  enum class Specials : uint8_t {
    kInfinityAndNan,  // as in IEEE 754: reserves the highest exponent
    kNan,             // NaN is all exponent and mantissa bits 1; no infinity
    kNone,            // every encoding is a number
  };
  uint8_t exponent_bits = 0;
  uint8_t mantissa_bits = 0;  // without the implicit leading bit
  Specials specials = Specials::kInfinityAndNan;
  bool is_signed = true;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned bits() const { return exponent_bits + mantissa_bits + (is_signed ? 1u : 0u); }
  // These encodings have no sign, except sign() itself.
  constexpr uint64_t sign() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  constexpr uint64_t smallest_normal() const { return uint64_t{1} << mantissa_bits; }
  // PTX's canonical NaN. In a format without NaNs, the largest number, which PTX produces instead.
  constexpr uint64_t nan() const { return sign() - 1; }
  constexpr uint64_t max_finite() const {
    return specials == Specials::kInfinityAndNan ? nan() - smallest_normal()
           : specials == Specials::kNan          ? nan() - 1
                                                 : nan();
  }
  // The result of an overflow: infinity; if the format has none, NaN; if it has neither, the largest number.
  constexpr uint64_t overflow() const { return specials == Specials::kNone ? nan() : max_finite() + 1; }
  // Of formats with kInfinityAndNan: infinity, and the first quiet NaN. The NaNs between them are signaling.
  constexpr uint64_t infinity() const { return overflow(); }
  constexpr uint64_t quiet_nan() const { return infinity() | smallest_normal() >> 1; }
  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

inline constexpr FloatFormat kHalfFormat = {5, 10};
inline constexpr FloatFormat kBFloatFormat = {8, 7};
inline constexpr FloatFormat kSingleFormat = {8, 23};
inline constexpr FloatFormat kDoubleFormat = {11, 52};
inline constexpr FloatFormat kTf32Format = {8, 10};  // without the 13 low bits of its register
inline constexpr FloatFormat kE4M3Format = {4, 3, FloatFormat::Specials::kNan};
inline constexpr FloatFormat kE5M2Format = {5, 2};
inline constexpr FloatFormat kE3M2Format = {3, 2, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M3Format = {2, 3, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M1Format = {2, 1, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kUE4M3Format = {4, 3, FloatFormat::Specials::kNan, false};

}  // namespace ptxmir

#endif  // PTXMIR_BASE_FLOAT_FORMAT_H_
