// SPDX-License-Identifier: Apache-2.0

// Floating-point operations that PTX lacks in some formats.
//
//   f16, bf16     If the SM has no instruction for a format, and no fma to make sums and products from, the operation
//                 is done in f32 and rounded. f32 has more than twice the precision, so rounding twice gives the same
//                 result as rounding once. A fused multiply-add uses an f64 sum that is rounded to odd.
//   signs         fneg, fabs, fcopysign are operations on bits.
//   functions     sin, exp and the like are PTX's approximations. Without the flag afn the node is rejected, because
//                 there is no library of functions to call.
//   frem          x - trunc(x / y) * y, LLVM's expansion for NVPTX. It is exact while the quotient has fewer bits than
//                 the format. Beyond that the remainder has an error on the order of the quotient's last place.

#include <algorithm>
#include <bit>

#include "sdag/legalize/float_constants.h"
#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

// Does the operation in a wider format and rounds the result.
LegalValue InFormat(Legalizer& l, MVT wide, const Operation& op) {
  LegalValues operands;
  for (const LegalValue& operand : op.operands) {
    operands.push_back(operand.type == op.type ? l.Op(isd::kFPExtend, wide, {operand}) : operand);
  }
  return RoundTo(l, op.type, l.Op({op.opcode, wide, operands, op.flags, op.extra}));
}

LegalValue ExpandArithmetic(Legalizer& l, const Operation& op) {
  return IsSixteenBits(op.type) ? InFormat(l, MVT::kF32, op) : l.Refused(op.type);
}

// Computes an f64 sum rounded to odd, so that rounding it again gives the same result as rounding the exact sum
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). Knuth's TwoSum gives the exact rounding
// error.
LegalValue SumRoundedToOdd(Legalizer& l, const LegalValue& a, const LegalValue& b) {
  const auto add = [&](const LegalValue& x, const LegalValue& y) { return l.Op(isd::kFAdd, MVT::kF64, {x, y}); };
  const auto subtract = [&](const LegalValue& x, const LegalValue& y) { return l.Op(isd::kFSub, MVT::kF64, {x, y}); };
  const LegalValue sum = add(a, b);
  const LegalValue of_b = subtract(sum, a);
  const LegalValue error = add(subtract(a, subtract(sum, of_b)), subtract(b, of_b));
  const LegalValue bits = l.Bitcast(MVT::kI64, sum);
  const LegalValue zero = l.Constant(MVT::kI64, 0);
  const LegalValue one = l.Constant(MVT::kI64, 1);
  const LegalValue is_inexact = l.SetCC(CondCode::kOne, error, l.ConstantFP(MVT::kF64, 0));
  const LegalValue is_even = l.SetCC(CondCode::kEq, l.And(bits, one), zero);
  // The odd neighbor is on the side of the rounding error.
  const LegalValue differing = l.Op(isd::kXor, MVT::kI64, {bits, l.Bitcast(MVT::kI64, error)});
  const LegalValue is_larger = l.SetCC(CondCode::kGe, differing, zero);
  const LegalValue odd = l.Add(bits, l.Select(is_larger, one, l.SignedConstant(MVT::kI64, -1)));
  return l.Bitcast(MVT::kF64, l.Select(l.And(is_inexact, is_even), odd, bits));
}

// The product has at most 22 bits. The sum may need more bits than f64 has: a tiny summand can decide a tie.
LegalValue ExpandFMA(Legalizer& l, const Operation& op) {
  if (!IsSixteenBits(op.type)) return l.Refused(op.type);
  const auto widened = [&](unsigned i) { return l.Op(isd::kFPExtend, MVT::kF64, {op.operand(i)}); };
  const LegalValue product = l.Op(isd::kFMul, MVT::kF64, {widened(0), widened(1)});
  return RoundTo(l, op.type, SumRoundedToOdd(l, product, widened(2)));
}

LegalValue ExpandFMAD(Legalizer& l, const Operation& op) {
  return l.Op({isd::kFMA, op.type, op.operands, op.flags, SDValue()});
}

LegalValue ExpandFRem(Legalizer& l, const Operation& op) {
  if (IsSixteenBits(op.type)) return InFormat(l, MVT::kF32, op);
  const LegalValue &x = op.operand(0), &y = op.operand(1);
  const uint32_t flags = op.flags | SDNodeFlags::kAllowContract;
  const LegalValue quotient = l.Op(isd::kFTrunc, op.type, {l.Op(isd::kFDiv, op.type, {x, y}, op.flags)}, op.flags);
  const LegalValue negated = l.Op(isd::kFNeg, op.type, {quotient}, op.flags);
  // The fma does not round the product, which makes the remainder exact.
  const LegalValue rest = l.Op(isd::kFMA, op.type, {negated, y, x}, flags);
  if ((op.flags & SDNodeFlags::kNoInfs) != 0) return rest;
  // If y is infinite, nothing is subtracted.
  const LegalValue is_infinite =
      l.SetCC(CondCode::kOeq, l.Op(isd::kFAbs, op.type, {y}), l.ConstantFP(op.type, FloatFormatOf(op.type).infinity()));
  return l.Select(is_infinite, x, rest);
}

// Signs.

LegalValue Bits(Legalizer& l, const LegalValue& a) { return l.Bitcast(*ToInteger(a.type), a); }
LegalValue SignBit(Legalizer& l, MVT type) { return l.Constant(*ToInteger(type), FloatFormatOf(type).sign()); }

LegalValue ExpandFNeg(Legalizer& l, const Operation& op) {
  return l.Bitcast(op.type, l.Xor(Bits(l, op.operand(0)), SignBit(l, op.type)));
}

LegalValue ExpandFAbs(Legalizer& l, const Operation& op) {
  return l.Bitcast(op.type, l.And(Bits(l, op.operand(0)), l.Not(SignBit(l, op.type))));
}

LegalValue ExpandFCopySign(Legalizer& l, const Operation& op) {
  const unsigned width = SizeInBits(op.type), sign_width = SizeInBits(op.operand(1).type);
  const MVT integer = *ToInteger(op.type);
  LegalValue sign = Bits(l, op.operand(1));
  if (sign_width > width) sign = l.ZExtOrTrunc(integer, l.Shift(isd::kSrl, sign, sign_width - width));
  if (sign_width < width) sign = l.Shift(isd::kShl, l.AnyExtOrTrunc(integer, sign), width - sign_width);
  const LegalValue mask = SignBit(l, op.type);
  return l.Bitcast(op.type, l.Or(l.And(Bits(l, op.operand(0)), l.Not(mask)), l.And(sign, mask)));
}

LegalValue ExpandFGetSign(Legalizer& l, const Operation& op) {
  const LegalValue bits = Bits(l, op.operand(0));
  return l.ZExtOrTrunc(op.type, l.Shift(isd::kSrl, bits, SizeInBits(bits.type) - 1));
}

LegalValue ExpandFCanonicalize(Legalizer& l, const Operation& op) {
  return l.Op(isd::kFMul, op.type, {op.operand(0), FPConstant(l, op.type, 1.0)});
}

// Tests of LLVM's floating-point classes. Bits 0 to 9 are signaling NaN, quiet NaN, -infinity, -normal, -subnormal,
// -0, +0, +subnormal, +normal, +infinity.
LegalValue ExpandIsFPClass(Legalizer& l, const Operation& op) {
  const auto* constant = DynCast<ConstantSDNode>(op.extra);
  if (constant == nullptr) return l.Refused(op.type, "the classes are not constant");
  const uint64_t classes = constant->ZExtValue();
  const FloatFormat& format = FloatFormatOf(op.operand(0).type);
  const LegalValue bits = Bits(l, op.operand(0));
  const MVT type = bits.type;
  const LegalValue magnitude = l.And(bits, l.Constant(type, format.sign() - 1));
  const LegalValue is_negative = l.IsNegative(bits);
  LegalValue result = l.Constant(MVT::kI1, 0);
  const auto add = [&](const LegalValue& term) { result = l.Or(result, term); };
  // first <= magnitude < end
  const auto in_range = [&](uint64_t first, uint64_t end) {
    return l.SetCC(CondCode::kUlt, l.Sub(magnitude, l.Constant(type, first)), l.Constant(type, end - first));
  };
  const uint64_t infinity = format.infinity(), end = format.sign();
  if ((classes & 1) != 0) add(in_range(infinity + 1, format.quiet_nan()));
  if ((classes & 2) != 0) add(in_range(format.quiet_nan(), end));
  struct SignedClass {
    unsigned negative_bit, positive_bit;
    uint64_t first, end;
  };
  const SignedClass signed_classes[] = {{2, 9, infinity, infinity + 1},
                                        {3, 8, format.smallest_normal(), infinity},
                                        {4, 7, 1, format.smallest_normal()},
                                        {5, 6, 0, 1}};
  for (const SignedClass& range : signed_classes) {
    const bool negative = (classes >> range.negative_bit & 1) != 0, positive = (classes >> range.positive_bit & 1) != 0;
    if (!negative && !positive) continue;
    LegalValue term = in_range(range.first, range.end);
    if (!positive) term = l.And(term, is_negative);
    if (!negative) term = l.And(term, l.Not(is_negative));
    add(term);
  }
  return l.SExtOrTrunc(op.type, result);
}

// Minima and maxima. If one operand is a NaN, PTX's min and max return the other. They treat -0 as less than +0.

LegalValue ExpandMinMaxNum(Legalizer& l, const Operation& op) {
  int16_t opcode = op.opcode;
  switch (op.opcode) {
    case isd::kFMinNumIEEE:
    case isd::kFMinimumNum:
      opcode = isd::kFMinNum;
      break;
    case isd::kFMaxNumIEEE:
    case isd::kFMaximumNum:
      opcode = isd::kFMaxNum;
      break;
    default:
      return ExpandArithmetic(l, op);
  }
  return l.Op({opcode, op.type, op.operands, op.flags, SDValue()});
}

LegalValue ExpandMinimum(Legalizer& l, const Operation& op) {
  if (IsSixteenBits(op.type)) return InFormat(l, MVT::kF32, op);
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const LegalValue number =
      l.Op(op.opcode == isd::kFMinimum ? isd::kFMinNum : isd::kFMaxNum, op.type, {a, b}, op.flags);
  return l.Select(l.SetCC(CondCode::kUo, a, b), l.ConstantFP(op.type, FloatFormatOf(op.type).quiet_nan()), number);
}

// Rounding to integers.

LegalValue ExpandRoundToIntegral(Legalizer& l, const Operation& op) {
  if (IsSixteenBits(op.type)) return InFormat(l, MVT::kF32, op);
  // Rounding is always to nearest, ties to even.
  if (op.opcode == isd::kFNearbyint || op.opcode == isd::kFRoundEven) {
    return l.Op(isd::kFRint, op.type, {op.operand(0)}, op.flags);
  }
  return l.Refused(op.type);
}

// Rounds ties away from zero. The truncated value is exact, and so is that value plus one.
LegalValue ExpandFRound(Legalizer& l, const Operation& op) {
  if (IsSixteenBits(op.type)) return InFormat(l, MVT::kF32, op);
  const LegalValue& x = op.operand(0);
  const LegalValue cut = l.Op(isd::kFTrunc, op.type, {x});
  const LegalValue rest = l.Op(isd::kFAbs, op.type, {l.Op(isd::kFSub, op.type, {x, cut})});
  const LegalValue is_more = l.SetCC(CondCode::kOge, rest, FPConstant(l, op.type, 0.5));
  const LegalValue more = l.Select(is_more, FPConstant(l, op.type, 1.0), FPConstant(l, op.type, 0.0));
  // Use the sign of x also if the result is zero.
  return l.Op(isd::kFAdd, op.type, {cut, l.Op(isd::kFCopySign, op.type, {more, x})});
}

LegalValue ExpandRoundToInt(Legalizer& l, const Operation& op) {
  const LegalValue& x = op.operand(0);
  const bool is_round = op.opcode == isd::kLRound || op.opcode == isd::kLLRound;
  return l.Op(isd::kFPToSInt, op.type, {l.Op(is_round ? isd::kFRound : isd::kFRint, x.type, {x})});
}

// Functions.

bool MayApproximate(Legalizer& l, const Operation& op) {
  if ((op.flags & SDNodeFlags::kApproximateFuncs) != 0) return true;
  l.Refuse("PTX only approximates it, which the flag afn would allow, and there is no library to call");
  return false;
}

LegalValue ExpandFunction(Legalizer& l, const Operation& op) {
  if (op.opcode != isd::kFExp2 && !MayApproximate(l, op)) return l.Undef(op.type);
  if (IsSixteenBits(op.type)) return InFormat(l, MVT::kF32, op);
  return l.Refused(op.type, op.type == MVT::kF32 ? "" : "PTX approximates it in f32 only");
}

constexpr double kLog2OfE = 1.4426950408889634, kLog2Of10 = 3.321928094887362;

// Returns an f32 constant, which may be inexact.
LegalValue F32(Legalizer& l, float value) { return l.ConstantFP(MVT::kF32, std::bit_cast<uint32_t>(value)); }

LegalValue ExpandExpOrLog(Legalizer& l, const Operation& op) {
  if (op.type != MVT::kF32) return ExpandFunction(l, op);
  if (!MayApproximate(l, op)) return l.Undef(op.type);
  const LegalValue& x = op.operand(0);
  switch (op.opcode) {
    case isd::kFExp:
    case isd::kFExp10: {
      const LegalValue factor = F32(l, static_cast<float>(op.opcode == isd::kFExp ? kLog2OfE : kLog2Of10));
      return l.Op(isd::kFExp2, MVT::kF32, {l.Op(isd::kFMul, MVT::kF32, {x, factor})}, op.flags);
    }
    default: {
      const LegalValue factor = F32(l, static_cast<float>(1 / (op.opcode == isd::kFLog ? kLog2OfE : kLog2Of10)));
      return l.Op(isd::kFMul, MVT::kF32, {l.Op(isd::kFLog2, MVT::kF32, {x}, op.flags), factor});
    }
  }
}

LegalValue ExpandFTan(Legalizer& l, const Operation& op) {
  if (op.type != MVT::kF32) return ExpandFunction(l, op);
  if (!MayApproximate(l, op)) return l.Undef(op.type);
  return l.Op(
      isd::kFDiv, op.type,
      {l.Op(isd::kFSin, op.type, {op.operand(0)}, op.flags), l.Op(isd::kFCos, op.type, {op.operand(0)}, op.flags)},
      op.flags);
}

void VisitFSinCos(Legalizer& l, SDNode& node) {
  const LegalValue x = l.ValueOf(node.operand(0));
  l.SetResult(0, l.Op(isd::kFSin, x.type, {x}, node.flags()));
  l.SetResult(1, l.Op(isd::kFCos, x.type, {x}, node.flags()));
}

// Computes a power with a constant exponent, by squaring.
LegalValue PowerOf(Legalizer& l, const LegalValue& x, uint64_t exponent, uint32_t flags) {
  LegalValue result, square = x;
  bool has_result = false;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result = has_result ? l.Op(isd::kFMul, x.type, {result, square}, flags) : square;
      has_result = true;
    }
    if (exponent > 1) square = l.Op(isd::kFMul, x.type, {square, square}, flags);
  }
  return has_result ? result : FPConstant(l, x.type, 1.0);
}

LegalValue ExpandFPowI(Legalizer& l, const Operation& op) {
  const LegalValue& x = op.operand(0);
  const auto* exponent = DynCast<ConstantSDNode>(op.operand(1).part());
  if (exponent == nullptr) return l.Refused(op.type, "the exponent is not constant, and there is no library to call");
  const int64_t power = exponent->SExtValue();
  const LegalValue positive =
      PowerOf(l, x, power < 0 ? uint64_t{0} - static_cast<uint64_t>(power) : static_cast<uint64_t>(power), op.flags);
  if (power >= 0) return positive;
  return l.Op(isd::kFDiv, op.type, {FPConstant(l, op.type, 1.0), positive}, op.flags);
}

// Exponents.

// Computes x * 2^n with at most three multiplications by powers of two that the format has. If the result is
// denormal, only the last multiplication rounds, unless the value is so small that all of them give zero.
LegalValue ExpandFLdexp(Legalizer& l, const Operation& op) {
  if (IsSixteenBits(op.type)) {
    // f32 has more than twice the precision, and its powers reach the extremes of f16 and bf16.
    return RoundTo(l, op.type,
                   l.Op(isd::kFLdexp, MVT::kF32, {l.Op(isd::kFPExtend, MVT::kF32, {op.operand(0)}), op.operand(1)}));
  }
  const FloatFormat& format = FloatFormatOf(op.type);
  const int limit = format.bias();                                       // the largest exponent
  const int step_down = format.bias() - 1 - (format.mantissa_bits + 1);  // never reaches the denormals
  const MVT wide = SizeInBits(op.operand(1).type) > 32 ? op.operand(1).type : MVT::kI32;
  const auto number = [&](int value) { return l.SignedConstant(MVT::kI32, value); };
  LegalValue n = l.SExtOrTrunc(wide, op.operand(1));
  n = l.Op(isd::kSMin, wide, {n, l.SignedConstant(wide, 3 * limit)});
  n = l.Op(isd::kSMax, wide, {n, l.SignedConstant(wide, -3 * limit)});
  n = l.SExtOrTrunc(MVT::kI32, n);
  LegalValue x = op.operand(0);
  const auto times = [&](const LegalValue& value, int exponent) {
    return l.Op(isd::kFMul, op.type,
                {value, l.ConstantFP(op.type, static_cast<uint64_t>(exponent + limit) << format.mantissa_bits)});
  };
  for (int i = 0; i < 2; ++i) {
    const LegalValue is_large = l.SetCC(CondCode::kGt, n, number(limit));
    const LegalValue is_small = l.SetCC(CondCode::kLt, n, number(1 - limit));
    x = l.Select(is_large, times(x, limit), l.Select(is_small, times(x, -step_down), x));
    n = l.Select(is_large, l.Sub(n, number(limit)), l.Select(is_small, l.Add(n, number(step_down)), n));
  }
  n = l.Op(isd::kSMax, MVT::kI32, {l.Op(isd::kSMin, MVT::kI32, {n, number(limit)}), number(1 - limit)});
  const LegalValue exponent = l.ZExtOrTrunc(*ToInteger(op.type), l.Add(n, number(limit)));
  return l.Op(isd::kFMul, op.type, {x, l.Bitcast(op.type, l.Shift(isd::kShl, exponent, format.mantissa_bits))});
}

std::array<LegalValue, 2> FrexpOf(Legalizer& l, const LegalValue& x, MVT exponent_type) {
  const FloatFormat& format = FloatFormatOf(x.type);
  const MVT integer = *ToInteger(x.type);
  const auto word = [&](uint64_t value) { return l.Constant(integer, value); };
  const auto magnitude = [&](const LegalValue& bits) { return l.And(bits, word(format.sign() - 1)); };
  const LegalValue bits = Bits(l, x);
  // Scale denormals to normal numbers.
  const unsigned scale = format.mantissa_bits + 2;
  const LegalValue is_denormal = l.SetCC(CondCode::kUlt, magnitude(bits), word(format.smallest_normal()));
  const LegalValue scaled = l.Op(isd::kFMul, x.type, {x, PowerOfTwo(l, x.type, scale)});
  const LegalValue normal = l.Select(is_denormal, Bits(l, scaled), bits);
  const LegalValue exponent = l.Sub(l.Shift(isd::kSrl, magnitude(normal), format.mantissa_bits),
                                    l.Select(is_denormal, word(format.bias() - 1 + scale), word(format.bias() - 1)));
  const LegalValue kept = l.And(normal, word(~format.infinity()));
  const LegalValue fraction =
      l.Bitcast(x.type, l.Or(kept, word(static_cast<uint64_t>(format.bias() - 1) << format.mantissa_bits)));
  // Zero, infinity and NaN are their own fraction. For them, magnitude - 1 (unsigned) is not below infinity - 1.
  const LegalValue is_special = l.SetCC(CondCode::kUge, l.Sub(magnitude(bits), word(1)), word(format.infinity() - 1));
  return {l.Select(is_special, x, fraction),
          l.Select(is_special, l.Constant(exponent_type, 0), l.SExtOrTrunc(exponent_type, exponent))};
}

void VisitFFrexp(Legalizer& l, SDNode& node) {
  const LegalValue x = l.ValueOf(node.operand(0));
  LegalValues fractions, exponents;
  if (NumElements(x.type) != NumElements(node.value_type(1))) return l.Refuse("the results differ in their elements");
  const MVT scalar = ScalarType(x.type), exponent_type = ScalarType(node.value_type(1));
  for (unsigned lane = 0; lane < std::max(1u, NumElements(x.type)); ++lane) {
    const LegalValue element = l.Lane(x, lane);
    const bool is_narrow = IsSixteenBits(scalar);
    const auto both = FrexpOf(l, is_narrow ? l.Op(isd::kFPExtend, MVT::kF32, {element}) : element, exponent_type);
    fractions.push_back(is_narrow ? RoundTo(l, scalar, both[0]) : both[0]);
    exponents.push_back(both[1]);
  }
  if (l.has_refused()) return;
  l.SetResult(0, IsVector(x.type) ? l.FromLanes(x.type, fractions) : fractions[0]);
  l.SetResult(1, IsVector(x.type) ? l.FromLanes(node.value_type(1), exponents) : exponents[0]);
}

// Returns the fraction and the integral part, both with the sign of x.
void VisitFModf(Legalizer& l, SDNode& node) {
  const LegalValue x = l.ValueOf(node.operand(0));
  const LegalValue integral = l.Op(isd::kFTrunc, x.type, {x});
  LegalValues fractions;
  for (unsigned lane = 0; lane < std::max(1u, NumElements(x.type)); ++lane) {
    const LegalValue value = l.Lane(x, lane), whole = l.Lane(integral, lane);
    const LegalValue is_infinite = l.SetCC(CondCode::kOeq, l.Op(isd::kFAbs, value.type, {value}),
                                           l.ConstantFP(value.type, FloatFormatOf(value.type).infinity()));
    const LegalValue rest =
        l.Select(is_infinite, FPConstant(l, value.type, 0.0), l.Op(isd::kFSub, value.type, {value, whole}));
    fractions.push_back(l.Op(isd::kFCopySign, value.type, {rest, value}));
  }
  if (l.has_refused()) return;
  l.SetResult(0, IsVector(x.type) ? l.FromLanes(x.type, fractions) : fractions[0]);
  l.SetResult(1, integral);
}

constexpr LegalizeRow kFloatLegalizeRows[] = {
    {isd::kFAdd, Promotion::kNone, ExpandArithmetic},
    {isd::kFSub, Promotion::kNone, ExpandArithmetic},
    {isd::kFMul, Promotion::kNone, ExpandArithmetic},
    {isd::kFDiv, Promotion::kNone, ExpandArithmetic},
    {isd::kFSqrt, Promotion::kNone, ExpandArithmetic},
    {isd::kFRem, Promotion::kNone, ExpandFRem},
    {isd::kFMA, Promotion::kNone, ExpandFMA},
    {isd::kFMAD, Promotion::kNone, ExpandFMAD},
    {isd::kFNeg, Promotion::kNone, ExpandFNeg},
    {isd::kFAbs, Promotion::kNone, ExpandFAbs},
    {isd::kFCopySign, Promotion::kNone, ExpandFCopySign},
    {isd::kFGetSign, Promotion::kNone, ExpandFGetSign},
    {isd::kFCanonicalize, Promotion::kNone, ExpandFCanonicalize},
    {isd::kIsFPClass, Promotion::kNone, ExpandIsFPClass},
    {isd::kFMinNum, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMaxNum, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMinNumIEEE, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMaxNumIEEE, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMinimumNum, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMaximumNum, Promotion::kNone, ExpandMinMaxNum},
    {isd::kFMinimum, Promotion::kNone, ExpandMinimum},
    {isd::kFMaximum, Promotion::kNone, ExpandMinimum},
    {isd::kFCeil, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFFloor, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFTrunc, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFRint, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFNearbyint, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFRoundEven, Promotion::kNone, ExpandRoundToIntegral},
    {isd::kFRound, Promotion::kNone, ExpandFRound},
    {isd::kLRound, Promotion::kNone, ExpandRoundToInt},
    {isd::kLLRound, Promotion::kNone, ExpandRoundToInt},
    {isd::kLRint, Promotion::kNone, ExpandRoundToInt},
    {isd::kLLRint, Promotion::kNone, ExpandRoundToInt},
    {isd::kFSin, Promotion::kNone, ExpandFunction},
    {isd::kFCos, Promotion::kNone, ExpandFunction},
    {.opcode = isd::kFSinCos, .visit = VisitFSinCos},
    {isd::kFTan, Promotion::kNone, ExpandFTan},
    {isd::kFTanh, Promotion::kNone, ExpandFunction},
    {isd::kFExp, Promotion::kNone, ExpandExpOrLog},
    {isd::kFExp2, Promotion::kNone, ExpandFunction},
    {isd::kFExp10, Promotion::kNone, ExpandExpOrLog},
    {isd::kFLog, Promotion::kNone, ExpandExpOrLog},
    {isd::kFLog2, Promotion::kNone, ExpandFunction},
    {isd::kFLog10, Promotion::kNone, ExpandExpOrLog},
    {isd::kFPowI, Promotion::kNone, ExpandFPowI},
    {isd::kFLdexp, Promotion::kNone, ExpandFLdexp},
    {.opcode = isd::kFFrexp, .visit = VisitFFrexp},
    {.opcode = isd::kFModf, .visit = VisitFModf},
};

}  // namespace

absl::Span<const LegalizeRow> FloatRows() { return kFloatLegalizeRows; }

}  // namespace ptxmir::sdag
