// SPDX-License-Identifier: Apache-2.0

// Comparisons, selections, conditional branches.

#include "sdag/combine/combine_context.h"
#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

bool IsEquality(CondCode code) { return code == CondCode::kEq || code == CondCode::kNe; }
bool IsUnsignedOrder(CondCode code) {
  return code == CondCode::kUlt || code == CondCode::kUle || code == CondCode::kUgt || code == CondCode::kUge;
}
bool IsSignedOrder(CondCode code) {
  return code == CondCode::kLt || code == CondCode::kLe || code == CondCode::kGt || code == CondCode::kGe;
}
// Returns true for the ten codes that compare integers.
bool IsIntegerCode(CondCode code) { return IsEquality(code) || IsUnsignedOrder(code) || IsSignedOrder(code); }

struct Comparison {
  SDValue a, b;
  CondCode code = CondCode::kFalse;
  bool is_integer = false;
};
bool Match(const SDNode& node, Comparison* comparison) {
  const auto* code = DynCast<CondCodeSDNode>(node.operand(2));
  if (code == nullptr || !node.operand(0)) return false;
  *comparison = {node.operand(0), node.operand(1), code->code(), IsInteger(node.operand(0).type())};
  return !comparison->is_integer || IsIntegerCode(comparison->code);
}

SDValue Truth(const CombineContext& context, const SDNode& node, bool value) {
  return value ? context.AllOnes(node.value_type(0)) : context.Zero(node.value_type(0));
}

SDValue ConstantOperandRight(const CombineContext& context, SDNode& node) {
  Comparison c;
  U bits;
  uint64_t fp;
  if (!Match(node, &c)) return SDValue();
  const auto is_constant = [&](const SDValue& value) { return IsConstant(value, &bits) || IsConstantFP(value, &fp); };
  if (!is_constant(c.a) || is_constant(c.b)) return SDValue();
  return context.SetCC(node.loc(), node.value_type(0), c.b, c.a, Swapped(c.code));
}

SDValue SameOperands(const CombineContext& context, SDNode& node) {
  Comparison c;
  if (!Match(node, &c) || c.a != c.b) return SDValue();
  const unsigned bits = static_cast<unsigned>(c.code);
  if (c.is_integer) return Truth(context, node, (bits & 1) != 0);
  // x == x holds unless x is a NaN. The result is known if NaNs are ignored, or if they give the same result.
  const bool if_equal = (bits & 1) != 0, if_nan = (bits & 8) != 0;
  if ((bits & 16) != 0 || if_equal == if_nan) return Truth(context, node, if_equal);
  return SDValue();
}

// Comparisons of integers that known bits decide.
SDValue DecidedByKnownBits(const CombineContext& context, SDNode& node) {
  Comparison c;
  if (!Match(node, &c) || !c.is_integer) return SDValue();
  const KnownBits a = ComputeKnownBits(c.a), b = ComputeKnownBits(c.b);
  if ((a.zero & b.one) != 0 || (a.one & b.zero) != 0) {
    if (IsEquality(c.code)) return Truth(context, node, c.code == CondCode::kNe);
  }
  if (IsUnsignedOrder(c.code)) {
    const bool less = a.UnsignedMax()<b.UnsignedMin(), greater = a.UnsignedMin()> b.UnsignedMax();
    const bool not_less = a.UnsignedMin() >= b.UnsignedMax(), not_greater = a.UnsignedMax() <= b.UnsignedMin();
    switch (c.code) {
      case CondCode::kUlt:
        if (less || not_less) return Truth(context, node, less);
        break;
      case CondCode::kUge:
        if (less || not_less) return Truth(context, node, not_less);
        break;
      case CondCode::kUgt:
        if (greater || not_greater) return Truth(context, node, greater);
        break;
      default:
        if (greater || not_greater) return Truth(context, node, not_greater);
        break;
    }
  }
  if (IsSignedOrder(c.code) && IsZero(c.b) && (a.IsNegative() || a.IsNonNegative())) {
    if (c.code == CondCode::kLt) return Truth(context, node, a.IsNegative());
    if (c.code == CondCode::kGe) return Truth(context, node, a.IsNonNegative());
  }
  return SDValue();
}

// Comparisons with constants at the ends of the range.
SDValue LimitOfRange(const CombineContext& context, SDNode& node) {
  Comparison c;
  U k;
  if (!Match(node, &c) || !c.is_integer || !IsConstant(c.b, &k)) return SDValue();
  const unsigned width = Width(c.b);
  const auto equality = [&](U with, CondCode code) {
    return context.SetCC(node.loc(), node.value_type(0), c.a, context.Int(c.b.type(), with), code);
  };
  const U all = LowBits(width), max = all >> 1, min = max + 1;
  switch (c.code) {
    case CondCode::kUlt:
      return k == 0     ? Truth(context, node, false)
             : k == 1   ? equality(0, CondCode::kEq)
             : k == all ? equality(all, CondCode::kNe)
                        : SDValue();
    case CondCode::kUge:
      return k == 0     ? Truth(context, node, true)
             : k == 1   ? equality(0, CondCode::kNe)
             : k == all ? equality(all, CondCode::kEq)
                        : SDValue();
    case CondCode::kUgt:
      return k == all ? Truth(context, node, false) : k == 0 ? equality(0, CondCode::kNe) : SDValue();
    case CondCode::kUle:
      return k == all ? Truth(context, node, true) : k == 0 ? equality(0, CondCode::kEq) : SDValue();
    case CondCode::kLt:
      return k == min ? Truth(context, node, false) : k == max ? equality(max, CondCode::kNe) : SDValue();
    case CondCode::kGe:
      return k == min ? Truth(context, node, true) : k == max ? equality(max, CondCode::kEq) : SDValue();
    case CondCode::kGt:
      return k == max ? Truth(context, node, false) : k == min ? equality(min, CondCode::kNe) : SDValue();
    case CondCode::kLe:
      return k == max ? Truth(context, node, true) : k == min ? equality(min, CondCode::kEq) : SDValue();
    default:
      return SDValue();
  }
}

// x + c1 == c2, x ^ c1 == c2, x - y == 0, x ^ y == 0.
SDValue EqualityOfArithmetic(const CombineContext& context, SDNode& node) {
  Comparison c;
  U k, k1;
  if (!Match(node, &c) || !c.is_integer || !IsEquality(c.code) || !IsConstant(c.b, &k)) return SDValue();
  const MVT type = c.a.type();
  const auto compare = [&](SDValue a, SDValue b) {
    return context.SetCC(node.loc(), node.value_type(0), a, b, c.code);
  };
  const bool is_sum = Is(c.a, isd::kAdd), is_xor = Is(c.a, isd::kXor);
  if ((is_sum || is_xor) && IsConstant(c.a.operand(1), &k1)) {
    return compare(c.a.operand(0), context.Int(type, is_sum ? k - k1 : k ^ k1));
  }
  if (k == 0 && (is_xor || Is(c.a, isd::kSub)) && c.a.HasOneUse()) return compare(c.a.operand(0), c.a.operand(1));
  return SDValue();
}

// ext x compared with a constant or with another extension: the extension is removed.
SDValue OfExtensions(const CombineContext& context, SDNode& node) {
  Comparison c;
  if (!Match(node, &c) || !c.is_integer) return SDValue();
  const bool is_signed = Is(c.a, isd::kSignExtend);
  if (!is_signed && !Is(c.a, isd::kZeroExtend)) return SDValue();
  const SDValue x = c.a.operand(0);
  const unsigned width = Width(c.a), low = Width(x);
  // An i8 would be extended again, and i1 is not compared.
  if (low < 16) return SDValue();
  CondCode code = c.code;
  // Nonnegative numbers have the same order signed and unsigned. Sign extension preserves unsigned order, too.
  if (!is_signed && IsSignedOrder(code)) code = static_cast<CondCode>((static_cast<unsigned>(code) & 7) | 8);
  U k;
  if (IsConstant(c.b, &k)) {
    const U back = is_signed ? static_cast<U>(SignExtended(k & LowBits(low), low)) & LowBits(width) : k & LowBits(low);
    if (back != k) return SDValue();
    return context.SetCC(node.loc(), node.value_type(0), x, context.Int(x.type(), k), code);
  }
  if (!Is(c.b, c.a.opcode()) || c.b.operand(0).type() != x.type()) return SDValue();
  return context.SetCC(node.loc(), node.value_type(0), x, c.b.operand(0), code);
}

// Comparisons of an i1 with a constant: the bit itself, or its inverse.
SDValue OfBits(const CombineContext& context, SDNode& node) {
  Comparison c;
  U k;
  if (!Match(node, &c) || !c.is_integer || Width(c.a) != 1 || !IsEquality(c.code) || !IsConstant(c.b, &k)) {
    return SDValue();
  }
  if (c.a.type() != node.value_type(0)) return SDValue();
  return (k != 0) == (c.code == CondCode::kEq) ? c.a : context.Not(node.loc(), c.a);
}

// An extended bit, or a selection of two constants, compared with a constant: the bit.
SDValue OfExtendedBit(const CombineContext& context, SDNode& node) {
  Comparison c;
  U k, t = 0, f = 0;
  if (!Match(node, &c) || !c.is_integer || !IsEquality(c.code) || !IsConstant(c.b, &k)) return SDValue();
  SDValue bit;
  if ((Is(c.a, isd::kZeroExtend) || Is(c.a, isd::kSignExtend)) && Width(c.a.operand(0)) == 1) {
    bit = c.a.operand(0);
    t = Is(c.a, isd::kSignExtend) ? LowBits(Width(c.a)) : U(1);
  } else if (Is(c.a, isd::kSelect) && IsConstant(c.a.operand(1), &t) && IsConstant(c.a.operand(2), &f)) {
    bit = c.a.operand(0);
  }
  if (!bit || t == f || bit.type() != node.value_type(0)) return SDValue();
  if (k != t && k != f) return Truth(context, node, c.code == CondCode::kNe);
  return (k == t) == (c.code == CondCode::kEq) ? bit : context.Not(node.loc(), bit);
}

SDValue SimplifySelect(const CombineContext& context, SDNode& node) {
  const SDValue condition = node.operand(0), t = node.operand(1), f = node.operand(2);
  U c;
  if (t == f) return t;
  if (IsConstant(condition, &c)) return (c & 1) != 0 ? t : f;
  const MVT type = node.value_type(0);
  if (condition.type() == type) {
    if (IsAllOnes(t) && IsZero(f)) return condition;
    if (IsZero(t) && IsAllOnes(f)) return context.Not(node.loc(), condition);
  }
  // A selection by a negated condition: exchange the operands.
  if (Is(condition, isd::kXor) && IsAllOnes(condition.operand(1)) && Width(condition) == 1) {
    return context.Node(node.opcode(), node.loc(), type, {condition.operand(0), f, t}, node.flags());
  }
  // An operand that is a selection by the same condition.
  if (Is(t, node.opcode()) && t.operand(0) == condition) {
    return context.Node(node.opcode(), node.loc(), type, {condition, t.operand(1), f}, node.flags());
  }
  if (Is(f, node.opcode()) && f.operand(0) == condition) {
    return context.Node(node.opcode(), node.loc(), type, {condition, t, f.operand(2)}, node.flags());
  }
  return SDValue();
}

// select (a < b), a, b: becomes the minimum.
SDValue MinMaxOfIntegers(const CombineContext& context, SDNode& node) {
  const SDValue t = node.operand(1), f = node.operand(2);
  const MVT type = node.value_type(0);
  Comparison c;
  if (!Is(node.operand(0), isd::kSetCC) || !Match(*node.operand(0).node(), &c) || !c.is_integer) return SDValue();
  if (c.a.type() != type || IsEquality(c.code)) return SDValue();
  if (t == c.b && f == c.a) {
    c.code = Swapped(c.code);
  } else if (t != c.a || f != c.b) {
    return SDValue();
  }
  const bool less = (static_cast<unsigned>(c.code) & 4) != 0;
  const bool is_signed = IsSignedOrder(c.code);
  const int16_t opcode = is_signed ? (less ? isd::kSMin : isd::kSMax) : less ? isd::kUMin : isd::kUMax;
  if (!context.IsLegalBinary(opcode, type)) return SDValue();
  return context.Node(opcode, node.loc(), type, {t, f});
}

// The same for floating point, if NaNs and the signs of zeros do not matter.
SDValue MinMaxOfFloats(const CombineContext& context, SDNode& node) {
  const SDValue t = node.operand(1), f = node.operand(2);
  const MVT type = node.value_type(0);
  Comparison c;
  if (!Is(node.operand(0), isd::kSetCC) || !Match(*node.operand(0).node(), &c) || c.is_integer) return SDValue();
  if (c.a.type() != type) return SDValue();
  const unsigned bits = static_cast<unsigned>(c.code) & 7;
  if ((bits & 6) == 6 || (bits & 6) == 0) return SDValue();
  // The flags are the selection's. For NaNs, a comparison that is poison for them is enough.
  const bool no_nans = node.HasFlag(SDNodeFlags::kNoNaNs) || node.operand(0)->HasFlag(SDNodeFlags::kNoNaNs);
  if (!no_nans || !node.HasFlag(SDNodeFlags::kNoSignedZeros)) return SDValue();
  bool less = (bits & 4) != 0;
  if (t == c.b && f == c.a) {
    less = !less;
  } else if (t != c.a || f != c.b) {
    return SDValue();
  }
  const int16_t opcode = less ? isd::kFMinNum : isd::kFMaxNum;
  if (!context.IsLegalBinary(opcode, type)) return SDValue();
  return context.Node(opcode, node.loc(), type, {t, f}, node.flags() & SDNodeFlags::kFastMath);
}

// select (a < 0), 0 - a, a: becomes the absolute value.
SDValue AbsOfSelect(const CombineContext& context, SDNode& node) {
  Comparison c;
  if (!Is(node.operand(0), isd::kSetCC) || !Match(*node.operand(0).node(), &c) || !c.is_integer) return SDValue();
  const MVT type = node.value_type(0);
  if (c.a.type() != type || !context.IsLegalUnary(isd::kAbs, type)) return SDValue();
  SDValue t = node.operand(1), f = node.operand(2);
  const bool negative = (c.code == CondCode::kLt && IsZero(c.b)) || (c.code == CondCode::kLe && IsZero(c.b));
  const bool positive =
      (c.code == CondCode::kGt && (IsZero(c.b) || IsAllOnes(c.b))) || (c.code == CondCode::kGe && IsZero(c.b));
  if (!negative && !positive) return SDValue();
  if (positive) std::swap(t, f);
  if (f != c.a || !Is(t, isd::kSub) || !IsZero(t.operand(0)) || t.operand(1) != c.a) return SDValue();
  return context.Node(isd::kAbs, node.loc(), type, {c.a});
}

// Returns the value if the comparison only says whether that is a NaN.
SDValue TestedForNaN(const Comparison& c) {
  uint64_t bits;
  if (c.a == c.b) return c.a;
  const bool is_number = IsConstantFP(c.b, &bits) && !IsNaNBits(ScalarType(c.b.type()), bits);
  return is_number ? c.a : SDValue();
}

// Two comparisons that are joined and can be one: no operand is a NaN, or one is; both are zero, or one is not.
SDValue JoinedComparisons(const CombineContext& context, SDNode& node) {
  const bool is_and = node.opcode() == isd::kAnd;
  Comparison left, right;
  if (!IsOneUse(node.operand(0), isd::kSetCC) || !IsOneUse(node.operand(1), isd::kSetCC)) return SDValue();
  if (!Match(*node.operand(0).node(), &left) || !Match(*node.operand(1).node(), &right)) return SDValue();
  const MVT type = left.a.type();
  if (left.code != right.code || type != right.a.type() || IsVector(type)) return SDValue();
  if (left.code == (is_and ? CondCode::kO : CondCode::kUo)) {
    const SDValue a = TestedForNaN(left), b = TestedForNaN(right);
    return a && b ? context.SetCC(node.loc(), node.value_type(0), a, b, left.code) : SDValue();
  }
  if (!left.is_integer || left.code != (is_and ? CondCode::kEq : CondCode::kNe)) return SDValue();
  if (!IsZero(left.b) || !IsZero(right.b) || (type != MVT::kI32 && type != MVT::kI64)) return SDValue();
  const SDValue bits = context.Node(isd::kOr, node.loc(), type, {left.a, right.a});
  return bits ? context.SetCC(node.loc(), node.value_type(0), bits, left.b, left.code) : SDValue();
}

// brcond (not c), A; br B: becomes brcond c, B; br A.
SDValue InvertedBranch(const CombineContext& context, SDNode& node) {
  const SDValue condition = node.operand(1);
  if (!Is(condition, isd::kXor) || !IsAllOnes(condition.operand(1)) || !node.HasOneUse()) return SDValue();
  SDNode* br = node.first_use()->user();
  if (br->opcode() != isd::kBr || br->operand(0) != SDValue(&node, 0)) return SDValue();
  const SDValue taken = node.operand(2), other = br->operand(1);
  const SDValue branch = context.dag().GetNode(isd::kBrCond, node.loc(), MVT::kOther,
                                               {node.operand(0), condition.operand(0), other}, node.flags());
  const SDValue jump = context.dag().GetNode(isd::kBr, br->loc(), MVT::kOther, {branch, taken}, br->flags());
  context.Replace(*br, {jump});
  return {&node, 0};
}

constexpr int16_t kSelect[] = {isd::kSelect};
constexpr int16_t kJoins[] = {isd::kAnd, isd::kOr};
constexpr int16_t kBrCond[] = {isd::kBrCond};

constexpr CombineRow kComparisonCombineRows[] = {
    {"setcc-constant-right", CombineRow::kBoth, kSetCCOpcode, ConstantOperandRight},
    {"setcc-same", CombineRow::kBoth, kSetCCOpcode, SameOperands},
    {"setcc-limit", CombineRow::kBoth, kSetCCOpcode, LimitOfRange},
    {"setcc-known-bits", CombineRow::kBoth, kSetCCOpcode, DecidedByKnownBits},
    {"setcc-arithmetic", CombineRow::kBoth, kSetCCOpcode, EqualityOfArithmetic},
    {"setcc-bit", CombineRow::kBoth, kSetCCOpcode, OfBits},
    {"setcc-extended-bit", CombineRow::kBoth, kSetCCOpcode, OfExtendedBit},
    {"setcc-extension", CombineRow::kBoth, kSetCCOpcode, OfExtensions},
    {"select-identity", CombineRow::kBoth, kSelectOpcodes, SimplifySelect},
    {"select-min-max", CombineRow::kBoth, kSelectOpcodes, MinMaxOfIntegers},
    {"select-fmin-fmax", CombineRow::kBoth, kSelectOpcodes, MinMaxOfFloats},
    {"select-abs", CombineRow::kBoth, kSelect, AbsOfSelect},
    {"joined-setccs", CombineRow::kBoth, kJoins, JoinedComparisons},
    {"branch-inverted", CombineRow::kBoth, kBrCond, InvertedBranch},
};

}  // namespace

absl::Span<const CombineRow> ComparisonCombines() { return kComparisonCombineRows; }

}  // namespace ptxmir::sdag
