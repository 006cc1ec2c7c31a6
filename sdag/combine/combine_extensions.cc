// SPDX-License-Identifier: Apache-2.0

// Extensions, truncations, bitcasts.

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

bool IsExtension(const SDValue& value) {
  return Is(value, isd::kZeroExtend) || Is(value, isd::kSignExtend) || Is(value, isd::kAnyExtend);
}

// ext (ext x). The outer extension decides the kind, unless the inner one makes both the same.
SDValue ExtensionOfExtension(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (!IsExtension(a)) return SDValue();
  const int16_t outer = node.opcode(), inner = a.opcode();
  int16_t opcode;
  if (outer == inner || outer == isd::kAnyExtend || inner == isd::kZeroExtend) {
    // A zero-extended value is nonnegative, so sext is the same as zext.
    opcode = inner;
  } else {
    return SDValue();
  }
  return context.Node(opcode, node.loc(), node.value_type(0), {a.operand(0)}, a->flags() & SDNodeFlags::kNonNeg);
}

// ext (trunc x) to x's type: becomes a mask, sign_extend_inreg, or x.
SDValue ExtensionOfTruncation(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (!Is(a, isd::kTruncate)) return SDValue();
  const SDValue x = a.operand(0);
  const MVT type = node.value_type(0);
  const unsigned low = Width(a);
  if (x.type() != type) {
    // Only if x already has the upper bits that the extension would make.
    if (node.opcode() == isd::kAnyExtend) return context.AExtOrTrunc(node.loc(), type, x);
    if (node.opcode() == isd::kZeroExtend && (ComputeKnownBits(x).UnsignedMax() >> static_cast<int>(low)) == 0) {
      return context.ZExtOrTrunc(node.loc(), type, x);
    }
    if (node.opcode() == isd::kSignExtend && ComputeNumSignBits(x) > Width(x) - low) {
      return context.SExtOrTrunc(node.loc(), type, x);
    }
    return SDValue();
  }
  if (node.opcode() == isd::kAnyExtend) return x;
  if (node.opcode() == isd::kZeroExtend) {
    return context.Node(isd::kAnd, node.loc(), type, {x, context.Int(type, LowBits(low))});
  }
  if (ComputeNumSignBits(x) > Width(x) - low) return x;
  if (IsVector(type) || (low != 8 && low != 16 && low != 32)) return SDValue();
  return context.Node(isd::kSignExtendInReg, node.loc(), type, {x, context.dag().GetValueType(*IntegerOf(low))});
}

// Returns the value of which `value` is the truncation, if only the bits that it keeps can be set, or the constant.
SDValue BeforeTruncation(const CombineContext& context, MVT type, const SDValue& value) {
  U c;
  if (IsConstant(value, &c)) return context.Int(type, c & LowBits(Width(value)));
  if (!Is(value, isd::kTruncate) || value.operand(0).type() != type) return SDValue();
  const U most = ComputeKnownBits(value.operand(0)).UnsignedMax();
  return (most >> static_cast<int>(Width(value))) == 0 ? value.operand(0) : SDValue();
}

// zext (and (trunc x), (trunc y)) of truth values: and x, y. No predicates are made.
SDValue ExtensionOfTruthLogic(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (a.type() != MVT::kI1 || !a.HasOneUse()) return SDValue();
  if (!Is(a, isd::kAnd) && !Is(a, isd::kOr) && !Is(a, isd::kXor)) return SDValue();
  const SDValue first = a.operand(0);
  if (!Is(first, isd::kTruncate)) return SDValue();
  const MVT type = first.operand(0).type();
  const SDValue x = BeforeTruncation(context, type, first);
  const SDValue y = BeforeTruncation(context, type, a.operand(1));
  if (!x || !y) return SDValue();
  return context.ZExtOrTrunc(node.loc(), node.value_type(0), context.Node(a.opcode(), node.loc(), type, {x, y}));
}

// trunc (trunc x), trunc (ext x).
SDValue TruncationOfConversion(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  if (Is(a, isd::kTruncate)) return context.Node(isd::kTruncate, node.loc(), type, {a.operand(0)});
  if (!IsExtension(a)) return SDValue();
  const SDValue x = a.operand(0);
  if (x.type() == type) return x;
  if (ScalarSizeInBits(type) < Width(x)) return context.Node(isd::kTruncate, node.loc(), type, {x});
  return context.Node(a.opcode(), node.loc(), type, {x}, a->flags() & SDNodeFlags::kNonNeg);
}

// Returns the truncated value if it costs nothing, because it is a constant or was extended from no more bits.
SDValue Narrow(const CombineContext& context, SDLoc loc, MVT type, const SDValue& value) {
  U c;
  if (IsConstant(value, &c)) return context.Int(type, c);
  if (!IsExtension(value) || Width(value.operand(0)) > ScalarSizeInBits(type)) return SDValue();
  if (value.operand(0).type() == type) return value.operand(0);
  return context.Node(value.opcode(), loc, type, {value.operand(0)});
}

// trunc (op a, b) where a and b can be truncated for free: the low bits of the result depend only on low bits.
SDValue TruncationOfArithmetic(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  if (IsVector(type) || ScalarSizeInBits(type) < 16 || !a.HasOneUse()) return SDValue();
  switch (a.opcode()) {
    case isd::kAdd:
    case isd::kSub:
    case isd::kMul:
    case isd::kAnd:
    case isd::kOr:
    case isd::kXor: {
      const SDValue left = Narrow(context, node.loc(), type, a.operand(0));
      if (!left) return SDValue();
      return context.Node(a.opcode(), node.loc(), type, {left, Narrow(context, node.loc(), type, a.operand(1))});
    }
    case isd::kNvMulWideSigned:
    case isd::kNvMulWideUnsigned: {
      if (a.operand(0).type() != type) return SDValue();
      return context.Node(isd::kMul, node.loc(), type, {a.operand(0), a.operand(1)});
    }
    default:
      return SDValue();
  }
}

// A sum of two values that were extended in the same way: is computed narrow if it can't wrap there. The separation of
// constant offsets from indices leaves such sums, and mad.wide contains the extension.
SDValue SumOfExtensions(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  const bool is_unsigned = Is(a, isd::kZeroExtend);
  if (type != MVT::kI64 || (!is_unsigned && !Is(a, isd::kSignExtend)) || !Is(b, a.opcode())) return SDValue();
  if (!a.HasOneUse() && !b.HasOneUse()) return SDValue();
  const SDValue x = a.operand(0), y = b.operand(0);
  if (x.type() != MVT::kI32 || y.type() != MVT::kI32) return SDValue();
  const bool may_wrap = is_unsigned
                            ? ComputeKnownBits(x).UnsignedMax() + ComputeKnownBits(y).UnsignedMax() > LowBits(32)
                            : ComputeNumSignBits(x) == 1 || ComputeNumSignBits(y) == 1;
  if (may_wrap) return SDValue();
  const uint32_t flags = is_unsigned ? SDNodeFlags::kNoUnsignedWrap : SDNodeFlags::kNoSignedWrap;
  return context.Node(a.opcode(), node.loc(), type, {context.Node(isd::kAdd, node.loc(), MVT::kI32, {x, y}, flags)});
}

// A mask that only clears bits that a truncation cuts off.
SDValue TruncationOfMask(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  U c;
  const MVT type = node.value_type(0);
  const U low = LowBits(ScalarSizeInBits(type));
  if (Is(a, isd::kAnd) && IsConstant(a.operand(1), &c) && (c & low) == low) {
    return context.Node(isd::kTruncate, node.loc(), type, {a.operand(0)});
  }
  const bool in_reg = Is(a, isd::kSignExtendInReg) || Is(a, isd::kAssertZext) || Is(a, isd::kAssertSext);
  if (in_reg && a.opcode() == isd::kSignExtendInReg) {
    const auto* from = DynCast<VTSDNode>(a.operand(1));
    if (from == nullptr || from->type().IsVector() || from->type().SizeInBits() < ScalarSizeInBits(type)) {
      return SDValue();
    }
    return context.Node(isd::kTruncate, node.loc(), type, {a.operand(0)});
  }
  return SDValue();
}

// Returns the truncation of the upper half of a value, shifted down; null if nothing wants it.
SDNode* TruncationOfUpperHalf(const SDValue& value, MVT half) {
  for (const SDUse* use = value.node()->first_use(); use != nullptr; use = use->next()) {
    SDNode& shift = *use->user();
    const bool is_shift = shift.opcode() == isd::kSrl || shift.opcode() == isd::kSra;
    if (!is_shift || shift.operand(0) != value || !IsConstantOf(shift.operand(1), ScalarSizeInBits(half))) continue;
    for (const SDUse* user = shift.first_use(); user != nullptr; user = user->next()) {
      if (user->user()->opcode() == isd::kTruncate && user->user()->value_type(0) == half) return user->user();
    }
  }
  return nullptr;
}

// Both halves of a value: one instruction gives them.
SDValue TruncationsOfHalves(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  if (a.type() != MVT::kI64 || type != MVT::kI32) return SDValue();
  SDNode* const upper = TruncationOfUpperHalf(a, type);
  if (upper == nullptr) return SDValue();
  const MVT types[] = {type, type};
  const SDValue halves = context.Node(isd::kNvUnpackVector, node.loc(), types, {&a, 1});
  if (!halves) return SDValue();
  const SDValue high[] = {halves.Result(1)};
  context.Replace(*upper, high);
  return halves;
}

// sign_extend_inreg of a value that is sign-extended already, of a mask of the same bits, or of itself.
SDValue SimplifySignExtendInReg(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const auto* from = DynCast<VTSDNode>(node.operand(1));
  if (from == nullptr) return SDValue();
  const unsigned width = ScalarSizeInBits(node.value_type(0));
  const unsigned low = from->type().IsVector() ? ScalarSizeInBits(from->type().simple()) : from->type().SizeInBits();
  if (low >= width || ComputeNumSignBits(a) > width - low) return a;
  U c;
  if (Is(a, isd::kAnd) && IsConstant(a.operand(1), &c) && (c & LowBits(low)) == LowBits(low)) {
    return context.Node(isd::kSignExtendInReg, node.loc(), node.value_type(0), {a.operand(0), node.operand(1)});
  }
  if (Is(a, isd::kSignExtendInReg)) {
    const auto* inner = DynCast<VTSDNode>(a.operand(1));
    if (inner == nullptr || inner->type().IsVector() || inner->type().SizeInBits() < low) return SDValue();
    return context.Node(isd::kSignExtendInReg, node.loc(), node.value_type(0), {a.operand(0), node.operand(1)});
  }
  if (ComputeKnownBits(a).zero >> static_cast<int>(low - 1) & 1) {
    return context.Node(isd::kAnd, node.loc(), node.value_type(0), {a, context.Int(node.value_type(0), LowBits(low))});
  }
  return SDValue();
}

// Asserts of constants, and asserts that add no information.
SDValue RedundantAssert(const CombineContext&, SDNode& node) {
  const SDValue a = node.operand(0);
  const auto* type = DynCast<VTSDNode>(node.operand(1));
  if (type == nullptr || type->type().IsVector()) return SDValue();
  const unsigned width = Width(a), low = type->type().SizeInBits();
  if (low >= width) return a;
  if (node.opcode() == isd::kAssertZext) {
    return (ComputeKnownBits(a).UnsignedMax() >> static_cast<int>(low)) == 0 ? a : SDValue();
  }
  return ComputeNumSignBits(a) > width - low ? a : SDValue();
}

SDValue SimplifyBitcast(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (a.type() == node.value_type(0)) return a;
  if (!Is(a, isd::kBitcast)) return SDValue();
  if (a.operand(0).type() == node.value_type(0)) return a.operand(0);
  return context.Node(isd::kBitcast, node.loc(), node.value_type(0), {a.operand(0)});
}

constexpr int16_t kSums[] = {isd::kAdd};
constexpr int16_t kAsserts[] = {isd::kAssertSext, isd::kAssertZext};
constexpr int16_t kBitcast[] = {isd::kBitcast};
constexpr int16_t kZeroExtension[] = {isd::kZeroExtend};

constexpr CombineRow kExtensionCombineRows[] = {
    {"ext-of-ext", CombineRow::kBoth, kExtensionOpcodes, ExtensionOfExtension},
    {"ext-of-trunc", CombineRow::kBoth, kExtensionOpcodes, ExtensionOfTruncation},
    {"ext-of-truth-logic", CombineRow::kBoth, kZeroExtension, ExtensionOfTruthLogic},
    {"trunc-of-conversion", CombineRow::kBoth, kTruncateOpcode, TruncationOfConversion},
    {"trunc-of-arithmetic", CombineRow::kBoth, kTruncateOpcode, TruncationOfArithmetic},
    {"trunc-of-mask", CombineRow::kBoth, kTruncateOpcode, TruncationOfMask},
    {"trunc-of-halves", CombineRow::kAfter, kTruncateOpcode, TruncationsOfHalves},
    {"sum-of-extensions", CombineRow::kBoth, kSums, SumOfExtensions},
    {"sext-inreg", CombineRow::kBoth, kInRegOpcode, SimplifySignExtendInReg},
    {"assert-known", CombineRow::kBoth, kAsserts, RedundantAssert},
    {"bitcast-of-bitcast", CombineRow::kBoth, kBitcast, SimplifyBitcast},
};

}  // namespace

absl::Span<const CombineRow> ExtensionCombines() { return kExtensionCombineRows; }

}  // namespace ptxmir::sdag
