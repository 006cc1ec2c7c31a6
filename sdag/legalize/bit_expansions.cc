// SPDX-License-Identifier: Apache-2.0

// Rotations and funnel shifts, pairs of parts, counts and permutations of bits. PTX has most of them in 32 bits,
// some in 64. Narrower ones are done in 32 bits, wider ones in halves.

#include "sdag/legalize/legalizer.h"

namespace ptxmir::sdag {
namespace {

MVT HalfOf(MVT type) { return *IntegerOf(SizeInBits(type) / 2); }

LegalValue UpperHalf(Legalizer& l, const LegalValue& a) {
  const MVT half = HalfOf(a.type);
  return a.type == MVT::kI128 ? l.High(a) : l.ZExtOrTrunc(half, l.Shift(isd::kSrl, a, SizeInBits(half)));
}
LegalValue LowerHalf(Legalizer& l, const LegalValue& a) { return l.ZExtOrTrunc(HalfOf(a.type), a); }
LegalValue FromHalves(Legalizer& l, MVT type, const LegalValue& low, const LegalValue& high) {
  if (type == MVT::kI128) return l.Wide(low, high);
  return l.Or(l.ZExtOrTrunc(type, low), l.Shift(isd::kShl, l.AnyExtOrTrunc(type, high), SizeInBits(type) / 2));
}

LegalValue AmountModulo(Legalizer& l, const LegalValue& amount, unsigned width) {
  return l.And(amount, l.Constant(MVT::kI32, width - 1));
}

// A 64-bit funnel shift by a constant: two 32-bit words out of the four of a and b, each made by a 32-bit funnel
// shift.
bool HasWordFunnel(Legalizer& l, MVT type, const LegalValue& amount) {
  return type == MVT::kI64 && amount.part().opcode() == isd::kConstant &&
         l.CanSelect(isd::kFShl, {MVT::kI32}, {MVT::kI32, MVT::kI32, MVT::kI32});
}
LegalValue FunnelByConstant(Legalizer& l, const LegalValue& a, const LegalValue& b, unsigned left) {
  const LegalValue words[] = {UpperHalf(l, a), LowerHalf(l, a), UpperHalf(l, b), LowerHalf(l, b)};
  const unsigned first = left / 32;
  const LegalValue bits = l.Constant(MVT::kI32, left % 32);
  const auto word = [&](unsigned i) {
    return left % 32 == 0 ? words[i] : l.Op(isd::kFShl, MVT::kI32, {words[i], words[i + 1], bits});
  };
  const LegalValue low = word(first + 1), high = word(first);
  if (l.CanSelect(isd::kBuildPair, {MVT::kI64}, {MVT::kI32, MVT::kI32})) {
    return LegalValue(l.Node(isd::kBuildPair, MVT::kI64, {low.part(), high.part()}));
  }
  return FromHalves(l, MVT::kI64, low, high);
}

LegalValue ExpandRotate(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &amount = op.operand(1);
  const unsigned width = SizeInBits(op.type);
  if (width == 1) return a;
  const bool is_left = op.opcode == isd::kRotl;
  if (HasWordFunnel(l, op.type, amount)) return l.Op(is_left ? isd::kFShl : isd::kFShr, op.type, {a, a, amount});
  if (l.IsDirect(op.type) && l.CanSelect(is_left ? isd::kFShl : isd::kFShr, {op.type}, {op.type, op.type, MVT::kI32})) {
    return l.Op(is_left ? isd::kFShl : isd::kFShr, op.type, {a, a, amount});
  }
  const LegalValue by = AmountModulo(l, amount, width), back = AmountModulo(l, l.Negate(amount), width);
  return l.Or(l.Op(is_left ? isd::kShl : isd::kSrl, op.type, {a, by}),
              l.Op(is_left ? isd::kSrl : isd::kShl, op.type, {a, back}));
}

LegalValue ExpandFunnelShift(Legalizer& l, const Operation& op) {
  const LegalValue &a = op.operand(0), &b = op.operand(1);
  const unsigned width = SizeInBits(op.type);
  const bool is_left = op.opcode == isd::kFShl;
  if (width == 1) return is_left ? a : b;
  const LegalValue by = AmountModulo(l, op.operand(2), width);
  if (HasWordFunnel(l, op.type, by)) {
    const auto amount = static_cast<unsigned>(static_cast<const ConstantSDNode*>(by.part().node())->ZExtValue());
    if (amount == 0) return is_left ? a : b;
    return FunnelByConstant(l, a, b, is_left ? amount : 64 - amount);
  }
  if (width <= 16) {
    const LegalValue both = l.Or(l.Shift(isd::kShl, l.ZExtOrTrunc(MVT::kI32, a), width), l.ZExtOrTrunc(MVT::kI32, b));
    const LegalValue shifted = l.Op(is_left ? isd::kShl : isd::kSrl, MVT::kI32, {both, by});
    return l.ZExtOrTrunc(op.type, is_left ? l.Shift(isd::kSrl, shifted, width) : shifted);
  }
  // The other operand is shifted by width - amount, which may be the whole width: first by one, then by the rest.
  const LegalValue rest = l.Xor(by, l.Constant(MVT::kI32, width - 1));
  const auto shift = [&](int16_t opcode, const LegalValue& value, const LegalValue& amount) {
    return l.Op(opcode, op.type, {value, amount});
  };
  if (is_left) return l.Or(shift(isd::kShl, a, by), shift(isd::kSrl, l.Shift(isd::kSrl, b, 1), rest));
  return l.Or(shift(isd::kShl, l.Shift(isd::kShl, a, 1), rest), shift(isd::kSrl, b, by));
}

// shl_parts and the like: shifts a value of twice the width, given as two.
void VisitShiftParts(Legalizer& l, SDNode& node) {
  const LegalValue low = l.ValueOf(node.operand(0)), high = l.ValueOf(node.operand(1));
  const LegalValue amount = l.ValueOf(node.operand(2));
  const unsigned width = SizeInBits(low.type);
  const std::optional<MVT> wide = IntegerOf(2 * width);
  if (!wide.has_value() || width == 1) return l.Refuse("there is no type of twice the width");
  int16_t opcode = isd::kShl;
  if (node.opcode() == isd::kSraParts) opcode = isd::kSra;
  if (node.opcode() == isd::kSrlParts) opcode = isd::kSrl;
  const LegalValue shifted = l.Op(opcode, *wide, {FromHalves(l, *wide, low, high), amount});
  l.SetResult(0, LowerHalf(l, shifted));
  l.SetResult(1, UpperHalf(l, shifted));
}

LegalValue ExpandBswap(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  switch (SizeInBits(op.type)) {
    case 8:
      return a;
    case 16:
      return l.Or(l.Shift(isd::kShl, a, 8), l.Shift(isd::kSrl, a, 8));
    case 32: {
      const LegalValue permuted(l.Node(isd::kNvPrmt, MVT::kI32,
                                       {a.part(), l.Constant(MVT::kI32, 0).part(), l.Constant(MVT::kI32, 0x123).part(),
                                        l.dag().GetTargetConstant(0, MVT::kI32)}));
      if (l.CanSelect(permuted.part())) return permuted;
      break;
    }
    case 1:
      l.Refuse("one bit has no bytes");
      return l.Undef(op.type);
    default:
      break;
  }
  const MVT half = HalfOf(op.type);
  return FromHalves(l, op.type, l.Op(isd::kBswap, half, {UpperHalf(l, a)}), l.Op(isd::kBswap, half, {LowerHalf(l, a)}));
}

LegalValue ExpandBitreverse(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type);
  if (width == 1) return a;
  if (width < 32) {
    const LegalValue reversed = l.Op(isd::kBitreverse, MVT::kI32, {l.AnyExtOrTrunc(MVT::kI32, a)});
    return l.ZExtOrTrunc(op.type, l.Shift(isd::kSrl, reversed, 32 - width));
  }
  if (width == 32) {
    l.Refuse("");
    return a;
  }
  const MVT half = HalfOf(op.type);
  return FromHalves(l, op.type, l.Op(isd::kBitreverse, half, {UpperHalf(l, a)}),
                    l.Op(isd::kBitreverse, half, {LowerHalf(l, a)}));
}

LegalValue ExpandCtpop(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type);
  if (width == 1) return a;
  if (width < 32) return l.ZExtOrTrunc(op.type, l.Op(isd::kCtpop, MVT::kI32, {l.ZExtOrTrunc(MVT::kI32, a)}));
  if (width == 32) {
    l.Refuse("");
    return a;
  }
  const MVT half = HalfOf(op.type);
  return l.ZExtOrTrunc(op.type,
                       l.Add(l.Op(isd::kCtpop, half, {LowerHalf(l, a)}), l.Op(isd::kCtpop, half, {UpperHalf(l, a)})));
}

LegalValue ExpandParity(Legalizer& l, const Operation& op) {
  return l.And(l.Op(isd::kCtpop, op.type, {op.operand(0)}), l.Constant(op.type, 1));
}

LegalValue ExpandCtlz(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type);
  if (width == 1) return l.Not(a);
  if (op.opcode == isd::kCtlzZeroUndef) return l.Op(isd::kCtlz, op.type, {a});
  if (width < 32) {
    const LegalValue count = l.Op(isd::kCtlz, MVT::kI32, {l.ZExtOrTrunc(MVT::kI32, a)});
    return l.ZExtOrTrunc(op.type, l.Sub(count, l.Constant(MVT::kI32, 32 - width)));
  }
  if (width == 32) {
    l.Refuse("");
    return a;
  }
  const MVT half = HalfOf(op.type);
  const LegalValue upper = UpperHalf(l, a);
  const LegalValue below = l.Add(l.Op(isd::kCtlz, half, {LowerHalf(l, a)}), l.Constant(half, SizeInBits(half)));
  return l.ZExtOrTrunc(op.type, l.Select(l.IsZero(upper), below, l.Op(isd::kCtlz, half, {upper})));
}

LegalValue ExpandCttz(Legalizer& l, const Operation& op) {
  const LegalValue& a = op.operand(0);
  const unsigned width = SizeInBits(op.type);
  if (width == 1) return l.Not(a);
  if (width < 32) {
    // A set bit just above the highest one ends the count.
    const LegalValue ended = l.Or(l.AnyExtOrTrunc(MVT::kI32, a), l.Constant(MVT::kI32, uint64_t{1} << width));
    return l.ZExtOrTrunc(op.type, l.Op(isd::kCttz, MVT::kI32, {ended}));
  }
  if (width <= 64) return l.Op(isd::kCtlz, op.type, {l.Op(isd::kBitreverse, op.type, {a})});
  const LegalValue low = l.Low(a);
  const LegalValue above = l.Add(l.Op(isd::kCttz, MVT::kI64, {l.High(a)}), l.Constant(MVT::kI64, 64));
  return l.ZExtOrTrunc(op.type, l.Select(l.IsZero(low), above, l.Op(isd::kCttz, MVT::kI64, {low})));
}

constexpr LegalizeRow kBitLegalizeRows[] = {
    {isd::kRotl, Promotion::kNone, ExpandRotate},           {isd::kRotr, Promotion::kNone, ExpandRotate},
    {isd::kFShl, Promotion::kNone, ExpandFunnelShift},      {isd::kFShr, Promotion::kNone, ExpandFunnelShift},
    {.opcode = isd::kShlParts, .visit = VisitShiftParts},   {.opcode = isd::kSraParts, .visit = VisitShiftParts},
    {.opcode = isd::kSrlParts, .visit = VisitShiftParts},   {isd::kBswap, Promotion::kNone, ExpandBswap},
    {isd::kBitreverse, Promotion::kNone, ExpandBitreverse}, {isd::kCtpop, Promotion::kNone, ExpandCtpop},
    {isd::kParity, Promotion::kNone, ExpandParity},         {isd::kCtlz, Promotion::kNone, ExpandCtlz},
    {isd::kCtlzZeroUndef, Promotion::kNone, ExpandCtlz},    {isd::kCttz, Promotion::kNone, ExpandCttz},
    {isd::kCttzZeroUndef, Promotion::kNone, ExpandCttz},
};

}  // namespace

absl::Span<const LegalizeRow> BitRows() { return kBitLegalizeRows; }

}  // namespace ptxmir::sdag
