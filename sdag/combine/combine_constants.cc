// SPDX-License-Identifier: Apache-2.0

// Constant folding through node_semantics.h, and folding of undef.

#include <algorithm>
#include <vector>

#include "sdag/combine/combine_context.h"

namespace ptxmir::sdag {
namespace {

// Returns true if the value is a constant without undefined parts.
bool DefinedConstant(const SDValue& value, DagConstant* constant) {
  if (!value) return false;
  const int16_t opcode = value.opcode();
  if (opcode == isd::kConstant || opcode == isd::kConstantFP) return ConstantOf(*value.node(), *constant);
  if (opcode != isd::kBuildVector && opcode != isd::kSplatVector) return false;
  *constant = DagConstant::Of(value.type(), 0);
  const absl::uint128 mask = LowBits(ScalarSizeInBits(value.type()));
  for (size_t i = 0; i < constant->lanes.size(); ++i) {
    const SDValue element = value.operand(opcode == isd::kSplatVector ? 0 : static_cast<unsigned>(i));
    DagConstant lane;
    if (!element || (element.opcode() != isd::kConstant && element.opcode() != isd::kConstantFP)) return false;
    if (!ConstantOf(*element.node(), lane)) return false;
    constant->lanes[i] = {lane.bits() & mask};
  }
  return true;
}

bool IsFoldable(const SDNode& node) {
  switch (node.opcode()) {
    case isd::kBuildVector:  // constants themselves
    case isd::kSplatVector:
    case isd::kFreeze:         // node_semantics has no value for it
    case isd::kAddrSpaceCast:  // windows of state spaces do not begin at 0
    case isd::kNvMoveParam:
    case isd::kNvProxyReg:
    case isd::kMergeValues:
      return false;
    default:
      break;
  }
  for (const MVT type : node.value_types()) {
    if (!IsInteger(type) && !IsFloatingPoint(type)) return false;
  }
  return IsPureAndExact(node.opcode());
}

// Returns true if no operand is something else than a constant at first sight. That answers for most nodes.
bool MayHaveConstantOperands(const SDNode& node) {
  for (const SDUse& use : node.operands()) {
    const SDNode* operand = use.node();
    if (operand == nullptr) continue;
    switch (operand->opcode()) {
      case isd::kConstant:
      case isd::kConstantFP:
      case isd::kBuildVector:
      case isd::kSplatVector:
        continue;
      default:
        if (!IsToken(use.type())) return false;
    }
  }
  return node.num_operands() > 0;
}

SDValue FoldConstants(const CombineContext& context, SDNode& node) {
  if (!MayHaveConstantOperands(node) || !IsFoldable(node)) return SDValue();
  // A register of 128 bits is put together from constants, but PTX has no constants that wide.
  if (!context.before_legalize() && node.value_type(0) == MVT::kI128) return SDValue();
  std::vector<DagConstant> operands;
  for (const SDUse& use : node.operands()) {
    DagConstant constant = DagConstant::Undefined(MVT::kUntyped);
    const bool is_value = use.get() && !IsToken(use.type());
    if (is_value && !DefinedConstant(use, &constant)) return SDValue();
    operands.push_back(std::move(constant));
  }
  PureOperation operation = OperationOf(node);
  const absl::uint128 zeros = 0;
  operation.any_extend_fill = &zeros;
  absl::InlinedVector<DagConstant, 2> results, flushed;
  if (!EvaluatePure(operation, operands, results)) return SDValue();
  if (context.options().f32_ftz) {
    // Results that depend on denormals are left to the code, which decides whether it flushes them.
    operation.flush_f32 = true;
    if (!EvaluatePure(operation, operands, flushed) || flushed != results) return SDValue();
  }
  std::vector<SDValue> values;
  for (const DagConstant& result : results) {
    values.push_back(context.Constant(result));
    if (!values.back()) return SDValue();
  }
  return context.Replace(node, values);
}

// Folds operations on undef; see LangRef. Poison is treated as if it were undef.
SDValue FoldUndefinedUnary(const CombineContext& context, SDNode& node) {
  if (!IsUndefined(node.operand(0))) return SDValue();
  const MVT type = node.value_type(0);
  switch (node.opcode()) {
    case isd::kZeroExtend:  // the upper bits are zero
    case isd::kSignExtend:  // the upper bits are all equal
    case isd::kSIntToFP:
    case isd::kUIntToFP:
      return IsInteger(type) ? context.Zero(type) : context.Constant(DagConstant::Of(type, 0));
    case isd::kFreeze:  // all users get the same value
      return context.Constant(DagConstant::Of(type, 0));
    default:
      return context.dag().GetUndef(type);
  }
}

SDValue FoldUndefinedBinary(const CombineContext& context, SDNode& node) {
  const bool left = IsUndefined(node.operand(0)), right = IsUndefined(node.operand(1));
  if (!left && !right) return SDValue();
  const MVT type = node.value_type(0);
  switch (node.opcode()) {
    case isd::kAdd:
    case isd::kSub:
    case isd::kXor:
      // Both operands may be the same undef. Its other uses do not constrain it.
      return context.dag().GetUndef(type);
    case isd::kAnd:
    case isd::kMul:
      return context.Zero(type);
    case isd::kOr:
      return context.AllOnes(type);
    case isd::kShl:
    case isd::kSrl:
    case isd::kSra:
      return right ? context.dag().GetUndef(type) : context.Zero(type);
    case isd::kUDiv:
    case isd::kSDiv:
    case isd::kURem:
    case isd::kSRem:
      return right ? context.dag().GetUndef(type) : context.Zero(type);
    default:
      return SDValue();
  }
}

SDValue FoldUndefinedSelect(const CombineContext& context, SDNode& node) {
  (void)context;
  if (IsUndefined(node.operand(0))) return node.operand(IsUndefined(node.operand(1)) ? 2 : 1);
  if (IsUndefined(node.operand(1))) return node.operand(2);
  if (IsUndefined(node.operand(2))) return node.operand(1);
  return SDValue();
}

// A constant is not undef, so freezing it does nothing. Neither does freezing a frozen value.
SDValue FoldFreeze(const CombineContext&, SDNode& node) {
  const SDValue value = node.operand(0);
  switch (value.opcode()) {
    case isd::kConstant:
    case isd::kConstantFP:
    case isd::kFreeze:
    case isd::kGlobalAddress:
    case isd::kFrameIndex:
      return value;
    default:
      return SDValue();
  }
}

// Moves constants to the right, so that other combines need to look at one side only.
SDValue ConstantToTheRight(const CombineContext& context, SDNode& node) {
  if (node.num_operands() < 2 || !node.HasProperty(NodeProperty::kCommutative)) return SDValue();
  const auto is_constant = [](const SDValue& value) {
    DagConstant constant;
    return DefinedConstant(value, &constant);
  };
  if (!is_constant(node.operand(0)) || is_constant(node.operand(1))) return SDValue();
  std::vector<SDValue> operands(node.operands().begin(), node.operands().end());
  std::swap(operands[0], operands[1]);
  SDNode* swapped = context.dag().GetNode(node.opcode(), node.loc(), node.value_types(), operands, node.flags()).node();
  if (node.num_values() == 1) return {swapped, 0};
  std::vector<SDValue> results;
  for (unsigned i = 0; i < node.num_values(); ++i) results.push_back({swapped, i});
  return context.Replace(node, results);
}

constexpr int16_t kFreeze[] = {isd::kFreeze};
constexpr int16_t kUnary[] = {isd::kZeroExtend, isd::kSignExtend, isd::kAnyExtend, isd::kTruncate, isd::kBitcast,
                              isd::kSIntToFP,   isd::kUIntToFP,   isd::kFreeze,    isd::kBswap,    isd::kBitreverse};
constexpr int16_t kBinary[] = {isd::kAdd, isd::kSub, isd::kXor,  isd::kAnd,  isd::kMul,  isd::kOr,  isd::kShl,
                               isd::kSrl, isd::kSra, isd::kUDiv, isd::kSDiv, isd::kURem, isd::kSRem};
// All opcodes with the property. addc and the like are missing, because they are glued to other nodes.
constexpr int16_t kCommutative[] = {isd::kAdd,
                                    isd::kMul,
                                    isd::kSMulLoHi,
                                    isd::kUMulLoHi,
                                    isd::kMulHS,
                                    isd::kMulHU,
                                    isd::kAvgFloorS,
                                    isd::kAvgFloorU,
                                    isd::kAvgCeilS,
                                    isd::kAvgCeilU,
                                    isd::kAbdS,
                                    isd::kAbdU,
                                    isd::kSMin,
                                    isd::kSMax,
                                    isd::kUMin,
                                    isd::kUMax,
                                    isd::kSAddSat,
                                    isd::kUAddSat,
                                    isd::kSAddO,
                                    isd::kUAddO,
                                    isd::kSMulO,
                                    isd::kUMulO,
                                    isd::kAnd,
                                    isd::kOr,
                                    isd::kXor,
                                    isd::kFAdd,
                                    isd::kFMul,
                                    isd::kFMA,
                                    isd::kFMinNum,
                                    isd::kFMaxNum,
                                    isd::kFMinimum,
                                    isd::kFMaximum,
                                    isd::kFMinimumNum,
                                    isd::kFMaximumNum,
                                    isd::kNvMulWideSigned,
                                    isd::kNvMulWideUnsigned};

constexpr CombineRow kConstantCombineRows[] = {
    {"fold-constants", CombineRow::kBoth, {}, FoldConstants},
    {"undef-of-one", CombineRow::kBoth, kUnary, FoldUndefinedUnary},
    {"undef-of-two", CombineRow::kBoth, kBinary, FoldUndefinedBinary},
    {"undef-select", CombineRow::kBoth, kSelectOpcodes, FoldUndefinedSelect},
    {"freeze-known", CombineRow::kBoth, kFreeze, FoldFreeze},
    {"constant-right", CombineRow::kBoth, kCommutative, ConstantToTheRight},
};

}  // namespace

absl::Span<const CombineRow> ConstantCombines() { return kConstantCombineRows; }

}  // namespace ptxmir::sdag
