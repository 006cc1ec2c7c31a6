// SPDX-License-Identifier: Apache-2.0

// Division and remainder by constants (Granlund and Montgomery, "Division by invariant integers using
// multiplication", PLDI 1994; Warren, "Hacker's Delight", chapter 10). PTX otherwise needs hundreds of instructions
// for them.

#include <optional>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

SDValue Shift(const CombineContext& context, int16_t opcode, SDLoc loc, SDValue value, unsigned amount,
              uint32_t flags = 0) {
  if (!value || amount == 0) return value;
  const bool is_legal = !context.before_legalize() && !IsVector(value.type());
  const MVT amount_type = is_legal ? MVT::kI32 : ShiftAmountType(value.type());
  return context.Node(opcode, loc, value.type(), {value, context.Int(amount_type, amount)}, flags);
}

bool IsRemainder(int16_t opcode) { return opcode == isd::kSRem || opcode == isd::kURem; }

// x / 1, x / -1, 0 / x, x / x (for x = 0 any result is correct), and the remainders of these.
SDValue SimplifyDivision(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const bool is_signed = node.opcode() == isd::kSDiv || node.opcode() == isd::kSRem;
  const bool remainder = IsRemainder(node.opcode());
  if (IsZero(b)) return context.dag().GetUndef(type);
  // In i1, 1 is -1 and is the only possible divisor.
  if (IsOne(b) || ScalarSizeInBits(type) == 1) return remainder ? context.Zero(type) : a;
  if (IsZero(a)) return a;
  if (a == b) return remainder ? context.Zero(type) : context.Int(type, 1);
  if (is_signed && IsAllOnes(b)) {
    if (remainder) return context.Zero(type);
    return context.Node(isd::kSub, node.loc(), type, {context.Zero(type), a});
  }
  return SDValue();
}

// Signed division of nonnegative values is unsigned division.
SDValue SignedToUnsigned(const CombineContext& context, SDNode& node) {
  if (!ComputeKnownBits(node.operand(0)).IsNonNegative() || !ComputeKnownBits(node.operand(1)).IsNonNegative()) {
    return SDValue();
  }
  return context.Node(IsRemainder(node.opcode()) ? isd::kURem : isd::kUDiv, node.loc(), node.value_type(0),
                      {node.operand(0), node.operand(1)}, node.flags() & SDNodeFlags::kExact);
}

SDValue UnsignedByPowerOf2(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  U c;
  unsigned log2;
  if (!IsConstant(node.operand(1), &c) || !IsPowerOf2(c, &log2)) return SDValue();
  if (node.opcode() == isd::kURem) {
    return context.Node(isd::kAnd, node.loc(), type, {node.operand(0), context.Int(type, c - 1)});
  }
  return Shift(context, isd::kSrl, node.loc(), node.operand(0), log2, node.flags() & SDNodeFlags::kExact);
}

// x / 2^k, signed, rounded towards zero: 2^k - 1 is added to a negative x first.
SDValue SignedQuotientByPowerOf2(const CombineContext& context, SDLoc loc, SDValue x, unsigned log2, bool exact) {
  const unsigned width = Width(x);
  if (exact) return Shift(context, isd::kSra, loc, x, log2, SDNodeFlags::kExact);
  const SDValue sign = log2 == 1 ? x : Shift(context, isd::kSra, loc, x, width - 1);
  const SDValue bias = Shift(context, isd::kSrl, loc, sign, width - log2);
  return Shift(context, isd::kSra, loc, context.Node(isd::kAdd, loc, x.type(), {x, bias}), log2);
}

SDValue SignedByPowerOf2(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  const SDValue x = node.operand(0);
  U c;
  unsigned log2;
  if (!IsConstant(node.operand(1), &c) || c == 0 || c == 1) return SDValue();
  const bool negative = SignExtended(c, width) < 0;
  if (!IsPowerOf2(negative ? (-c & LowBits(width)) : c, &log2) || log2 == 0) return SDValue();
  const bool exact = node.HasFlag(SDNodeFlags::kExact);
  const SDValue quotient = SignedQuotientByPowerOf2(context, node.loc(), x, log2, exact);
  if (node.opcode() == isd::kSDiv) {
    return negative ? context.Node(isd::kSub, node.loc(), type, {context.Zero(type), quotient}) : quotient;
  }
  return context.Node(isd::kSub, node.loc(), type, {x, Shift(context, isd::kShl, node.loc(), quotient, log2)});
}

// The quotient is x * multiplier / 2^(width + shift). If `add` is set, the multiplier has one more bit.
struct Magic {
  U multiplier;
  unsigned shift;
  bool add;
};

// Granlund and Montgomery's choose_multiplier. Correct for dividends of `precision` bits and for divisors of at
// most 64 bits that are not powers of 2.
Magic UnsignedMagic(U divisor, unsigned width, unsigned precision) {
  unsigned log2_up = 0;
  while ((U(1) << static_cast<int>(log2_up)) < divisor) ++log2_up;
  // Both bounds omit their highest bit, 2^width, which would not fit.
  const U numerator = ((U(1) << static_cast<int>(log2_up)) - divisor) << static_cast<int>(width);
  const U slack = U(1) << static_cast<int>(log2_up + width - precision);
  const U top = U(1) << static_cast<int>(width);
  U low = numerator / divisor + top, high = (numerator + slack) / divisor + top;
  unsigned shift = log2_up;
  while (low / 2 < high / 2 && shift > 0) {
    low /= 2;
    high /= 2;
    --shift;
  }
  return {high & LowBits(width), shift, high > LowBits(width)};
}

struct SignedMagic {
  U multiplier;  // of `width` bits, signed
  unsigned shift;
};

// Hacker's Delight 10-1, for |divisor| >= 2.
SignedMagic MagicOfSigned(absl::int128 divisor, unsigned width) {
  const U two = U(1) << static_cast<int>(width - 1);
  const U magnitude = static_cast<U>(divisor < 0 ? -divisor : divisor);
  const U t = two + (divisor < 0 ? 1 : 0);
  const U limit = t - 1 - t % magnitude;
  unsigned power = width - 1;
  U q1 = two / limit, r1 = two % limit, q2 = two / magnitude, r2 = two % magnitude, delta;
  do {
    ++power;
    q1 *= 2;
    r1 *= 2;
    if (r1 >= limit) {
      ++q1;
      r1 -= limit;
    }
    q2 *= 2;
    r2 *= 2;
    if (r2 >= magnitude) {
      ++q2;
      r2 -= magnitude;
    }
    delta = magnitude - r2;
  } while (q1 < delta || (q1 == delta && r1 == 0));
  const U multiplier = divisor < 0 ? -(q2 + 1) : q2 + 1;
  return {multiplier & LowBits(width), power - width};
}

unsigned NumBits(U value) {
  unsigned bits = 0;
  while (bits < 128 && (value >> static_cast<int>(bits)) != 0) ++bits;
  return bits;
}

// Returns the quotient of a dividend of `bits` bits whose product with a rounded-up reciprocal of the divisor fits the
// type: 2 * bits + 1 bits are enough (Granlund and Montgomery, theorem 4.2).
SDValue SmallQuotient(const CombineContext& context, SDLoc loc, SDValue x, unsigned bits, U divisor) {
  const MVT type = x.type();
  if (NumBits(divisor) > bits) return context.Zero(type);
  const unsigned shift = bits + NumBits(divisor - 1);
  const U multiplier = ((U(1) << static_cast<int>(shift)) + divisor - 1) / divisor;
  const SDValue product = context.Node(isd::kMul, loc, type, {x, context.Int(type, multiplier)});
  return Shift(context, isd::kSrl, loc, product, shift);
}

SDValue UnsignedQuotient(const CombineContext& context, SDLoc loc, SDValue x, U divisor) {
  const MVT type = x.type();
  const unsigned width = Width(x);
  const unsigned bits = NumBits(ComputeKnownBits(x).UnsignedMax());
  if (2 * bits + 1 <= width) return SmallQuotient(context, loc, x, bits, divisor);
  if (type == MVT::kI16 && bits < 16) {
    const SDValue wide = context.ZExtOrTrunc(loc, MVT::kI32, x);
    return context.ZExtOrTrunc(loc, type, SmallQuotient(context, loc, wide, bits, divisor));
  }
  if (divisor > LowBits(width - 1)) {  // the quotient is 0 or 1
    const SDValue fits = context.SetCC(loc, MVT::kI1, x, context.Int(type, divisor), CondCode::kUge);
    return context.Node(isd::kZeroExtend, loc, type, {fits});
  }
  Magic magic = UnsignedMagic(divisor, width, width);
  if (magic.add && (divisor & 1) == 0) {
    // After division by the factors of 2, the dividend is shorter, and the multiplier fits the width.
    unsigned before = 0;
    while (((divisor >> static_cast<int>(before)) & 1) == 0) ++before;
    magic = UnsignedMagic(divisor >> static_cast<int>(before), width, width - before);
    x = Shift(context, isd::kSrl, loc, x, before);
  }
  const SDValue high = context.Node(isd::kMulHU, loc, type, {x, context.Int(type, magic.multiplier)});
  if (!magic.add) return Shift(context, isd::kSrl, loc, high, magic.shift);
  // (x - high) / 2 + high is half of x + high, computed without overflow.
  const SDValue half = Shift(context, isd::kSrl, loc, context.Node(isd::kSub, loc, type, {x, high}), 1);
  return Shift(context, isd::kSrl, loc, context.Node(isd::kAdd, loc, type, {half, high}), magic.shift - 1);
}

SDValue SignedQuotient(const CombineContext& context, SDLoc loc, SDValue x, U divisor) {
  const MVT type = x.type();
  const unsigned width = Width(x);
  const absl::int128 d = SignExtended(divisor, width);
  const SignedMagic magic = MagicOfSigned(d, width);
  const absl::int128 multiplier = SignExtended(magic.multiplier, width);
  SDValue quotient = context.Node(isd::kMulHS, loc, type, {x, context.Int(type, magic.multiplier)});
  if (d > 0 && multiplier < 0) quotient = context.Node(isd::kAdd, loc, type, {quotient, x});
  if (d < 0 && multiplier > 0) quotient = context.Node(isd::kSub, loc, type, {quotient, x});
  quotient = Shift(context, isd::kSra, loc, quotient, magic.shift);
  const SDValue sign = Shift(context, isd::kSrl, loc, quotient, width - 1);
  return context.Node(isd::kAdd, loc, type, {quotient, sign});
}

SDValue ByConstant(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  const bool is_signed = node.opcode() == isd::kSDiv || node.opcode() == isd::kSRem;
  const SDValue x = node.operand(0);
  U c;
  unsigned log2;
  // Bytes are divided in 32 bits.
  if (type == MVT::kI8 && context.before_legalize() && IsConstant(node.operand(1), &c) && c != 0) {
    const U divisor = is_signed ? static_cast<U>(SignExtended(c, width)) : c;
    const SDValue wide = context.Node(is_signed ? isd::kSignExtend : isd::kZeroExtend, node.loc(), MVT::kI32, {x});
    const SDValue result = context.Node(node.opcode(), node.loc(), MVT::kI32, {wide, context.Int(MVT::kI32, divisor)});
    return context.Node(isd::kTruncate, node.loc(), type, {result});
  }
  if (IsVector(type) || (width != 16 && width != 32 && width != 64) || !IsConstant(node.operand(1), &c)) {
    return SDValue();
  }
  if (c == 0 || c == 1 || IsPowerOf2(c, &log2) || (is_signed && IsPowerOf2(-c & LowBits(width), &log2))) {
    return SDValue();
  }
  if (!context.IsLegalBinary(is_signed ? isd::kMulHS : isd::kMulHU, type)) return SDValue();
  const SDValue quotient =
      is_signed ? SignedQuotient(context, node.loc(), x, c) : UnsignedQuotient(context, node.loc(), x, c);
  if (!quotient || !IsRemainder(node.opcode())) return quotient;
  const SDValue product = context.Node(isd::kMul, node.loc(), type, {quotient, node.operand(1)});
  return context.Node(isd::kSub, node.loc(), type, {x, product});
}

// Divisions of i64 whose operands both fit 32 bits: a 32-bit division is several times shorter.
SDValue NarrowDivision(const CombineContext& context, SDNode& node) {
  if (node.value_type(0) != MVT::kI64) return SDValue();
  if (ComputeKnownBits(node.operand(0)).UnsignedMax() > LowBits(32) ||
      ComputeKnownBits(node.operand(1)).UnsignedMax() > LowBits(32)) {
    return SDValue();
  }
  const SDValue a = context.ZExtOrTrunc(node.loc(), MVT::kI32, node.operand(0));
  const SDValue b = context.ZExtOrTrunc(node.loc(), MVT::kI32, node.operand(1));
  const SDValue quotient =
      context.Node(node.opcode(), node.loc(), MVT::kI32, {a, b}, node.flags() & SDNodeFlags::kExact);
  return context.Node(isd::kZeroExtend, node.loc(), MVT::kI64, {quotient});
}

// x % y next to x / y: uses the existing quotient.
SDValue RemainderOfQuotient(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const int16_t division = node.opcode() == isd::kSRem ? isd::kSDiv : isd::kUDiv;
  const SDValue operands[] = {node.operand(0), node.operand(1)};
  SDNode* quotient = context.dag().FindNode(division, absl::MakeConstSpan(&type, 1), operands);
  if (quotient == nullptr || quotient->use_empty() || quotient->HasFlag(SDNodeFlags::kExact)) return SDValue();
  const SDValue product = context.Node(isd::kMul, node.loc(), type, {SDValue(quotient, 0), operands[1]});
  return context.Node(isd::kSub, node.loc(), type, {operands[0], product});
}

// Divisions with quotient and remainder of which one is not used.
SDValue HalfOfDivRem(const CombineContext& context, SDNode& node) {
  const bool is_signed = node.opcode() == isd::kSDivRem;
  const bool quotient = node.HasAnyUseOfValue(0), remainder = node.HasAnyUseOfValue(1);
  if (quotient && remainder) return SDValue();
  const int16_t opcode = quotient ? (is_signed ? isd::kSDiv : isd::kUDiv) : is_signed ? isd::kSRem : isd::kURem;
  const SDValue half = context.Node(opcode, node.loc(), node.value_type(0), {node.operand(0), node.operand(1)});
  if (!half) return SDValue();
  return quotient ? context.Replace(node, {half}) : context.Replace(node, {SDValue(), half});
}

constexpr int16_t kAll[] = {isd::kSDiv, isd::kUDiv, isd::kSRem, isd::kURem};
constexpr int16_t kSignedOpcodes[] = {isd::kSDiv, isd::kSRem};
constexpr int16_t kUnsignedOpcodes[] = {isd::kUDiv, isd::kURem};
constexpr int16_t kRemainders[] = {isd::kSRem, isd::kURem};
constexpr int16_t kDivRem[] = {isd::kSDivRem, isd::kUDivRem};

constexpr CombineRow kDivisionCombineRows[] = {
    {"div-identity", CombineRow::kBoth, kAll, SimplifyDivision},
    {"sdiv-to-udiv", CombineRow::kBoth, kSignedOpcodes, SignedToUnsigned},
    {"udiv-power-of-2", CombineRow::kBoth, kUnsignedOpcodes, UnsignedByPowerOf2},
    {"sdiv-power-of-2", CombineRow::kBoth, kSignedOpcodes, SignedByPowerOf2},
    {"udiv-narrow", CombineRow::kBoth, kUnsignedOpcodes, NarrowDivision},
    {"div-by-constant", CombineRow::kBoth, kAll, ByConstant},
    {"rem-of-quotient", CombineRow::kBoth, kRemainders, RemainderOfQuotient},
    {"divrem-half", CombineRow::kBoth, kDivRem, HalfOfDivRem},
};

}  // namespace

absl::Span<const CombineRow> DivisionCombines() { return kDivisionCombineRows; }

}  // namespace ptxmir::sdag
