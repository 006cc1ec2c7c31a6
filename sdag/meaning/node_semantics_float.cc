// SPDX-License-Identifier: Apache-2.0

// Floating-point operations on one lane (node_semantics_lanes.h).
//
// f16, bf16 and f32 are computed in double precision, rounded to odd, and then rounded to their format. The result
// is the same as with a single rounding (ptx/interpreter/values/float_arithmetic.h). f64 uses the host's arithmetic.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ptx/interpreter/values/float_arithmetic.h"
#include "sdag/graph/type_classes.h"
#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {

using U = absl::uint128;
using S = absl::int128;

bool IsNaNBits(MVT type, U bits) { return std::isnan(FloatValue(type, bits)); }

U FlushedF32(U bits) {
  const auto word = static_cast<uint32_t>(absl::Uint128Low64(bits));
  return (word & 0x7f800000u) == 0 ? word & 0x80000000u : word;
}

namespace {

U CanonicalNaN(MVT type) { return type == MVT::kF64 ? U(0xfff8000000000000) : U(FloatFormatOf(type).nan()); }
U SignBit(MVT type) { return U(1) << static_cast<int>(SizeInBits(type) - 1); }

}  // namespace

double FloatValue(MVT type, U bits) {
  const uint64_t low = absl::Uint128Low64(bits);
  return type == MVT::kF64 ? std::bit_cast<double>(low)
                           : ptx::DecodeFloat(FloatFormatOf(type), static_cast<uint32_t>(low));
}

bool CompareFloats(CondCode code, double a, double b) {
  const unsigned bits = static_cast<unsigned>(code);
  if (std::isnan(a) || std::isnan(b)) return (bits & 8) != 0;
  return (a == b && (bits & 1) != 0) || (a > b && (bits & 2) != 0) || (a < b && (bits & 4) != 0);
}

namespace {

// Rounds a value that is exact or rounded to odd to the type. An f64 stays as it is.
Lane Rounded(MVT type, double value) {
  if (std::isnan(value)) return {CanonicalNaN(type), LaneState::kAnyNaN};
  if (type == MVT::kF64) return {std::bit_cast<uint64_t>(value)};
  return {ptx::EncodeFloat(FloatFormatOf(type), value)};
}

// Arithmetic that honors flags and flushes operands and results.
class Arithmetic {
 public:
  Arithmetic(const LaneContext& context, MVT type)
      : context_(context), type_(type), flush_(context.operation->flush_f32 && type == MVT::kF32) {}

  double Operand(const Lane& lane) {
    const double value = FloatValue(type_, flush_ ? FlushedF32(lane.bits) : lane.bits);
    Check(value);
    return value;
  }
  Lane Result(double value, MVT type) {
    Lane lane = Rounded(type, value);
    Check(FloatValue(type, lane.bits));
    if (poison_) return Lane::Undefined();
    if (context_.operation->flush_f32 && type == MVT::kF32) lane.bits = FlushedF32(lane.bits);
    return lane;
  }
  Lane Result(double value) { return Result(value, type_); }
  bool is_double() const { return type_ == MVT::kF64; }

 private:
  void Check(double value) {
    poison_ |= (context_.HasFlag(SDNodeFlags::kNoNaNs) && std::isnan(value)) ||
               (context_.HasFlag(SDNodeFlags::kNoInfs) && std::isinf(value));
  }

  const LaneContext& context_;
  const MVT type_;
  const bool flush_;
  bool poison_ = false;
};

constexpr auto kNearest = ptx::Rounding::kNearestEven;

void FAdd(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]);
  *out = f.Result(f.is_double() ? a + b : ptx::AddToOdd(a, b, kNearest));
}
void FSub(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]);
  *out = f.Result(f.is_double() ? a - b : ptx::AddToOdd(a, -b, kNearest));
}
void FMul(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]);
  *out = f.Result(a * b);
}
void FDiv(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]);
  *out = f.Result(f.is_double() ? a / b : ptx::DivideToOdd(a, b));
}
void FRem(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]);
  *out = f.Result(std::fmod(a, b));  // exact
}
void Fma(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]), b = f.Operand(in[1]), d = f.Operand(in[2]);
  *out = f.Result(f.is_double() ? std::fma(a, b, d) : ptx::AddToOdd(a * b, d, kNearest));
}
void FSqrt(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const double a = f.Operand(in[0]);
  *out = f.Result(f.is_double() ? std::sqrt(a) : ptx::SqrtToOdd(a));
}

// Operations on the sign alone. The other bits stay, even those of a NaN.
bool BreaksPromise(const LaneContext& c, const Lane& lane) {
  const double value = FloatValue(c.operand0, lane.bits);
  return (c.HasFlag(SDNodeFlags::kNoNaNs) && std::isnan(value)) ||
         (c.HasFlag(SDNodeFlags::kNoInfs) && std::isinf(value));
}
void FNeg(const LaneContext& c, const Lane* in, Lane* out) {
  *out = BreaksPromise(c, in[0]) ? Lane::Undefined()
         : in[0].is_defined()    ? Lane{in[0].bits ^ SignBit(c.result)}
                                 : in[0];
}
void FAbs(const LaneContext& c, const Lane* in, Lane* out) {
  *out = BreaksPromise(c, in[0]) ? Lane::Undefined()
         : in[0].is_defined()    ? Lane{in[0].bits & ~SignBit(c.result)}
                                 : in[0];
}
template <bool kSameType>
void CopySign(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned sign_width = kSameType ? c.result_width : c.operand1_width;
  if (in[1].state == LaneState::kAnyNaN) {
    *out = Lane::Undefined();
  } else if (in[0].state == LaneState::kAnyNaN) {
    *out = in[0];
  } else {
    const bool negative = ((in[1].bits >> static_cast<int>(sign_width - 1)) & 1) != 0;
    *out = {(in[0].bits & ~SignBit(c.result)) | (negative ? SignBit(c.result) : U(0))};
  }
}
void FGetSign(const LaneContext& c, const Lane* in, Lane* out) {
  *out = in[0].is_defined() ? Lane{(in[0].bits >> static_cast<int>(c.operand_width - 1)) & 1} : Lane::Undefined();
}
void FCanonicalize(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  *out = f.Result(f.Operand(in[0]));
}

// Returns the class in LLVM's FPClassTest: signaling and quiet NaN, then from -infinity to +infinity.
unsigned ClassOf(MVT type, const Lane& lane) {
  const double value = FloatValue(type, lane.bits);
  const bool negative = (lane.bits & SignBit(type)) != 0;
  if (std::isnan(value)) {
    const int mantissa = FloatFormatOf(type).mantissa_bits;
    return ((lane.bits >> (mantissa - 1)) & 1) != 0 ? 2 : 1;
  }
  const double smallest_normal = std::ldexp(1.0, 1 - FloatFormatOf(type).bias());
  if (std::isinf(value)) return negative ? 1u << 2 : 1u << 9;
  if (value == 0) return negative ? 1u << 5 : 1u << 6;
  if (std::fabs(value) < smallest_normal) return negative ? 1u << 4 : 1u << 7;
  return negative ? 1u << 3 : 1u << 8;
}
void IsFPClass(const LaneContext& c, const Lane* in, Lane* out) {
  const auto test = static_cast<unsigned>(absl::Uint128Low64(in[1].bits));
  if (in[0].state == LaneState::kAnyNaN && (test & 3) != 0 && (test & 3) != 3) {
    *out = Lane::Undefined();
    return;
  }
  *out = {(ClassOf(c.operand0, in[0]) & test) != 0 ? ~U(0) : U(0)};
}

// Returns the smaller of two numbers; -0 is less than +0.
double MinOf(double a, double b) {
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
double MaxOf(double a, double b) {
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double Select(double a, double b, bool max, bool propagate) {
  if (std::isnan(a) || std::isnan(b)) {
    if (propagate || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<double>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  return max ? MaxOf(a, b) : MinOf(a, b);
}
template <bool kMax, bool kPropagate, int kOperands>
void FMinMax(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  double value = f.Operand(in[0]);
  for (int i = 1; i < kOperands; ++i) value = Select(value, f.Operand(in[i]), kMax, kPropagate);
  *out = f.Result(value);
}

// Computes x * 2^n, rounded once. An amount beyond the range of any format gives the same result as the limit.
void FLdexp(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  const S amount = SignExtended(in[1].bits, c.operand1_width);
  const int limit = f.is_double() ? 5000 : 400;
  const int clamped = static_cast<int>(std::clamp(amount, S(-limit), S(limit)));
  *out = f.Result(std::ldexp(f.Operand(in[0]), clamped));
}
void FFrexp(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  int exponent = 0;
  const double value = f.Operand(in[0]);
  const double fraction = std::frexp(value, &exponent);
  out[0] = f.Result(fraction);
  out[1] = std::isfinite(value) ? Lane{static_cast<U>(S(exponent))} : Lane::Undefined();
}
void FModf(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  double whole = 0;
  const double fraction = std::modf(f.Operand(in[0]), &whole);
  out[0] = f.Result(fraction);
  out[1] = f.Result(whole);
}

template <double (*kFunction)(double)>
void ToIntegral(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.result);
  *out = f.Result(kFunction(f.Operand(in[0])));
}
double NearestIntegral(double value) { return ptx::RoundToIntegral(value, kNearest); }
double Ceil(double value) { return std::ceil(value); }
double Floor(double value) { return std::floor(value); }
double Trunc(double value) { return std::trunc(value); }
double RoundAway(double value) { return std::round(value); }

// Truncates to an integer, which may have more bits than the result. Returns false if there is none.
bool ToInteger(double value, S* integer) {
  if (!(std::fabs(value) < 0x1p127)) return false;
  int exponent = 0;
  const double fraction = std::frexp(std::trunc(value), &exponent);  // 53 bits
  const auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53;
  *integer = shift >= 0 ? static_cast<S>(static_cast<U>(S(mantissa)) << shift) : S(mantissa) / (S(1) << -shift);
  return true;
}
template <bool kSigned>
Lane IntegerLane(double value, unsigned width) {
  S integer;
  // Unsigned i128 also covers the numbers from 2^127 on.
  if (!kSigned && width == 128 && value >= 0x1p127 && value < 0x1p128) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return {U(static_cast<uint64_t>(std::ldexp(fraction, 53))) << (exponent - 53)};
  }
  if (value == -0x1p127 && kSigned && width == 128) return {U(1) << 127};
  if (!ToInteger(value, &integer)) return Lane::Undefined();
  const bool fits = kSigned ? SignExtended(static_cast<U>(integer) & LowBits(width), width) == integer
                            : integer >= 0 && (static_cast<U>(integer) & ~LowBits(width)) == 0;
  return fits ? Lane{static_cast<U>(integer)} : Lane::Undefined();
}
template <bool kSigned, double (*kFunction)(double)>
void FPToInt(const LaneContext& c, const Lane* in, Lane* out) {
  const bool flush = c.operation->flush_f32 && c.operand0 == MVT::kF32;
  *out = IntegerLane<kSigned>(kFunction(FloatValue(c.operand0, flush ? FlushedF32(in[0].bits) : in[0].bits)),
                              c.result_width);
}
template <bool kSigned>
void FPToIntSat(const LaneContext& c, const Lane* in, Lane* out) {
  const EVT type = c.operation->type_operand;
  const unsigned width = type.IsVector() ? ScalarSizeInBits(type.simple()) : type.SizeInBits();
  const double value = FloatValue(c.operand0, in[0].bits);
  if (width == 0 || width > c.result_width) {
    *out = Lane::Undefined();
    return;
  }
  if (std::isnan(value)) return;
  const Lane lane = IntegerLane<kSigned>(std::trunc(value), width);
  const U max = kSigned ? LowBits(width) >> 1 : LowBits(width);
  *out = !lane.is_undefined() ? lane : Lane{value > 0 ? max : kSigned ? ~max : U(0)};
}

template <bool kSigned>
void IntToFP(const LaneContext& c, const Lane* in, Lane* out) {
  const unsigned w = c.operand_width;
  const bool negative = kSigned && ((in[0].bits >> static_cast<int>(w - 1)) & 1) != 0;
  if (!kSigned && c.HasFlag(SDNodeFlags::kNonNeg) && ((in[0].bits >> static_cast<int>(w - 1)) & 1) != 0) {
    *out = Lane::Undefined();
    return;
  }
  U magnitude = negative ? (-in[0].bits & LowBits(w)) : in[0].bits;
  int scale = 0;
  // A magnitude of more than 64 bits keeps its upper 63 bits, and the lowest bit says if anything below was cut
  // off.
  for (; absl::Uint128High64(magnitude) != 0; ++scale) magnitude = (magnitude >> 1) | (magnitude & 1);
  const uint64_t low = absl::Uint128Low64(magnitude);
  if (c.result == MVT::kF64) {
    *out = Rounded(MVT::kF64, std::ldexp(ptx::IntegerToDouble(low, negative, kNearest), scale));
  } else {
    *out = Rounded(c.result, std::ldexp(ptx::IntegerToOdd(low, negative), scale));
  }
}

void FPConvert(const LaneContext& c, const Lane* in, Lane* out) {
  Arithmetic f(c, c.operand0);
  *out = f.Result(f.Operand(in[0]), c.result);
}
// Conversions from the 16-bit formats in integers.
template <MVT kFormat>
void FromFP16(const LaneContext& c, const Lane* in, Lane* out) {
  *out = Rounded(c.result, FloatValue(kFormat, in[0].bits & 0xffff));
}
template <MVT kFormat>
void ToFP16(const LaneContext& c, const Lane* in, Lane* out) {
  const Lane lane = Rounded(kFormat, FloatValue(c.operand0, in[0].bits));
  *out = lane.is_defined() ? lane : Lane::Undefined();
}

constexpr LaneRow kFloatRows[] = {
    {isd::kFAdd, 2, FAdd},
    {isd::kFSub, 2, FSub},
    {isd::kFMul, 2, FMul},
    {isd::kFDiv, 2, FDiv},
    {isd::kFRem, 2, FRem},
    {isd::kFMA, 3, Fma},
    {isd::kFSqrt, 1, FSqrt},
    {isd::kFNeg, 1, FNeg},
    {isd::kFAbs, 1, FAbs},
    {isd::kFCopySign, 2, CopySign<false>},
    {isd::kNvFCopySign, 2, CopySign<true>},
    {isd::kFGetSign, 1, FGetSign},
    {isd::kFCanonicalize, 1, FCanonicalize},
    {isd::kIsFPClass, 2, IsFPClass},
    {isd::kFMinNum, 2, FMinMax<false, false, 2>},
    {isd::kFMaxNum, 2, FMinMax<true, false, 2>},
    {isd::kFMinNumIEEE, 2, FMinMax<false, false, 2>},
    {isd::kFMaxNumIEEE, 2, FMinMax<true, false, 2>},
    {isd::kFMinimum, 2, FMinMax<false, true, 2>},
    {isd::kFMaximum, 2, FMinMax<true, true, 2>},
    {isd::kFMinimumNum, 2, FMinMax<false, false, 2>},
    {isd::kFMaximumNum, 2, FMinMax<true, false, 2>},
    {isd::kNvFMinNum3, 3, FMinMax<false, false, 3>},
    {isd::kNvFMaxNum3, 3, FMinMax<true, false, 3>},
    {isd::kNvFMinimum3, 3, FMinMax<false, true, 3>},
    {isd::kNvFMaximum3, 3, FMinMax<true, true, 3>},
    {isd::kFLdexp, 2, FLdexp},
    {isd::kFFrexp, 1, FFrexp},
    {isd::kFModf, 1, FModf},
    {isd::kFCeil, 1, ToIntegral<Ceil>},
    {isd::kFFloor, 1, ToIntegral<Floor>},
    {isd::kFTrunc, 1, ToIntegral<Trunc>},
    {isd::kFRint, 1, ToIntegral<NearestIntegral>},
    {isd::kFNearbyint, 1, ToIntegral<NearestIntegral>},
    {isd::kFRoundEven, 1, ToIntegral<NearestIntegral>},
    {isd::kFRound, 1, ToIntegral<RoundAway>},
    {isd::kLRound, 1, FPToInt<true, RoundAway>},
    {isd::kLLRound, 1, FPToInt<true, RoundAway>},
    {isd::kLRint, 1, FPToInt<true, NearestIntegral>},
    {isd::kLLRint, 1, FPToInt<true, NearestIntegral>},
    {isd::kFPToSInt, 1, FPToInt<true, Trunc>},
    {isd::kFPToUInt, 1, FPToInt<false, Trunc>},
    {isd::kFPToSIntSat, 1, FPToIntSat<true>},
    {isd::kFPToUIntSat, 1, FPToIntSat<false>},
    {isd::kSIntToFP, 1, IntToFP<true>},
    {isd::kUIntToFP, 1, IntToFP<false>},
    {isd::kFPRound, 1, FPConvert},
    {isd::kFPExtend, 1, FPConvert},
    {isd::kFP16ToFP, 1, FromFP16<MVT::kF16>},
    {isd::kFPToFP16, 1, ToFP16<MVT::kF16>},
    {isd::kBF16ToFP, 1, FromFP16<MVT::kBF16>},
    {isd::kFPToBF16, 1, ToFP16<MVT::kBF16>},
};

}  // namespace

absl::Span<const LaneRow> FloatLaneRows() { return kFloatRows; }

}  // namespace ptxmir::sdag
