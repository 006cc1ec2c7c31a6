// SPDX-License-Identifier: Apache-2.0

// The floating-point formats of PTX that the host does not compute with, and exact rounding to them.
//
// Arithmetic on formats up to f32 is done in double precision, rounded to odd: the result is exact, or truncated
// with its last bit set. Such a result can be rounded once more to any format with at most 51 bits of precision, in
// any mode, and gives the same value as rounding the exact result (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers, 2008). No
// operation on these formats overflows or underflows a double.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_FORMAT_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_FORMAT_H_

#include <bit>
#include <cstdint>
#include <string_view>

#ifdef __FAST_MATH__
#error "The interpreter computes bit by bit what PTX says: not with -ffast-math."
#endif

namespace ptxmir::ptx {

enum class Rounding : uint8_t {
  kDefault,      // no rounding named
  kNearestEven,  // rn, rni
  kZero,         // rz, rzi
  kDown,         // rm, rmi
  kUp,           // rp, rpi
  kNearestAway,  // rna
  kStochastic,   // rs
};
// Parses "rn" to "rs". Returns kDefault for anything else.
Rounding ParseRounding(std::string_view part);
// Parses "rni" to "rpi". Returns kDefault for anything else.
Rounding ParseIntegerRounding(std::string_view part);

// A floating-point format: IEEE 754 binary16 and binary32; bfloat16; tf32 (19 bits at the top of 32); the formats of
// the OCP Microscaling specification (v1.0: e4m3, e5m2, e3m2, e2m3, e2m1, ue8m0); and unsigned e4m3. Every value of
// each of them is also a double.
struct FloatFormat {
  enum class Specials : uint8_t {
    kInfinityAndNan,  // as in IEEE 754: reserves the highest exponent
    kNan,             // NaN is all exponent and mantissa bits 1; no infinity
    kNone,            // every encoding is a number
  };
  uint8_t exponent_bits = 0;
  uint8_t mantissa_bits = 0;
  Specials specials = Specials::kInfinityAndNan;
  bool is_signed = true;
  constexpr int bias() const { return exponent_bits == 8 ? 127 : (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned bits() const { return exponent_bits + mantissa_bits + (is_signed ? 1u : 0u); }
  // These encodings have no sign, except sign() itself.
  constexpr uint32_t sign() const { return uint32_t{1} << (exponent_bits + mantissa_bits); }
  // PTX's canonical NaN. In a format without NaNs, the largest number, which PTX produces instead.
  constexpr uint32_t nan() const { return sign() - 1; }
  constexpr uint32_t max_finite() const {
    return specials == Specials::kInfinityAndNan ? nan() - (uint32_t{1} << mantissa_bits)
           : specials == Specials::kNan          ? nan() - 1
                                                 : nan();
  }
  // The result of an overflow: infinity; if the format has none, NaN; if it has neither, the largest number.
  constexpr uint32_t overflow() const { return specials == Specials::kNone ? nan() : max_finite() + 1; }
  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

inline constexpr FloatFormat kHalfFormat = {5, 10};
inline constexpr FloatFormat kBFloatFormat = {8, 7};
inline constexpr FloatFormat kSingleFormat = {8, 23};
inline constexpr FloatFormat kTf32Format = {8, 10};  // without the 13 low bits of its register
inline constexpr FloatFormat kE4M3Format = {4, 3, FloatFormat::Specials::kNan};
inline constexpr FloatFormat kE5M2Format = {5, 2};
inline constexpr FloatFormat kE3M2Format = {3, 2, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M3Format = {2, 3, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M1Format = {2, 1, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kUE4M3Format = {4, 3, FloatFormat::Specials::kNan, false};

struct RoundingOptions {
  Rounding mode = Rounding::kNearestEven;
  bool saturate_finite = false;  // whether values that are too large become the largest number
  // For kStochastic: `random_bits` random bits, which are added to the first bits after the last one kept.
  uint32_t random = 0;
  unsigned random_bits = 0;
};

// Returns the value of the low bits() bits. NaNs become the quiet NaN.
double DecodeFloat(const FloatFormat& format, uint32_t bits);

// Rounds a value that is exact or rounded to odd. A NaN becomes format.nan().
uint32_t RoundFloat(const FloatFormat& format, double value, const RoundingOptions& options);
// Rounds to the nearest value, ties to even.
inline uint32_t EncodeFloat(const FloatFormat& format, double value) { return RoundFloat(format, value, {}); }

// Decodes a half, faster than DecodeFloat: a half moved into the position of a float is 2^112 times too small.
inline float HalfToFloat(uint16_t bits) {
  const uint32_t magnitude = uint32_t{bits & 0x7fffu} << 13;
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  if (magnitude > 0x0f800000u) return std::bit_cast<float>(0x7fc00000u);
  if (magnitude == 0x0f800000u) return std::bit_cast<float>(sign | 0x7f800000u);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f));
}
inline uint16_t FloatToHalf(float value) { return static_cast<uint16_t>(EncodeFloat(kHalfFormat, value)); }

// Decodes ue8m0: the value is 2^(bits - 127), and 255 is NaN.
double DecodeUE8M0(uint32_t bits);
// Encodes ue8m0. The sign is ignored. kUp rounds the magnitude up, any other mode rounds it down.
uint8_t FloatToUE8M0(uint32_t f32_bits, Rounding mode, bool saturate_finite);

// ---- Arithmetic, rounded to odd. Operands are in formats up to f32; products of two of them are exact in double
// precision. `mode` decides the sign of exact sums that are 0.
double AddToOdd(double a, double b, Rounding mode);
double DivideToOdd(double a, double b);
double SqrtToOdd(double a);
// Converts an integer, given by its magnitude and sign.
double IntegerToOdd(uint64_t magnitude, bool negative);

// ---- Double precision in a given mode.
double AddDouble(double a, double b, Rounding mode);
double MultiplyDouble(double a, double b, Rounding mode);
double FmaDouble(double a, double b, double c, Rounding mode);
double DivideDouble(double a, double b, Rounding mode);
double SqrtDouble(double a, Rounding mode);
double IntegerToDouble(uint64_t magnitude, bool negative, Rounding mode);

// Rounds to an integer, which is returned in floating point.
double RoundToIntegral(double value, Rounding mode);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_FORMAT_H_
