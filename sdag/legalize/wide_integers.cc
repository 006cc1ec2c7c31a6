// SPDX-License-Identifier: Apache-2.0

// i128 as two i64.
//
// Division follows Hacker's Delight (2nd edition, figures 9-3 and 9-5), with words of 64 bits. The quotient by a
// divisor of more than one word is estimated with the divisor's leading word; the estimate is at most one too
// large. There is no loop, hence no control flow: three divisions of 64 bits (ptxas makes a call of each) and about
// forty other operations. LLVM makes a loop of 128 iterations before instruction selection.

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

LegalValue Word(Legalizer& l, uint64_t value) { return l.Constant(MVT::kI64, value); }

LegalValue AddSub(Legalizer& l, bool is_add, const LegalValue& a, const LegalValue& b) {
  const int16_t low_opcode = is_add ? isd::kAddC : isd::kSubC, high_opcode = is_add ? isd::kAddE : isd::kSubE;
  const MVT types[] = {MVT::kI64, MVT::kGlue};
  if (l.CanSelect(low_opcode, {MVT::kI64, MVT::kGlue}, {MVT::kI64, MVT::kI64}) &&
      l.CanSelect(high_opcode, {MVT::kI64, MVT::kGlue}, {MVT::kI64, MVT::kI64, MVT::kGlue})) {
    const SDValue low_operands[] = {a.parts[0], b.parts[0]};
    const SDValue low = l.Node(low_opcode, types, low_operands);
    const SDValue high_operands[] = {a.parts[1], b.parts[1], low.Result(1)};
    return {MVT::kI128, {low, l.Node(high_opcode, types, high_operands)}};
  }
  const int16_t opcode = is_add ? isd::kAdd : isd::kSub;
  const LegalValue low = l.Op(opcode, MVT::kI64, {l.Low(a), l.Low(b)});
  const LegalValue carry =
      is_add ? l.SetCC(CondCode::kUlt, low, l.Low(a)) : l.SetCC(CondCode::kUlt, l.Low(a), l.Low(b));
  const LegalValue high = l.Op(opcode, MVT::kI64, {l.High(a), l.High(b)});
  return l.Wide(low, l.Op(opcode, MVT::kI64, {high, l.ZExtOrTrunc(MVT::kI64, carry)}));
}

// Shifts by 0 to 127. No shift within a word is by 64 or more.
LegalValue ShiftByConstant(Legalizer& l, int16_t opcode, const LegalValue& a, unsigned amount) {
  const LegalValue low = l.Low(a), high = l.High(a);
  if (amount == 0) return a;
  if (opcode == isd::kShl) {
    if (amount >= 64) return l.Wide(Word(l, 0), l.Shift(isd::kShl, low, amount - 64));
    return l.Wide(l.Shift(isd::kShl, low, amount),
                  l.Or(l.Shift(isd::kShl, high, amount), l.Shift(isd::kSrl, low, 64 - amount)));
  }
  const LegalValue filled = opcode == isd::kSra ? l.SignMask(high) : Word(l, 0);
  if (amount >= 64) return l.Wide(l.Shift(opcode, high, amount - 64), filled);
  return l.Wide(l.Or(l.Shift(isd::kSrl, low, amount), l.Shift(isd::kShl, high, 64 - amount)),
                l.Shift(opcode, high, amount));
}

// Returns the quotient and remainder of (high, low) by a divisor greater than `high`, so that the quotient fits a
// word. Shifts until the divisor's leading bit is set, and then computes two digits of 32 bits. Each is estimated
// with the divisor's leading digit.
std::array<LegalValue, 2> DivideByWord(Legalizer& l, const LegalValue& high, const LegalValue& low,
                                       const LegalValue& divisor) {
  const LegalValue shift = l.ZExtOrTrunc(MVT::kI32, l.Op(isd::kCtlz, MVT::kI64, {divisor}));
  const LegalValue scaled = l.Op(isd::kShl, MVT::kI64, {divisor, shift});
  const LegalValue dividend = WideShift(l, isd::kShl, l.Wide(low, high), shift);
  const LegalValue leading = l.Shift(isd::kSrl, scaled, 32), trailing = l.And(scaled, Word(l, 0xffffffff));
  // Computes one digit. `rest` is less than the divisor, and `next` is the next digit of the dividend.
  const auto digit = [&](const LegalValue& rest, const LegalValue& next) -> std::array<LegalValue, 2> {
    LegalValue quotient = l.Op(isd::kUDiv, MVT::kI64, {rest, leading});
    LegalValue remainder = l.Sub(rest, l.Mul(quotient, leading));
    // The estimate is at most two too large. Once the remainder has more than 32 bits, it is right.
    for (int i = 0; i < 2; ++i) {
      const LegalValue product = l.Mul(quotient, trailing);
      const LegalValue known = l.Or(l.Shift(isd::kShl, remainder, 32), next);
      const LegalValue too_large =
          l.And(l.Or(l.SetCC(CondCode::kUgt, quotient, Word(l, 0xffffffff)), l.SetCC(CondCode::kUgt, product, known)),
                l.SetCC(CondCode::kUlt, remainder, Word(l, uint64_t{1} << 32)));
      quotient = l.Select(too_large, l.Sub(quotient, Word(l, 1)), quotient);
      remainder = l.Select(too_large, l.Add(remainder, leading), remainder);
    }
    // Arithmetic modulo 2^64 is enough, because the result is less than the divisor.
    const LegalValue down = l.Or(l.Shift(isd::kShl, rest, 32), next);
    return {quotient, l.Sub(down, l.Mul(quotient, scaled))};
  };
  const auto first = digit(l.High(dividend), l.Shift(isd::kSrl, l.Low(dividend), 32));
  const auto second = digit(first[1], l.And(l.Low(dividend), Word(l, 0xffffffff)));
  return {l.Add(l.Shift(isd::kShl, first[0], 32), second[0]), l.Op(isd::kSrl, MVT::kI64, {second[1], shift})};
}

}  // namespace

LegalValue WideAdd(Legalizer& l, const LegalValue& a, const LegalValue& b) { return AddSub(l, true, a, b); }
LegalValue WideSub(Legalizer& l, const LegalValue& a, const LegalValue& b) { return AddSub(l, false, a, b); }

LegalValue WideMul(Legalizer& l, const LegalValue& a, const LegalValue& b) {
  const LegalValue high = l.Op(isd::kMulHU, MVT::kI64, {l.Low(a), l.Low(b)});
  const LegalValue cross = l.Add(l.Mul(l.Low(a), l.High(b)), l.Mul(l.High(a), l.Low(b)));
  return l.Wide(l.Mul(l.Low(a), l.Low(b)), l.Add(high, cross));
}

LegalValue WideShift(Legalizer& l, int16_t opcode, const LegalValue& a, const LegalValue& amount) {
  if (const auto* constant = DynCast<ConstantSDNode>(amount.part())) {
    const uint64_t by = constant->ZExtValue();
    return by < 128 ? ShiftByConstant(l, opcode, a, static_cast<unsigned>(by)) : l.Undef(MVT::kI128);
  }
  const LegalValue low = l.Low(a), high = l.High(a);
  const auto constant = [&](uint64_t value) { return l.Constant(MVT::kI32, value); };
  const LegalValue within = l.And(amount, constant(63));
  // The shift by 63 - within, after a shift by one, moves bits from one word to the other. Two steps are needed
  // because the sum may be 64.
  const LegalValue rest = l.Xor(within, constant(63));
  const LegalValue by_words = l.SetCC(CondCode::kNe, l.And(amount, constant(64)), constant(0));
  const auto shift = [&](int16_t by_opcode, const LegalValue& value, const LegalValue& by) {
    return l.Op(by_opcode, MVT::kI64, {value, by});
  };
  if (opcode == isd::kShl) {
    const LegalValue carried = shift(isd::kSrl, l.Shift(isd::kSrl, low, 1), rest);
    const LegalValue low_shifted = shift(isd::kShl, low, within);
    const LegalValue high_shifted = l.Or(shift(isd::kShl, high, within), carried);
    return l.Wide(l.Select(by_words, Word(l, 0), low_shifted), l.Select(by_words, low_shifted, high_shifted));
  }
  const LegalValue carried = shift(isd::kShl, l.Shift(isd::kShl, high, 1), rest);
  const LegalValue low_shifted = l.Or(shift(isd::kSrl, low, within), carried);
  const LegalValue high_shifted = shift(opcode, high, within);
  const LegalValue filled = opcode == isd::kSra ? l.SignMask(high) : Word(l, 0);
  return l.Wide(l.Select(by_words, high_shifted, low_shifted), l.Select(by_words, filled, high_shifted));
}

std::array<LegalValue, 2> WideDivide(Legalizer& l, const LegalValue& a, const LegalValue& b) {
  const LegalValue zero = Word(l, 0), one = Word(l, 1);
  const LegalValue is_short = l.IsZero(l.High(b));
  // A divisor of one word: two divisions, one word at a time. The remainder of the first enters the second.
  const LegalValue short_divisor = l.Select(is_short, l.Low(b), one);
  const LegalValue short_high = l.Op(isd::kUDiv, MVT::kI64, {l.High(a), short_divisor});
  const LegalValue short_rest = l.Sub(l.High(a), l.Mul(short_high, short_divisor));
  // A divisor of two words: divide half the dividend by the leading word. The quotient fits because that word has
  // its top bit set.
  const LegalValue shift = l.ZExtOrTrunc(MVT::kI32, l.Op(isd::kCtlz, MVT::kI64, {l.High(b)}));
  const LegalValue safe_shift = l.And(shift, l.Constant(MVT::kI32, 63));
  const LegalValue leading = l.High(WideShift(l, isd::kShl, b, safe_shift));
  const LegalValue half = ShiftByConstant(l, isd::kSrl, a, 1);
  // Both cases need the same step, with different operands.
  const auto step = DivideByWord(l, l.Select(is_short, short_rest, l.High(half)),
                                 l.Select(is_short, l.Low(a), l.Low(half)), l.Select(is_short, short_divisor, leading));
  const LegalValue short_quotient = l.Wide(step[0], short_high), short_remainder = l.Wide(step[1], zero);
  // Undo the scaling. The estimate is right or one too large. Make it right or one too small, and correct it.
  const LegalValue back = l.Xor(safe_shift, l.Constant(MVT::kI32, 63));
  const LegalValue estimate = l.Op(isd::kSrl, MVT::kI64, {step[0], back});
  const LegalValue below = l.Select(l.IsZero(estimate), zero, l.Sub(estimate, one));
  const LegalValue rest = l.Sub(a, l.Mul(l.Wide(below, zero), b));
  const LegalValue fits = l.SetCC(CondCode::kUge, rest, b);
  const LegalValue long_quotient = l.Wide(l.Add(below, l.ZExtOrTrunc(MVT::kI64, fits)), zero);
  const LegalValue long_remainder = l.Select(fits, l.Sub(rest, b), rest);
  return {l.Select(is_short, short_quotient, long_quotient), l.Select(is_short, short_remainder, long_remainder)};
}

}  // namespace ptxmir::sdag
