// SPDX-License-Identifier: Apache-2.0

// Integer arithmetic that PTX lacks in its native widths, and i128 (wide_integers.cc).

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

MVT DoubleWidth(MVT type) { return type == MVT::kI1 ? MVT::kI16 : *IntegerOf(2 * SizeInBits(type)); }

LegalValue ExpandAddSub(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  if (op.type == MVT::kI1) return l.Xor(a, b);
  if (op.type == MVT::kI128) return op.opcode == isd::kAdd ? WideAdd(l, a, b) : WideSub(l, a, b);
  l.Refuse("");
  return l.Undef(op.type);
}

LegalValue ExpandMul(Legalizer& l, const Operation& op) {
  if (op.type == MVT::kI1) return l.And(op.operand(0), op.operand(1));
  if (op.type == MVT::kI128) return WideMul(l, op.operand(0), op.operand(1));
  l.Refuse("");
  return l.Undef(op.type);
}

LegalValue ExpandBitwise(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  if (op.type == MVT::kI128) {
    return l.Wide(l.Op(op.opcode, MVT::kI64, {l.Low(a), l.Low(b)}), l.Op(op.opcode, MVT::kI64, {l.High(a), l.High(b)}));
  }
  l.Refuse("");
  return l.Undef(op.type);
}

LegalValue ExpandShift(Legalizer& l, const Operation& op) {
  if (op.type == MVT::kI128) return WideShift(l, op.opcode, op.operand(0), op.operand(1));
  l.Refuse("");
  return l.Undef(op.type);
}

LegalValue ExpandDivision(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  if (op.type != MVT::kI128) {
    l.Refuse("");
    return l.Undef(op.type);
  }
  const bool is_remainder = op.opcode == isd::kSRem || op.opcode == isd::kURem;
  if (op.opcode == isd::kUDiv || op.opcode == isd::kURem) return WideDivide(l, a, b)[is_remainder ? 1 : 0];
  // Divide the magnitudes. The quotient is negative if the signs differ; the remainder has the sign of the
  // dividend.
  const LegalValue sign_a = l.SignMask(a), sign_b = l.SignMask(b);
  const LegalValue magnitude =
      WideDivide(l, l.Sub(l.Xor(a, sign_a), sign_a), l.Sub(l.Xor(b, sign_b), sign_b))[is_remainder ? 1 : 0];
  const LegalValue sign = is_remainder ? sign_a : l.Xor(sign_a, sign_b);
  return l.Sub(l.Xor(magnitude, sign), sign);
}

std::array<LegalValue, 2> ExpandDivRem(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> in) {
  const MVT type = in[0].type;
  if (opcode == isd::kUDivRem && type == MVT::kI128) return WideDivide(l, in[0], in[1]);
  const int16_t division = opcode == isd::kSDivRem ? isd::kSDiv : isd::kUDiv;
  const LegalValue quotient = l.Op(division, type, {in[0], in[1]});
  return {quotient, l.Sub(in[0], l.Mul(quotient, in[1]))};
}

std::array<LegalValue, 2> ExpandMulLoHi(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> in) {
  const int16_t high = opcode == isd::kSMulLoHi ? isd::kMulHS : isd::kMulHU;
  return {l.Mul(in[0], in[1]), l.Op(high, in[0].type, {in[0], in[1]})};
}

// Computes the upper half of a product of 256 bits from four products of 64-bit parts:
//   a1*b1 << 128  +  (a1*b0 + a0*b1) << 64  +  a0*b0
LegalValue WideMulHigh(Legalizer& l, const LegalValue& a, const LegalValue& b, bool is_signed) {
  const auto product = [&](const LegalValue& x, const LegalValue& y) {
    return l.Wide(l.Mul(x, y), l.Op(isd::kMulHU, MVT::kI64, {x, y}));
  };
  const auto extended = [&](const LegalValue& x) { return l.Wide(x, l.Constant(MVT::kI64, 0)); };
  const LegalValue a0 = l.Low(a), a1 = l.High(a), b0 = l.Low(b), b1 = l.High(b);
  const LegalValue carry = l.Op(isd::kMulHU, MVT::kI64, {a0, b0});
  const LegalValue middle = l.Add(product(a0, b1), extended(carry));
  const LegalValue rest = l.Add(product(a1, b0), extended(l.Low(middle)));
  LegalValue high = l.Add(l.Add(product(a1, b1), extended(l.High(middle))), extended(l.High(rest)));
  if (is_signed) {
    // A negative operand was counted 2^128 too large.
    high = l.Sub(high, l.And(l.SignMask(a), b));
    high = l.Sub(high, l.And(l.SignMask(b), a));
  }
  return high;
}

LegalValue ExpandMulHigh(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const bool is_signed = op.opcode == isd::kMulHS;
  if (op.type == MVT::kI128) return WideMulHigh(l, a, b, is_signed);
  const MVT wide = DoubleWidth(op.type);
  const int16_t extension = is_signed ? isd::kSignExtend : isd::kZeroExtend;
  const LegalValue product = l.Mul(l.Resize(extension, wide, a), l.Resize(extension, wide, b));
  return l.ZExtOrTrunc(op.type, l.Shift(isd::kSrl, product, SizeInBits(op.type)));
}

LegalValue ExpandAverage(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const bool is_signed = op.opcode == isd::kAvgFloorS || op.opcode == isd::kAvgCeilS;
  const LegalValue half = l.Shift(is_signed ? isd::kSra : isd::kSrl, l.Xor(a, b), 1);
  const bool is_floor = op.opcode == isd::kAvgFloorS || op.opcode == isd::kAvgFloorU;
  return is_floor ? l.Add(l.And(a, b), half) : l.Sub(l.Or(a, b), half);
}

LegalValue ExpandAbsDifference(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const bool is_signed = op.opcode == isd::kAbdS;
  return l.Sub(l.Op(is_signed ? isd::kSMax : isd::kUMax, op.type, {a, b}),
               l.Op(is_signed ? isd::kSMin : isd::kUMin, op.type, {a, b}));
}

LegalValue ExpandMinMax(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  CondCode code = CondCode::kUgt;
  if (op.opcode == isd::kSMin) code = CondCode::kLt;
  if (op.opcode == isd::kSMax) code = CondCode::kGt;
  if (op.opcode == isd::kUMin) code = CondCode::kUlt;
  return l.Select(l.SetCC(code, a, b), a, b);
}

LegalValue ExpandAbs(Legalizer& l, const Operation& op) {
  const LegalValue sign = l.SignMask(op.operand(0));
  return l.Sub(l.Xor(op.operand(0), sign), sign);
}

LegalValue ExpandCompare3(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const bool is_signed = op.opcode == isd::kSCmp;
  const LegalValue greater = l.SetCC(is_signed ? CondCode::kGt : CondCode::kUgt, a, b);
  const LegalValue less = l.SetCC(is_signed ? CondCode::kLt : CondCode::kUlt, a, b);
  return l.Sub(l.ZExtOrTrunc(op.type, greater), l.ZExtOrTrunc(op.type, less));
}

LegalValue SignedMinimum(Legalizer& l, MVT type) {
  return l.Constant(type, absl::uint128(1) << (SizeInBits(type) - 1));
}

// Computes whether a + b or a - b, which gave `result`, has left the signed range. For a sum, the sign of both
// operands differs from the result's. For a difference, the sign of a differs from that of b and of the result.
LegalValue SignedOverflow(Legalizer& l, bool is_add, const LegalValue& a, const LegalValue& b,
                          const LegalValue& result) {
  const LegalValue other = l.Xor(a, is_add ? result : b);
  return l.IsNegative(l.And(other, is_add ? l.Xor(b, result) : l.Xor(a, result)));
}

LegalValue ExpandUnsignedSat(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  if (op.opcode == isd::kUAddSat) return l.Add(l.Op(isd::kUMin, op.type, {a, l.Not(b)}), b);
  return l.Sub(l.Op(isd::kUMax, op.type, {a, b}), b);
}

LegalValue ExpandSignedSat(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const bool is_add = op.opcode == isd::kSAddSat;
  const LegalValue result = is_add ? l.Add(a, b) : l.Sub(a, b);
  // A result that is negative because it has overflowed was too large.
  const LegalValue limit = l.Xor(l.SignMask(result), SignedMinimum(l, op.type));
  return l.Select(SignedOverflow(l, is_add, a, b, result), limit, result);
}

LegalValue ExpandShlSat(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &amount = op.operand(1);
  const bool is_signed = op.opcode == isd::kSShlSat;
  const LegalValue shifted = l.Op(isd::kShl, op.type, {a, amount});
  const LegalValue back = l.Op(is_signed ? isd::kSra : isd::kSrl, op.type, {shifted, amount});
  const LegalValue limit =
      is_signed ? l.Xor(l.SignMask(a), l.Not(SignedMinimum(l, op.type))) : l.SignedConstant(op.type, -1);
  return l.Select(l.SetCC(CondCode::kEq, back, a), shifted, limit);
}

constexpr LegalizeRow kIntegerLegalizeRows[] = {
    {isd::kAdd, Promotion::kAny, ExpandAddSub},
    {isd::kSub, Promotion::kAny, ExpandAddSub},
    {isd::kMul, Promotion::kAny, ExpandMul},
    {isd::kAnd, Promotion::kAny, ExpandBitwise},
    {isd::kOr, Promotion::kAny, ExpandBitwise},
    {isd::kXor, Promotion::kAny, ExpandBitwise},
    {isd::kShl, Promotion::kAny, ExpandShift},
    {isd::kSra, Promotion::kSign, ExpandShift},
    {isd::kSrl, Promotion::kZero, ExpandShift},
    {isd::kSDiv, Promotion::kSign, ExpandDivision},
    {isd::kUDiv, Promotion::kZero, ExpandDivision},
    {isd::kSRem, Promotion::kSign, ExpandDivision},
    {isd::kURem, Promotion::kZero, ExpandDivision},
    {isd::kMulHS, Promotion::kNone, ExpandMulHigh},
    {isd::kMulHU, Promotion::kNone, ExpandMulHigh},
    {isd::kAvgFloorS, Promotion::kSign, ExpandAverage},
    {isd::kAvgFloorU, Promotion::kZero, ExpandAverage},
    {isd::kAvgCeilS, Promotion::kSign, ExpandAverage},
    {isd::kAvgCeilU, Promotion::kZero, ExpandAverage},
    {isd::kAbdS, Promotion::kSign, ExpandAbsDifference},
    {isd::kAbdU, Promotion::kZero, ExpandAbsDifference},
    {isd::kSMin, Promotion::kSign, ExpandMinMax},
    {isd::kSMax, Promotion::kSign, ExpandMinMax},
    {isd::kUMin, Promotion::kZero, ExpandMinMax},
    {isd::kUMax, Promotion::kZero, ExpandMinMax},
    {isd::kAbs, Promotion::kSign, ExpandAbs},
    {isd::kSCmp, Promotion::kNone, ExpandCompare3},
    {isd::kUCmp, Promotion::kNone, ExpandCompare3},
    {isd::kSAddSat, Promotion::kNone, ExpandSignedSat},
    {isd::kUAddSat, Promotion::kNone, ExpandUnsignedSat},
    {isd::kSSubSat, Promotion::kNone, ExpandSignedSat},
    {isd::kUSubSat, Promotion::kNone, ExpandUnsignedSat},
    {isd::kSShlSat, Promotion::kNone, ExpandShlSat},
    {isd::kUShlSat, Promotion::kNone, ExpandShlSat},
    {.opcode = isd::kSDivRem, .visit = VisitAsPair<ExpandDivRem>},
    {.opcode = isd::kUDivRem, .visit = VisitAsPair<ExpandDivRem>},
    {.opcode = isd::kSMulLoHi, .visit = VisitAsPair<ExpandMulLoHi>},
    {.opcode = isd::kUMulLoHi, .visit = VisitAsPair<ExpandMulLoHi>},
};

// Overflow and carries.

std::array<LegalValue, 2> ExpandAddSubOverflow(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> in) {
  const LegalValue &a = in[0], &b = in[1];
  const bool is_add = opcode == isd::kSAddO || opcode == isd::kUAddO;
  const LegalValue result = is_add ? l.Add(a, b) : l.Sub(a, b);
  if (opcode == isd::kUAddO) return {result, l.SetCC(CondCode::kUlt, result, a)};
  if (opcode == isd::kUSubO) return {result, l.SetCC(CondCode::kUlt, a, b)};
  return {result, SignedOverflow(l, is_add, a, b, result)};
}

std::array<LegalValue, 2> ExpandMulOverflow(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> in) {
  const LegalValue &a = in[0], &b = in[1];
  const MVT type = a.type;
  const bool is_signed = opcode == isd::kSMulO;
  if (SizeInBits(type) >= 64) {
    const LegalValue low = l.Mul(a, b);
    const LegalValue high = l.Op(is_signed ? isd::kMulHS : isd::kMulHU, type, {a, b});
    return {low, l.SetCC(CondCode::kNe, high, is_signed ? l.SignMask(low) : l.Constant(type, 0))};
  }
  const MVT wide = DoubleWidth(type);
  const int16_t extension = is_signed ? isd::kSignExtend : isd::kZeroExtend;
  const LegalValue product = l.Mul(l.Resize(extension, wide, a), l.Resize(extension, wide, b));
  const LegalValue low = l.ZExtOrTrunc(type, product);
  return {low, l.SetCC(CondCode::kNe, l.Resize(extension, wide, low), product)};
}

std::array<LegalValue, 2> ExpandWithCarry(Legalizer& l, int16_t opcode, absl::Span<const LegalValue> in) {
  const LegalValue &a = in[0], &b = in[1];
  const bool is_add = opcode == isd::kSAddOCarry || opcode == isd::kUAddOCarry;
  const LegalValue carry = l.ZExtOrTrunc(a.type, in[2]);
  const LegalValue partial = is_add ? l.Add(a, b) : l.Sub(a, b);
  const LegalValue result = is_add ? l.Add(partial, carry) : l.Sub(partial, carry);
  if (opcode == isd::kSAddOCarry || opcode == isd::kSSubOCarry) {
    return {result, SignedOverflow(l, is_add, a, b, result)};
  }
  const LegalValue first = is_add ? l.SetCC(CondCode::kUlt, partial, a) : l.SetCC(CondCode::kUlt, a, b);
  const LegalValue second = l.SetCC(CondCode::kUlt, is_add ? result : partial, is_add ? partial : carry);
  return {result, l.Or(first, second)};
}

constexpr LegalizeRow kOverflowLegalizeRows[] = {
    {.opcode = isd::kSAddO, .visit = VisitAsPair<ExpandAddSubOverflow>},
    {.opcode = isd::kUAddO, .visit = VisitAsPair<ExpandAddSubOverflow>},
    {.opcode = isd::kSSubO, .visit = VisitAsPair<ExpandAddSubOverflow>},
    {.opcode = isd::kUSubO, .visit = VisitAsPair<ExpandAddSubOverflow>},
    {.opcode = isd::kSMulO, .visit = VisitAsPair<ExpandMulOverflow>},
    {.opcode = isd::kUMulO, .visit = VisitAsPair<ExpandMulOverflow>},
    {.opcode = isd::kSAddOCarry, .visit = VisitAsPair<ExpandWithCarry>},
    {.opcode = isd::kUAddOCarry, .visit = VisitAsPair<ExpandWithCarry>},
    {.opcode = isd::kSSubOCarry, .visit = VisitAsPair<ExpandWithCarry>},
    {.opcode = isd::kUSubOCarry, .visit = VisitAsPair<ExpandWithCarry>},
};

}  // namespace

absl::Span<const LegalizeRow> IntegerRows() { return kIntegerLegalizeRows; }
absl::Span<const LegalizeRow> OverflowRows() { return kOverflowLegalizeRows; }

}  // namespace ptxmir::sdag
