// Narrow floating-point formats: what their bits are worth, and rounding to them.
//
// IEEE 754 binary16; bfloat16; tf32 (19 bits at the top of 32); the formats of the OCP Microscaling specification
// (v1.0: e4m3, e5m2, e3m2, e2m3, e2m1, ue8m0) and unsigned e4m3. Each value of each of them is a double.

#ifndef PTXMIR_PTX_INTERPRETER_FLOAT_FORMAT_H_
#define PTXMIR_PTX_INTERPRETER_FLOAT_FORMAT_H_

#include <cstdint>

namespace ptxmir::ptx {

struct FloatFormat {
  enum class Specials : uint8_t {
    kInfinityAndNan,  // as in IEEE 754: the highest exponent is for them
    kNan,             // all exponent and mantissa bits 1: NaN; no infinity
    kNone,            // every encoding is a number
  };
  uint8_t exponent_bits = 0;
  uint8_t mantissa_bits = 0;
  Specials specials = Specials::kInfinityAndNan;
  bool is_signed = true;
  constexpr int bias() const { return exponent_bits == 8 ? 127 : (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned bits() const { return exponent_bits + mantissa_bits + (is_signed ? 1u : 0u); }
  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

inline constexpr FloatFormat kHalfFormat = {5, 10};
inline constexpr FloatFormat kBFloatFormat = {8, 7};
inline constexpr FloatFormat kTf32Format = {8, 10};  // without the 13 low bits of its register
inline constexpr FloatFormat kE4M3Format = {4, 3, FloatFormat::Specials::kNan};
inline constexpr FloatFormat kE5M2Format = {5, 2};
inline constexpr FloatFormat kE3M2Format = {3, 2, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M3Format = {2, 3, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kE2M1Format = {2, 1, FloatFormat::Specials::kNone};
inline constexpr FloatFormat kUE4M3Format = {4, 3, FloatFormat::Specials::kNan, false};

// The value of the low bits() bits. NaNs become the quiet NaN.
double DecodeFloat(const FloatFormat& format, uint32_t bits);
// To the nearest value, ties to even; too large becomes infinity (NaN where there is none, the largest number
// where there is no NaN either); a NaN becomes PTX's canonical one: all bits but the sign.
uint32_t EncodeFloat(const FloatFormat& format, double value);
// 2^(bits - 127); 255 is NaN.
double DecodeUE8M0(uint32_t bits);

inline float HalfToFloat(uint16_t bits) { return static_cast<float>(DecodeFloat(kHalfFormat, bits)); }
inline uint16_t FloatToHalf(float value) { return static_cast<uint16_t>(EncodeFloat(kHalfFormat, value)); }

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_FLOAT_FORMAT_H_
