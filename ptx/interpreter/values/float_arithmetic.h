// SPDX-License-Identifier: Apache-2.0

// Exact rounding to the floating-point formats of PTX (base/float_format.h) that the host does not compute with.
//
// Arithmetic on formats up to f32 is done in double precision, rounded to odd: the result is exact, or truncated
// with its last bit set. Such a result can be rounded once more to any format with at most 51 bits of precision, in
// any mode, and gives the same value as rounding the exact result (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers, 2008). No
// operation on these formats overflows or underflows a double.

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_ARITHMETIC_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_ARITHMETIC_H_

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/float_format.h"

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

struct RoundingOptions {
  Rounding mode = Rounding::kNearestEven;
  bool saturate_finite = false;  // whether values that are too large become the largest number
  // For kStochastic: `random_bits` random bits, which are added to the first bits after the last one kept.
  uint32_t random = 0;
  unsigned random_bits = 0;
};

// These two take formats of at most 32 bits. Every value of such a format is also a double.
//
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

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_FLOAT_ARITHMETIC_H_
