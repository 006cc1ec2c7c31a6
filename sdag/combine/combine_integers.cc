// SPDX-License-Identifier: Apache-2.0

// Sums, differences, products, minima and maxima of integers; addresses.

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;
constexpr uint32_t kNuw = SDNodeFlags::kNoUnsignedWrap;
constexpr uint32_t kNsw = SDNodeFlags::kNoSignedWrap;

// Returns the flags of x + (a + b), made from (x + a) + b. No-wrap flags of both sums hold unless a + b wraps.
uint32_t FlagsOfSum(const SDNode& outer, const SDNode& inner, U a, U b, unsigned width) {
  const uint32_t both = outer.flags() & inner.flags();
  uint32_t flags = both & (kNuw | SDNodeFlags::kInBounds);
  const U sum = (a + b) & LowBits(width);
  if ((both & kNsw) != 0 && SignExtended(a, width) + SignExtended(b, width) == SignExtended(sum, width) &&
      width < 128) {
    flags |= kNsw;
  }
  // With nuw on both sums, x + a + b does not wrap as a whole, and neither does a + b.
  return flags;
}

SDValue SimplifyAdd(const CombineContext&, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  if (IsZero(b)) return a;
  // (x - b) + b and b + (x - b)
  if (Is(a, isd::kSub) && a.operand(1) == b) return a.operand(0);
  if (Is(b, isd::kSub) && b.operand(1) == a) return b.operand(0);
  return SDValue();
}

SDValue AddOfNegation(const CombineContext& context, SDNode& node) {
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue negation = node.operand(i), other = node.operand(1 - i);
    if (Is(negation, isd::kSub) && IsZero(negation.operand(0))) {
      return context.Node(isd::kSub, node.loc(), node.value_type(0), {other, negation.operand(1)});
    }
  }
  return SDValue();
}

// (x + c1) + c2, also for pointers.
SDValue AddOfAddOfConstant(const CombineContext& context, SDNode& node) {
  const SDValue inner = node.operand(0);
  U c1, c2;
  if (!Is(inner, node.opcode()) || !IsConstant(node.operand(1), &c2) || !IsConstant(inner.operand(1), &c1)) {
    return SDValue();
  }
  if (inner.operand(1).type() != node.operand(1).type()) return SDValue();
  const unsigned width = ScalarSizeInBits(node.operand(1).type());
  if (node.opcode() == isd::kPtrAdd && width != ScalarSizeInBits(node.value_type(0))) return SDValue();
  return context.Node(node.opcode(), node.loc(), node.value_type(0),
                      {inner.operand(0), context.Int(node.operand(1).type(), c1 + c2)},
                      FlagsOfSum(node, *inner.node(), c1, c2, width));
}

// (x + c) + y where the inner sum has no other use: the addition of c moves outwards, where it can be folded into
// an address.
SDValue AddConstantOutwards(const CombineContext& context, SDNode& node) {
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue inner = node.operand(i), other = node.operand(1 - i);
    U c, unused;
    if (!IsOneUse(inner, isd::kAdd) || !IsConstant(inner.operand(1), &c) || IsConstant(other, &unused)) continue;
    if (IsVector(node.value_type(0))) continue;
    const MVT type = node.value_type(0);
    const uint32_t flags = node.flags() & inner->flags() & kNuw;
    // Keep the order of the operands, so that equal sums are found.
    const SDValue sum = i == 0 ? context.Node(isd::kAdd, node.loc(), type, {inner.operand(0), other}, flags)
                               : context.Node(isd::kAdd, node.loc(), type, {other, inner.operand(0)}, flags);
    return context.Node(isd::kAdd, node.loc(), type, {sum, inner.operand(1)}, flags);
  }
  return SDValue();
}

SDValue AddToGlobal(const CombineContext& context, SDNode& node) {
  const auto* global = DynCast<GlobalAddressSDNode>(node.operand(0));
  U offset;
  if (global == nullptr || global->opcode() != isd::kGlobalAddress || global->target_flags() != 0) return SDValue();
  if (!IsConstant(node.operand(1), &offset)) return SDValue();
  const auto bytes = static_cast<int64_t>(SignExtended(offset, Width(node.operand(1))));
  int64_t sum;
  // The limit is the range that ptxas accepts.
  if (__builtin_add_overflow(global->offset(), bytes, &sum) || sum > INT32_MAX || sum < INT32_MIN) return SDValue();
  const SDValue folded = context.dag().GetGlobalAddress(global->global(), node.value_type(0), sum);
  if (!context.before_legalize() && !context.IsLegal(*folded.node())) return SDValue();
  return folded;
}

SDValue SimplifySub(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  if (IsZero(b)) return a;
  if (a == b) return context.Zero(type);
  if (Is(a, isd::kAdd)) {
    if (a.operand(0) == b) return a.operand(1);
    if (a.operand(1) == b) return a.operand(0);
  }
  // a - (a - y), a - (x + a)
  if (Is(b, isd::kSub) && b.operand(0) == a) return b.operand(1);
  if (Is(b, isd::kAdd) && (b.operand(0) == a || b.operand(1) == a)) {
    return context.Node(isd::kSub, node.loc(), type, {context.Zero(type), b.operand(b.operand(0) == a ? 1 : 0)});
  }
  return SDValue();
}

// a - (0 - y), 0 - (x - y), and a - c.
SDValue SubToAdd(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  U c;
  if (IsConstant(b, &c)) return context.Node(isd::kAdd, node.loc(), type, {a, context.Int(type, -c)});
  if (Is(b, isd::kSub) && IsZero(b.operand(0))) return context.Node(isd::kAdd, node.loc(), type, {a, b.operand(1)});
  if (IsZero(a) && IsOneUse(b, isd::kSub)) {
    return context.Node(isd::kSub, node.loc(), type, {b.operand(1), b.operand(0)});
  }
  // c1 - (x + c2)
  U c1, c2;
  if (IsConstant(a, &c1) && IsOneUse(b, isd::kAdd) && IsConstant(b.operand(1), &c2)) {
    return context.Node(isd::kSub, node.loc(), type, {context.Int(type, c1 - c2), b.operand(0)});
  }
  return SDValue();
}

SDValue SimplifyMul(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  U c, c1;
  if (!IsConstant(b, &c)) return SDValue();
  if (c == 0) return context.Zero(type);
  if (c == 1) return a;
  if (c == LowBits(width)) return context.Node(isd::kSub, node.loc(), type, {context.Zero(type), a});
  if (Is(a, isd::kMul) && IsConstant(a.operand(1), &c1)) {
    return context.Node(isd::kMul, node.loc(), type, {a.operand(0), context.Int(type, c * c1)},
                        node.flags() & a->flags() & kNuw);
  }
  if (IsOneUse(a, isd::kShl) && IsConstant(a.operand(1), &c1) && c1 < U(width)) {
    const int amount = static_cast<int>(absl::Uint128Low64(c1));
    return context.Node(isd::kMul, node.loc(), type, {a.operand(0), context.Int(type, c << amount)},
                        node.flags() & a->flags() & kNuw);
  }
  return SDValue();
}

SDValue MulToShift(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  U c;
  unsigned log2;
  if (!IsConstant(node.operand(1), &c) || !IsPowerOf2(c, &log2)) return SDValue();
  // nsw: 2^(width-1) is negative as a factor, but as a shift it would overflow for other operands.
  uint32_t flags = node.flags() & kNuw;
  if (log2 + 1 < width) flags |= node.flags() & kNsw;
  const MVT amount_type = IsVector(type) || width < 32 ? type : MVT::kI32;
  return context.Node(isd::kShl, node.loc(), type, {node.operand(0), context.Int(amount_type, log2)}, flags);
}

// (x + c1) * c2, if the result is a constant that an address can take.
SDValue MulOfAdd(const CombineContext& context, SDNode& node) {
  const SDValue sum = node.operand(0);
  const MVT type = node.value_type(0);
  U c1, c2;
  if (!IsOneUse(sum, isd::kAdd) || !IsConstant(node.operand(1), &c2) || !IsConstant(sum.operand(1), &c1)) {
    return SDValue();
  }
  return context.Node(
      isd::kAdd, node.loc(), type,
      {context.Node(isd::kMul, node.loc(), type, {sum.operand(0), node.operand(1)}), context.Int(type, c1 * c2)});
}

// Returns true if the sum has the same value in wider integers: its flag says so, its operands have no common bit,
// or they are small.
bool WrapsNowhere(const SDNode& sum, bool is_signed) {
  if (sum.HasFlag(is_signed ? kNsw : kNuw)) return true;
  const KnownBits a = ComputeKnownBits(sum.operand(0)), b = ComputeKnownBits(sum.operand(1));
  if ((a.zero | b.zero) == a.mask()) return true;
  if (is_signed) return ComputeNumSignBits(sum.operand(0)) > 1 && ComputeNumSignBits(sum.operand(1)) > 1;
  return a.width < 128 && a.UnsignedMax() + b.UnsignedMax() <= a.mask();
}

// (ext (x + c1)) * c2, also as a shift. If the sum does not wrap, it can be computed after the extension. The
// addition of the constant moves outwards, where it can be folded into an address.
SDValue ScaledExtensionOfAdd(const CombineContext& context, SDNode& node) {
  const SDValue extension = node.operand(0);
  const MVT type = node.value_type(0);
  const bool is_signed = IsOneUse(extension, isd::kSignExtend);
  U c1, c2;
  if ((!is_signed && !IsOneUse(extension, isd::kZeroExtend)) || !IsConstant(node.operand(1), &c2)) return SDValue();
  const SDValue sum = extension.operand(0);
  if (!IsOneUse(sum, isd::kAdd) || !IsConstant(sum.operand(1), &c1)) return SDValue();
  if (!WrapsNowhere(*sum.node(), is_signed)) return SDValue();
  const unsigned width = ScalarSizeInBits(type);
  if (node.opcode() == isd::kShl && c2 >= U(width)) return SDValue();
  const U wide = is_signed ? static_cast<U>(SignExtended(c1, Width(sum))) : c1;
  const U scaled = node.opcode() == isd::kShl ? wide << static_cast<int>(absl::Uint128Low64(c2)) : wide * c2;
  const SDValue x = context.Node(extension.opcode(), node.loc(), type, {sum.operand(0)});
  return context.Node(isd::kAdd, node.loc(), type,
                      {context.Node(node.opcode(), node.loc(), type, {x, node.operand(1)}), context.Int(type, scaled)});
}

SDValue SimplifyMulHigh(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  const MVT amount_type = IsVector(type) || width < 32 ? type : MVT::kI32;
  U c;
  unsigned log2;
  if (!IsConstant(node.operand(1), &c)) return SDValue();
  if (c == 0) return context.Zero(type);
  if (node.opcode() == isd::kMulHS) {
    if (c != 1 || width == 1) return SDValue();
    return context.Node(isd::kSra, node.loc(), type, {node.operand(0), context.Int(amount_type, width - 1)});
  }
  if (c == 1) return context.Zero(type);
  if (!IsPowerOf2(c, &log2)) return SDValue();
  return context.Node(isd::kSrl, node.loc(), type, {node.operand(0), context.Int(amount_type, width - log2)});
}

// A double-width product of which one half is not used.
SDValue HalfOfProduct(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const bool is_signed = node.opcode() == isd::kSMulLoHi;
  const SDValue a = node.operand(0), b = node.operand(1);
  if (!node.HasAnyUseOfValue(1)) {
    const SDValue low = context.Node(isd::kMul, node.loc(), type, {a, b});
    return low ? context.Replace(node, {low}) : SDValue();
  }
  if (!node.HasAnyUseOfValue(0)) {
    const int16_t opcode = is_signed ? isd::kMulHS : isd::kMulHU;
    if (!context.IsLegalBinary(opcode, type)) return SDValue();
    const SDValue high = context.Node(opcode, node.loc(), type, {a, b});
    return high ? context.Replace(node, {SDValue(), high}) : SDValue();
  }
  return SDValue();
}

// An operation with overflow whose overflow is unused or impossible.
SDValue SimplifyOverflow(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  int16_t plain = isd::kMul;
  if (node.opcode() == isd::kSAddO || node.opcode() == isd::kUAddO) plain = isd::kAdd;
  if (node.opcode() == isd::kSSubO || node.opcode() == isd::kUSubO) plain = isd::kSub;
  bool never = plain != isd::kMul && IsZero(b);
  if (node.opcode() == isd::kUAddO) {
    const U sum = ComputeKnownBits(a).UnsignedMax() + ComputeKnownBits(b).UnsignedMax();
    never |= sum >= ComputeKnownBits(a).UnsignedMax() && sum <= LowBits(ScalarSizeInBits(type));
  } else if (node.opcode() == isd::kUSubO) {
    never |= ComputeKnownBits(a).UnsignedMin() >= ComputeKnownBits(b).UnsignedMax();
  } else if (node.opcode() == isd::kSAddO || node.opcode() == isd::kSSubO) {
    never |= ComputeNumSignBits(a) > 1 && ComputeNumSignBits(b) > 1;
  }
  if (!never && node.HasAnyUseOfValue(1)) return SDValue();
  const SDValue result = context.Node(plain, node.loc(), type, {a, b});
  if (!result) return SDValue();
  return context.Replace(node, {result, never ? context.Zero(node.value_type(1)) : SDValue()});
}

SDValue SimplifyMinMax(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const unsigned width = ScalarSizeInBits(type);
  const int16_t opcode = node.opcode();
  const bool is_signed = opcode == isd::kSMin || opcode == isd::kSMax;
  const bool is_max = opcode == isd::kSMax || opcode == isd::kUMax;
  if (a == b) return a;
  U c, c1;
  if (!IsConstant(b, &c)) return SDValue();
  const U largest = is_signed ? LowBits(width) >> 1 : LowBits(width);
  const U smallest = is_signed ? largest + 1 : U(0);
  if (c == (is_max ? smallest : largest)) return a;
  if (c == (is_max ? largest : smallest)) return b;
  if (Is(a, opcode) && IsConstant(a.operand(1), &c1)) {
    const bool less = is_signed ? SignExtended(c, width) < SignExtended(c1, width) : c < c1;
    return context.Node(opcode, node.loc(), type, {a.operand(0), context.Int(type, less != is_max ? c : c1)});
  }
  if (!is_signed) {
    const KnownBits known = ComputeKnownBits(a);
    if (known.UnsignedMax() <= c) return is_max ? b : a;
    if (known.UnsignedMin() >= c) return is_max ? a : b;
  }
  return SDValue();
}

SDValue SimplifyAbs(const CombineContext&, SDNode& node) {
  const SDValue a = node.operand(0);
  if (Is(a, isd::kAbs) || ComputeKnownBits(a).IsNonNegative()) return a;
  return SDValue();
}

// mul (ext a), (ext b), both of half the width. One operand may be a constant that fits. A shift left by one
// counts, too.
SDValue WideProduct(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (type != MVT::kI64 && type != MVT::kI32) return SDValue();
  const MVT half = type == MVT::kI64 ? MVT::kI32 : MVT::kI16;
  const unsigned width = SizeInBits(half);
  const SDValue a = node.operand(0), b = node.operand(1);
  const bool is_signed = Is(a, isd::kSignExtend);
  if ((!is_signed && !Is(a, isd::kZeroExtend)) || a.operand(0).type() != half) return SDValue();
  SDValue factor;
  U c;
  if (IsConstant(b, &c)) {
    if (node.opcode() == isd::kShl) {
      if (c >= U(width - (is_signed ? 1 : 0))) return SDValue();
      c = U(1) << static_cast<int>(absl::Uint128Low64(c));
    }
    const bool fits = is_signed ? SignExtended(c & LowBits(width), width) == SignExtended(c, SizeInBits(type))
                                : (c >> static_cast<int>(width)) == 0;
    if (!fits) return SDValue();
    factor = context.Int(half, c);
  } else if (node.opcode() == isd::kMul && Is(b, a.opcode()) && b.operand(0).type() == half) {
    factor = b.operand(0);
  } else {
    return SDValue();
  }
  return context.Node(is_signed ? isd::kNvMulWideSigned : isd::kNvMulWideUnsigned, node.loc(), type,
                      {a.operand(0), factor});
}

constexpr int16_t kAdd[] = {isd::kAdd};
constexpr int16_t kAddOrPtrAdd[] = {isd::kAdd, isd::kPtrAdd};
constexpr int16_t kPtrAdd[] = {isd::kPtrAdd};
constexpr int16_t kSub[] = {isd::kSub};
constexpr int16_t kMul[] = {isd::kMul};
constexpr int16_t kMulOrShl[] = {isd::kMul, isd::kShl};
constexpr int16_t kMulHigh[] = {isd::kMulHS, isd::kMulHU};
constexpr int16_t kMulLoHi[] = {isd::kSMulLoHi, isd::kUMulLoHi};
constexpr int16_t kOverflow[] = {isd::kSAddO, isd::kUAddO, isd::kSSubO, isd::kUSubO, isd::kSMulO, isd::kUMulO};
constexpr int16_t kIntegerMinMax[] = {isd::kSMin, isd::kSMax, isd::kUMin, isd::kUMax};
constexpr int16_t kAbs[] = {isd::kAbs};

SDValue SimplifyPtrAdd(const CombineContext&, SDNode& node) {
  return IsZero(node.operand(1)) ? node.operand(0) : SDValue();
}

constexpr CombineRow kIntegerCombineRows[] = {
    {"add-identity", CombineRow::kBoth, kAdd, SimplifyAdd},
    {"ptradd-zero", CombineRow::kBoth, kPtrAdd, SimplifyPtrAdd},
    {"add-negation", CombineRow::kBoth, kAdd, AddOfNegation},
    {"add-add-constant", CombineRow::kBoth, kAddOrPtrAdd, AddOfAddOfConstant},
    {"add-global", CombineRow::kBoth, kAddOrPtrAdd, AddToGlobal},
    {"add-constant-outwards", CombineRow::kBoth, kAdd, AddConstantOutwards},
    {"sub-identity", CombineRow::kBoth, kSub, SimplifySub},
    {"sub-to-add", CombineRow::kBoth, kSub, SubToAdd},
    {"scaled-ext-of-add", CombineRow::kBoth, kMulOrShl, ScaledExtensionOfAdd},
    {"mul-wide", CombineRow::kBoth, kMulOrShl, WideProduct},
    {"mul-identity", CombineRow::kBoth, kMul, SimplifyMul},
    {"mul-power-of-2", CombineRow::kBoth, kMul, MulToShift},
    {"mul-add-constant", CombineRow::kBoth, kMul, MulOfAdd},
    {"mulh-constant", CombineRow::kBoth, kMulHigh, SimplifyMulHigh},
    {"mul-lohi-half", CombineRow::kBoth, kMulLoHi, HalfOfProduct},
    {"overflow-unused", CombineRow::kBoth, kOverflow, SimplifyOverflow},
    {"min-max-constant", CombineRow::kBoth, kIntegerMinMax, SimplifyMinMax},
    {"abs-known", CombineRow::kBoth, kAbs, SimplifyAbs},
};

}  // namespace

absl::Span<const CombineRow> IntegerCombines() { return kIntegerCombineRows; }

}  // namespace ptxmir::sdag
