// SPDX-License-Identifier: Apache-2.0

// Floating point. Without flags, no combine may change a bit of a result that is not a NaN.

#include <bit>
#include <cmath>

#include "sdag/combine/combine_context.h"
#include "sdag/meaning/node_semantics_lanes.h"

namespace ptxmir::sdag {
namespace {

bool IsValue(const SDValue& value, double number, bool negative_zero = false) {
  uint64_t bits;
  if (!IsConstantFP(value, &bits)) return false;
  const double is = FloatValue(ScalarType(value.type()), bits);
  return is == number && (number != 0 || std::signbit(is) == negative_zero);
}
bool HasNsz(const SDNode& node) { return node.HasFlag(SDNodeFlags::kNoSignedZeros); }

// Returns a constant with this value. The type must hold it exactly.
SDValue Float(const CombineContext& context, MVT type, double number) {
  PureOperation operation;
  const MVT element = ScalarType(type);
  operation.opcode = element == MVT::kF64 ? isd::kFNeg : isd::kFPRound;
  operation.types = absl::MakeConstSpan(&element, 1);
  const DagConstant wide = DagConstant::Of(MVT::kF64, std::bit_cast<uint64_t>(element == MVT::kF64 ? -number : number));
  absl::InlinedVector<DagConstant, 2> results;
  if (!EvaluatePure(operation, {&wide, 1}, results)) return SDValue();
  return context.Constant(DagConstant::Splat(type, results[0].lanes[0]));
}

SDValue SimplifyFAdd(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  if (IsValue(b, 0, true) || (HasNsz(node) && IsValue(b, 0))) return a;
  // a + -b
  for (unsigned i = 0; i < 2; ++i) {
    if (!Is(node.operand(i), isd::kFNeg)) continue;
    return context.Node(isd::kFSub, node.loc(), node.value_type(0), {node.operand(1 - i), node.operand(i).operand(0)},
                        node.flags());
  }
  return SDValue();
}

SDValue SimplifyFSub(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  if (IsValue(b, 0) || (HasNsz(node) && IsValue(b, 0, true))) return a;
  // -0 - b; with nsz also +0 - b
  if (IsValue(a, 0, true) || (HasNsz(node) && IsValue(a, 0))) {
    return context.Node(isd::kFNeg, node.loc(), type, {b}, node.flags());
  }
  if (Is(b, isd::kFNeg)) return context.Node(isd::kFAdd, node.loc(), type, {a, b.operand(0)}, node.flags());
  if (a == b && node.HasFlag(SDNodeFlags::kNoNaNs)) return Float(context, type, 0);
  return SDValue();
}

SDValue SimplifyFMul(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0);
  if (IsValue(b, 1)) return a;
  if (IsValue(b, -1)) return context.Node(isd::kFNeg, node.loc(), type, {a}, node.flags());
  if (Is(a, isd::kFNeg) && Is(b, isd::kFNeg)) {
    return context.Node(isd::kFMul, node.loc(), type, {a.operand(0), b.operand(0)}, node.flags());
  }
  if (node.HasFlag(SDNodeFlags::kNoNaNs) && HasNsz(node) && IsValue(b, 0)) return b;
  uint64_t bits;
  if (Is(a, isd::kFNeg) && IsConstantFP(b, &bits)) {
    return context.Node(isd::kFMul, node.loc(), type,
                        {a.operand(0), Float(context, type, -FloatValue(ScalarType(type), bits))}, node.flags());
  }
  return SDValue();
}

// x / 1, -x / -y, x / 2^k, and x / c under arcp.
SDValue SimplifyFDiv(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const MVT type = node.value_type(0), element = ScalarType(type);
  if (IsValue(b, 1)) return a;
  if (IsValue(b, -1)) return context.Node(isd::kFNeg, node.loc(), type, {a}, node.flags());
  if (Is(a, isd::kFNeg) && Is(b, isd::kFNeg)) {
    return context.Node(isd::kFDiv, node.loc(), type, {a.operand(0), b.operand(0)}, node.flags());
  }
  uint64_t bits;
  if (!IsConstantFP(b, &bits)) return SDValue();
  const double divisor = FloatValue(element, bits);
  if (divisor == 0 || !std::isfinite(divisor)) return SDValue();
  int exponent;
  const bool is_power = std::fabs(std::frexp(divisor, &exponent)) == 0.5;
  if (!is_power && !node.HasFlag(SDNodeFlags::kAllowReciprocal)) return SDValue();
  const SDValue reciprocal = Float(context, type, 1 / divisor);
  uint64_t inverse;
  if (!reciprocal || !IsConstantFP(reciprocal, &inverse)) return SDValue();
  // Neither the constant nor its inverse may be a denormal, which might be flushed.
  const int min_exponent = element == MVT::kF16 ? -14 : element == MVT::kF64 ? -1022 : -126;
  const double value = FloatValue(element, inverse);
  if (!std::isfinite(value) || std::fabs(value) < std::ldexp(1, min_exponent) ||
      std::fabs(divisor) < std::ldexp(1, min_exponent)) {
    return SDValue();
  }
  return context.Node(isd::kFMul, node.loc(), type, {a, reciprocal}, node.flags());
}

// -1 / x, whose reciprocal is one instruction.
SDValue NegatedReciprocal(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (!IsValue(node.operand(0), -1)) return SDValue();
  const SDValue reciprocal =
      context.Node(isd::kFDiv, node.loc(), type, {Float(context, type, 1), node.operand(1)}, node.flags());
  return context.Node(isd::kFNeg, node.loc(), type, {reciprocal});
}

// Returns true for x / y and for 1 / y, where y is given.
bool IsQuotientBy(const SDNode& node, const SDValue& divisor) {
  return node.opcode() == isd::kFDiv && node.operand(1) == divisor && node.HasFlag(SDNodeFlags::kAllowReciprocal);
}

// x / y where something else is divided by y, too, or where y is a square root whose reciprocal is one instruction: is
// multiplied by the reciprocal. Types that PTX cannot divide in are left to legalization, which divides in f32.
SDValue QuotientByReciprocal(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  const SDValue a = node.operand(0), b = node.operand(1);
  uint64_t bits;
  if ((type != MVT::kF32 && type != MVT::kF64) || !node.HasFlag(SDNodeFlags::kAllowReciprocal)) return SDValue();
  if (IsValue(a, 1) || IsValue(a, -1) || IsConstantFP(b, &bits)) return SDValue();
  const bool is_root = type == MVT::kF32 && IsOneUse(b, isd::kFSqrt) && node.HasFlag(SDNodeFlags::kApproximateFuncs) &&
                       b->HasFlag(SDNodeFlags::kApproximateFuncs);
  bool is_shared = false;
  constexpr unsigned kMaxUses = 16;
  unsigned count = 0;
  for (const SDUse* use = b->first_use(); use != nullptr && ++count <= kMaxUses; use = use->next()) {
    is_shared |= use->user() != &node && IsQuotientBy(*use->user(), b);
  }
  if (!is_root && !is_shared) return SDValue();
  const SDValue reciprocal = context.Node(isd::kFDiv, node.loc(), type, {Float(context, type, 1), b}, node.flags());
  return context.Node(isd::kFMul, node.loc(), type, {a, reciprocal}, node.flags());
}

SDValue SimplifyFNeg(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  const MVT type = node.value_type(0);
  if (Is(a, isd::kFNeg)) return a.operand(0);
  if (!a.HasOneUse()) return SDValue();
  uint64_t bits;
  if (Is(a, isd::kFSub) && HasNsz(*a.node())) {
    return context.Node(isd::kFSub, node.loc(), type, {a.operand(1), a.operand(0)}, a->flags());
  }
  if ((Is(a, isd::kFMul) || Is(a, isd::kFDiv)) && IsConstantFP(a.operand(1), &bits)) {
    const double c = FloatValue(ScalarType(type), bits);
    if (std::isnan(c)) return SDValue();
    return context.Node(a.opcode(), node.loc(), type, {a.operand(0), Float(context, type, -c)}, a->flags());
  }
  return SDValue();
}

SDValue SimplifyFAbs(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (Is(a, isd::kFAbs)) return a;
  if (Is(a, isd::kFNeg) || Is(a, isd::kFCopySign)) {
    return context.Node(isd::kFAbs, node.loc(), node.value_type(0), {a.operand(0)}, node.flags());
  }
  return SDValue();
}

// Folds the sign from a constant, fabs or fneg's operand. The sign of the magnitude does not matter.
SDValue SimplifyCopySign(const CombineContext& context, SDNode& node) {
  const SDValue magnitude = node.operand(0), sign = node.operand(1);
  const MVT type = node.value_type(0);
  if (magnitude == sign) return magnitude;
  uint64_t bits;
  if (IsConstantFP(sign, &bits)) {
    const bool negative = ((bits >> (ScalarSizeInBits(sign.type()) - 1)) & 1) != 0;
    const SDValue absolute = context.Node(isd::kFAbs, node.loc(), type, {magnitude});
    return negative ? context.Node(isd::kFNeg, node.loc(), type, {absolute}) : absolute;
  }
  if (Is(sign, isd::kFAbs)) return context.Node(isd::kFAbs, node.loc(), type, {magnitude});
  if (Is(magnitude, isd::kFAbs) || Is(magnitude, isd::kFNeg) || Is(magnitude, isd::kFCopySign)) {
    return context.Node(isd::kFCopySign, node.loc(), type, {magnitude.operand(0), sign}, node.flags());
  }
  return SDValue();
}

bool IsFma(const CombineContext& context, MVT type) {
  // A vector operation that is taken apart becomes fmas of elements.
  for (const MVT t : {type, ScalarType(type)}) {
    const MVT types[] = {t, t, t};
    if (context.IsLegal(isd::kFMA, t, types)) return true;
  }
  return false;
}

// a * b + c, a * b - c, c - a * b, if flags allow a single rounding. As in LLVM for NVPTX, the product with fewer
// uses is taken if there are two. Other uses of it are no obstacle: the product stays for them and costs no more
// than before. Negations cost nothing, because they become modifiers of the instruction that ptxas makes.
SDValue FormFma(const CombineContext& context, SDNode& node) {
  const MVT type = node.value_type(0);
  if (!IsFma(context, type)) return SDValue();
  const bool is_sub = node.opcode() == isd::kFSub;
  struct Product {
    SDValue value;
    bool negated = false;
    size_t uses = 0;
  };
  Product best;
  unsigned side = 0;
  for (unsigned i = 0; i < 2; ++i) {
    Product product{.value = node.operand(i)};
    if (IsOneUse(product.value, isd::kFNeg)) {
      product.value = product.value.operand(0);
      product.negated = true;
    }
    if (!Is(product.value, isd::kFMul) || !MayContract(node, *product.value.node(), context.options())) continue;
    for (const SDUse* use = product.value->first_use(); use != nullptr && product.uses < 8; use = use->next()) {
      ++product.uses;
    }
    if (best.value && best.uses <= product.uses) continue;
    best = product;
    side = i;
  }
  if (!best.value) return SDValue();
  SDValue a = best.value.operand(0), c = node.operand(1 - side);
  if (best.negated != (is_sub && side == 1)) a = context.Node(isd::kFNeg, node.loc(), type, {a});
  if (is_sub && side == 0) c = context.Node(isd::kFNeg, node.loc(), type, {c});
  return context.Node(isd::kFMA, node.loc(), type, {a, best.value.operand(1), c}, node.flags());
}

SDValue SimplifyFma(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1), c = node.operand(2);
  const MVT type = node.value_type(0);
  if (Is(a, isd::kFNeg) && Is(b, isd::kFNeg)) {
    return context.Node(isd::kFMA, node.loc(), type, {a.operand(0), b.operand(0), c}, node.flags());
  }
  if (IsValue(b, 1)) return context.Node(isd::kFAdd, node.loc(), type, {a, c}, node.flags());
  if (IsValue(b, -1)) return context.Node(isd::kFSub, node.loc(), type, {c, a}, node.flags());
  uint64_t bits;
  if (Is(a, isd::kFNeg) && IsConstantFP(b, &bits) && !std::isnan(FloatValue(ScalarType(type), bits))) {
    return context.Node(isd::kFMA, node.loc(), type,
                        {a.operand(0), Float(context, type, -FloatValue(ScalarType(type), bits)), c}, node.flags());
  }
  if (IsValue(c, 0, true)) return context.Node(isd::kFMul, node.loc(), type, {a, b}, node.flags());
  return SDValue();
}

// fp_round (fp_extend x) to x's type, and fp_extend (fp_extend x).
SDValue ConversionOfConversion(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0);
  if (!Is(a, isd::kFPExtend)) return SDValue();
  const SDValue x = a.operand(0);
  if (node.opcode() == isd::kFPExtend) return context.Node(isd::kFPExtend, node.loc(), node.value_type(0), {x});
  return x.type() == node.value_type(0) ? x : SDValue();
}

SDValue SameFloatMinMax(const CombineContext&, SDNode& node) {
  return node.operand(0) == node.operand(1) ? node.operand(0) : SDValue();
}

// Comparisons whose operands are both negated, or one negated and one constant: -a < -b is b < a; -a < c is a > -c.
SDValue ComparisonOfNegations(const CombineContext& context, SDNode& node) {
  const SDValue a = node.operand(0), b = node.operand(1);
  const auto* code = DynCast<CondCodeSDNode>(node.operand(2));
  if (code == nullptr || !Is(a, isd::kFNeg)) return SDValue();
  const CondCode swapped = Swapped(code->code());
  if (Is(b, isd::kFNeg)) {
    return context.SetCC(node.loc(), node.value_type(0), a.operand(0), b.operand(0), swapped);
  }
  uint64_t bits;
  if (!IsConstantFP(b, &bits)) return SDValue();
  const MVT type = b.type();
  const double c = FloatValue(ScalarType(type), bits);
  if (std::isnan(c)) return SDValue();
  return context.SetCC(node.loc(), node.value_type(0), a.operand(0), Float(context, type, -c), swapped);
}

constexpr int16_t kFAdd[] = {isd::kFAdd};
constexpr int16_t kFSub[] = {isd::kFSub};
constexpr int16_t kFAddSub[] = {isd::kFAdd, isd::kFSub};
constexpr int16_t kFMul[] = {isd::kFMul};
constexpr int16_t kFDiv[] = {isd::kFDiv};
constexpr int16_t kFNeg[] = {isd::kFNeg};
constexpr int16_t kFAbs[] = {isd::kFAbs};
constexpr int16_t kCopySign[] = {isd::kFCopySign};
constexpr int16_t kFma[] = {isd::kFMA};
constexpr int16_t kConversions[] = {isd::kFPRound, isd::kFPExtend};
constexpr int16_t kFloatMinMax[] = {isd::kFMinNum,  isd::kFMaxNum,     isd::kFMinimum,
                                    isd::kFMaximum, isd::kFMinimumNum, isd::kFMaximumNum};

constexpr CombineRow kFloatCombineRows[] = {
    {"fma-form", CombineRow::kBoth, kFAddSub, FormFma},
    {"fadd-identity", CombineRow::kBoth, kFAdd, SimplifyFAdd},
    {"fsub-identity", CombineRow::kBoth, kFSub, SimplifyFSub},
    {"fmul-identity", CombineRow::kBoth, kFMul, SimplifyFMul},
    {"fdiv-constant", CombineRow::kBoth, kFDiv, SimplifyFDiv},
    {"fdiv-minus-one", CombineRow::kBoth, kFDiv, NegatedReciprocal},
    {"fdiv-reciprocal", CombineRow::kBoth, kFDiv, QuotientByReciprocal},
    {"fneg-identity", CombineRow::kBoth, kFNeg, SimplifyFNeg},
    {"fabs-identity", CombineRow::kBoth, kFAbs, SimplifyFAbs},
    {"fcopysign-identity", CombineRow::kBoth, kCopySign, SimplifyCopySign},
    {"fma-identity", CombineRow::kBoth, kFma, SimplifyFma},
    {"fp-conversions", CombineRow::kBoth, kConversions, ConversionOfConversion},
    {"fmin-fmax-same", CombineRow::kBoth, kFloatMinMax, SameFloatMinMax},
    {"setcc-fneg", CombineRow::kBoth, kSetCCOpcode, ComparisonOfNegations},
};

}  // namespace

absl::Span<const CombineRow> FloatCombines() { return kFloatCombineRows; }

}  // namespace ptxmir::sdag
