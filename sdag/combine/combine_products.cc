// SPDX-License-Identifier: Apache-2.0

// Products of integers.

#include <optional>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

using U = absl::uint128;

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

// Returns true for a product with a constant, or for a shift left by one that counts as such, and sets the factor.
bool IsConstantFactor(const SDNode& node, bool is_signed, U* factor) {
  if (node.opcode() == isd::kMul) return IsConstant(node.operand(1), factor);
  U amount;
  if (node.opcode() != isd::kShl || !IsConstant(node.operand(1), &amount)) return false;
  // The highest bit is negative as a signed factor.
  if (amount >= U(ScalarSizeInBits(node.value_type(0)) - (is_signed ? 1 : 0))) return false;
  *factor = U(1) << static_cast<int>(absl::Uint128Low64(amount));
  return true;
}

// Returns true if a constant of this width is the extension of its lower half.
bool FitsHalf(U c, unsigned width, bool is_signed) {
  const unsigned half = width / 2;
  if (!is_signed) return (c >> static_cast<int>(half)) == 0;
  return SignExtended(c & LowBits(half), half) == SignExtended(c, width);
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

// (x + 1) * y: x * y + y is one instruction. After legalization, when nothing else wants the sum.
SDValue ProductOfSuccessor(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (type != MVT::kI32) return SDValue();
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue sum = node.operand(i), other = node.operand(1 - i);
    U unused;
    if (!IsOneUse(sum, isd::kAdd) || !IsOne(sum.operand(1)) || IsConstant(other, &unused)) continue;
    return context.Node(isd::kAdd, node.loc(), type,
                        {context.Node(isd::kMul, node.loc(), type, {sum.operand(0), other}), other});
  }
  return SDValue();
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

// (ext (x * c1)) * c2, also as shifts. If the inner product does not wrap, both constants are one factor. Only where
// the factor fits a product of full width.
SDValue ScaledExtensionOfProduct(const CombineContext& context, SDNode& node) {
  const SDValue extension = node.operand(0);
  const bool is_signed = IsOneUse(extension, isd::kSignExtend);
  if (node.value_type(0) != MVT::kI64 || (!is_signed && !IsOneUse(extension, isd::kZeroExtend))) return SDValue();
  const SDValue product = extension.operand(0);
  U outer, inner;
  if (product.type() != MVT::kI32 || !product.HasOneUse() || !product->HasFlag(is_signed ? kNsw : kNuw)) {
    return SDValue();
  }
  if (!IsConstantFactor(node, is_signed, &outer) || !IsConstantFactor(*product.node(), is_signed, &inner)) {
    return SDValue();
  }
  const U factor = is_signed ? static_cast<U>(SignExtended(inner, 32)) * outer : inner * outer;
  if (!FitsHalf(factor & LowBits(64), 64, is_signed)) return SDValue();
  const SDValue x = context.Node(extension.opcode(), node.loc(), MVT::kI64, {product.operand(0)});
  return context.Node(isd::kMul, node.loc(), MVT::kI64, {x, context.Int(MVT::kI64, factor)});
}

// Returns true for a load of at most 32 bits that extends them to 64.
bool IsExtendingLoad(const SDValue& value) {
  if (!IsPlainLoad(value) || value.type() != MVT::kI64) return false;
  const MemSDNode& load = AsMemSDNode(*value.node());
  const bool extends = load.ext() == LoadExt::kSign || load.ext() == LoadExt::kZero;
  return extends && load.memory_type().is_simple() && IsScalarInteger(load.memory_type().simple()) &&
         load.memory_type().SizeInBits() <= 32;
}

// Returns true if the value is the extension of its lower half, or a constant that is.
bool IsExtendedFactor(const SDValue& value, bool is_signed) {
  const unsigned width = Width(value), half = width / 2;
  U c;
  if (IsConstant(value, &c)) return FitsHalf(c, width, is_signed);
  if (IsExtendingLoad(value)) {
    const MemSDNode& load = AsMemSDNode(*value.node());
    return (load.ext() == LoadExt::kSign) == is_signed || (is_signed && load.memory_type().SizeInBits() < half);
  }
  const bool extends_sign = Is(value, isd::kSignExtend);
  if (!extends_sign && !Is(value, isd::kZeroExtend)) return false;
  const SDValue x = value.operand(0);
  // Bits are selected, not multiplied. What is narrower than 16 bits has to be extended to 32 for its own sake.
  if (Width(x) > half || Width(x) == 1 || (half == 16 && Width(x) < half)) return false;
  if (extends_sign == is_signed || (is_signed && Width(x) < half)) return true;
  return value->HasFlag(SDNodeFlags::kNonNeg) || ComputeKnownBits(x).IsNonNegative();
}

// Returns whether a product is signed that can be computed of the lower halves of its factors, in their full width;
// nothing if it can't.
std::optional<bool> SignOfWideProduct(const SDNode& node) {
  const MVT type = node.value_type(0);
  const bool is_shift = node.opcode() == isd::kShl;
  if (!is_shift && node.opcode() != isd::kMul) return std::nullopt;
  if (type != MVT::kI32 && type != MVT::kI64 && (type != MVT::kI128 || is_shift)) return std::nullopt;
  const SDValue a = node.operand(0), b = node.operand(1);
  U c;
  if (IsConstant(a, &c)) return std::nullopt;
  const bool prefers_sign = Is(a, isd::kSignExtend);
  for (const bool is_signed : {prefers_sign, !prefers_sign}) {
    if (!IsExtendedFactor(a, is_signed)) continue;
    const bool fits = is_shift ? IsConstantFactor(node, is_signed, &c) && FitsHalf(c, Width(a), is_signed)
                               : IsExtendedFactor(b, is_signed);
    if (fits) return is_signed;
  }
  return std::nullopt;
}

// Returns the lower half of a factor.
SDValue LowerHalf(const CombineContext& context, SDLoc loc, const SDValue& factor, MVT half) {
  U c;
  if (IsConstant(factor, &c)) return context.Int(half, c);
  if (factor.operand(0).type() == half) return factor.operand(0);
  return context.Node(factor.opcode(), loc, half, {factor.operand(0)});
}

// Makes an extending load one of 32 bits, which are extended by another node.
void NarrowLoad(const CombineContext& context, const SDValue& value) {
  const MemSDNode& load = AsMemSDNode(*value.node());
  const MVT memory = load.memory_type().simple();
  const SDValue narrow =
      memory == MVT::kI32
          ? context.dag().GetLoad(value->loc(), MVT::kI32, value.operand(0), load.base_pointer(), load.memoperand())
          : context.dag().GetExtLoad(load.ext(), value->loc(), MVT::kI32, value.operand(0), load.base_pointer(), memory,
                                     load.memoperand());
  const int16_t opcode = load.ext() == LoadExt::kSign ? isd::kSignExtend : isd::kZeroExtend;
  context.Replace(*value.node(), {context.Node(opcode, value->loc(), MVT::kI64, {narrow}), narrow.Result(1)});
}

// mul (ext a), (ext b), both of half the width. One operand may be a constant that fits. A shift left by one
// counts, too.
SDValue WideProduct(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const std::optional<bool> is_signed = SignOfWideProduct(node);
  if (!is_signed.has_value()) return SDValue();
  for (unsigned i = 0; i < 2; ++i) {
    if (!IsExtendingLoad(node.operand(i))) continue;
    NarrowLoad(context, node.operand(i));
    return {&node, 0};
  }
  const MVT half = *IntegerOf(SizeInBits(type) / 2);
  U c;
  const SDValue a = LowerHalf(context, node.loc(), node.operand(0), half);
  const SDValue b = node.opcode() == isd::kShl && IsConstantFactor(node, *is_signed, &c)
                        ? context.Int(half, c)
                        : LowerHalf(context, node.loc(), node.operand(1), half);
  if (type == MVT::kI128) {
    const MVT halves[] = {half, half};
    const SDValue factors[] = {a, b};
    const SDValue product = context.Node(*is_signed ? isd::kSMulLoHi : isd::kUMulLoHi, node.loc(), halves, factors);
    return product ? context.Node(isd::kBuildPair, node.loc(), type, {product, product.Result(1)}) : SDValue();
  }
  return context.Node(*is_signed ? isd::kNvMulWideSigned : isd::kNvMulWideUnsigned, node.loc(), type, {a, b});
}

// ext (x * y) where the product does not wrap: becomes the product of full width. After legalization only: before it,
// sums of extensions are computed narrow, which is better.
SDValue ExtensionOfProduct(const CombineContext& context, SDNode& node) {
  const SDValue product = node.operand(0);
  const bool is_signed = node.opcode() == isd::kSignExtend;
  if (node.value_type(0) != MVT::kI64 || product.type() != MVT::kI32 || !product.HasOneUse()) return SDValue();
  if (!product->HasFlag(is_signed ? kNsw : kNuw) || HasWideProduct(node)) return SDValue();
  U c;
  SDValue factor;
  if (IsConstantFactor(*product.node(), is_signed, &c)) {
    factor = context.Int(MVT::kI32, c);
  } else if (Is(product, isd::kMul)) {
    factor = product.operand(1);
  }
  return context.Node(is_signed ? isd::kNvMulWideSigned : isd::kNvMulWideUnsigned, node.loc(), MVT::kI64,
                      {product.operand(0), factor});
}

// trunc ((a * b) >> 32) of a product of full width: becomes the high half of the product.
SDValue TruncationOfHighHalf(const CombineContext& context, SDNode& node) {
  const SDValue shift = node.operand(0);
  if (!IsOneUse(shift, isd::kSrl) && !IsOneUse(shift, isd::kSra)) return SDValue();
  const SDValue product = shift.operand(0);
  const bool is_signed = IsOneUse(product, isd::kNvMulWideSigned);
  if (!is_signed && !IsOneUse(product, isd::kNvMulWideUnsigned)) return SDValue();
  const MVT type = node.value_type(0);
  U amount;
  if (type != MVT::kI32 || product.operand(0).type() != type || !IsConstant(shift.operand(1), &amount)) {
    return SDValue();
  }
  if (amount < 32 || amount > 63) return SDValue();
  const SDValue high =
      context.Node(is_signed ? isd::kMulHS : isd::kMulHU, node.loc(), type, {product.operand(0), product.operand(1)});
  if (amount == 32) return high;
  return context.Node(shift.opcode(), node.loc(), type, {high, context.Int(MVT::kI32, amount - 32)});
}

constexpr int16_t kMul[] = {isd::kMul};
constexpr int16_t kMulOrShl[] = {isd::kMul, isd::kShl};
constexpr int16_t kMulHigh[] = {isd::kMulHS, isd::kMulHU};
constexpr int16_t kExactExtensions[] = {isd::kSignExtend, isd::kZeroExtend};
constexpr int16_t kMulLoHi[] = {isd::kSMulLoHi, isd::kUMulLoHi};

constexpr CombineRow kProductCombineRows[] = {
    {"scaled-ext-of-add", CombineRow::kBoth, kMulOrShl, ScaledExtensionOfAdd},
    {"scaled-ext-of-product", CombineRow::kBoth, kMulOrShl, ScaledExtensionOfProduct},
    {"mul-wide", CombineRow::kBoth, kMulOrShl, WideProduct},
    {"mul-identity", CombineRow::kBoth, kMul, SimplifyMul},
    {"mul-power-of-2", CombineRow::kBoth, kMul, MulToShift},
    {"mul-add-constant", CombineRow::kBoth, kMul, MulOfAdd},
    {"mul-of-successor", CombineRow::kAfter, kMul, ProductOfSuccessor},
    {"mulh-constant", CombineRow::kBoth, kMulHigh, SimplifyMulHigh},
    {"mul-lohi-half", CombineRow::kBoth, kMulLoHi, HalfOfProduct},
    {"ext-of-product", CombineRow::kAfter, kExactExtensions, ExtensionOfProduct},
    {"trunc-of-high-half", CombineRow::kBoth, kTruncateOpcode, TruncationOfHighHalf},
};

}  // namespace

bool HasWideProduct(const SDNode& extension) {
  constexpr unsigned kMaxUses = 16;
  unsigned count = 0;
  for (const SDUse* use = extension.first_use(); use != nullptr && ++count <= kMaxUses; use = use->next()) {
    if (SignOfWideProduct(*use->user()).has_value()) return true;
  }
  return false;
}

absl::Span<const CombineRow> ProductCombines() { return kProductCombineRows; }

}  // namespace ptxmir::sdag
