// SPDX-License-Identifier: Apache-2.0

// Sums, differences, minima and maxima of integers; addresses.

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

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

constexpr int16_t kAdd[] = {isd::kAdd};
constexpr int16_t kAddOrPtrAdd[] = {isd::kAdd, isd::kPtrAdd};
constexpr int16_t kPtrAdd[] = {isd::kPtrAdd};
constexpr int16_t kSub[] = {isd::kSub};
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
    {"overflow-unused", CombineRow::kBoth, kOverflow, SimplifyOverflow},
    {"min-max-constant", CombineRow::kBoth, kIntegerMinMax, SimplifyMinMax},
    {"abs-known", CombineRow::kBoth, kAbs, SimplifyAbs},
};

}  // namespace

absl::Span<const CombineRow> IntegerCombines() { return kIntegerCombineRows; }

}  // namespace ptxmir::sdag
