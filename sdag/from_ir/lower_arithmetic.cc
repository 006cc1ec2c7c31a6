// SPDX-License-Identifier: Apache-2.0

// Arithmetic, comparisons and choices. All of them work element by element, so a value in several parts (a vector that
// no node holds) is computed part by part.

#include "sdag/from_ir/elementwise.h"
#include "sdag/from_ir/lowerings.h"

namespace ptxmir::sdag {
namespace {

using ir::Opcode;

struct BinaryForm {
  Opcode opcode;
  int16_t node;
  Extension extension = Extension::kNone;  // of both operands, or of the shifted one
  bool is_shift = false;
};
constexpr BinaryForm kBinaryForms[] = {
    {Opcode::kAdd, isd::kAdd},
    {Opcode::kFAdd, isd::kFAdd},
    {Opcode::kSub, isd::kSub},
    {Opcode::kFSub, isd::kFSub},
    {Opcode::kMul, isd::kMul},
    {Opcode::kFMul, isd::kFMul},
    {Opcode::kUDiv, isd::kUDiv, Extension::kZero},
    {Opcode::kSDiv, isd::kSDiv, Extension::kSign},
    {Opcode::kFDiv, isd::kFDiv},
    {Opcode::kURem, isd::kURem, Extension::kZero},
    {Opcode::kSRem, isd::kSRem, Extension::kSign},
    {Opcode::kFRem, isd::kFRem},
    {Opcode::kShl, isd::kShl, Extension::kNone, true},
    {Opcode::kLShr, isd::kSrl, Extension::kZero, true},
    {Opcode::kAShr, isd::kSra, Extension::kSign, true},
    {Opcode::kAnd, isd::kAnd},
    {Opcode::kOr, isd::kOr},
    {Opcode::kXor, isd::kXor},
};

const BinaryForm& FormOf(Opcode opcode) {
  for (const BinaryForm& form : kBinaryForms) {
    if (form.opcode == opcode) return form;
  }
  return kBinaryForms[0];
}

// The shift amounts of PTX have 32 bits. An amount that does not fit is larger than any width.
SDValue ShiftAmount(FunctionBuilder& builder, SDValue amount, const ValuePart& part) {
  if (IsVector(part.type)) return amount;
  return builder.Resize(builder.ZeroExtended(amount, part), MVT::kI32, isd::kZeroExtend);
}

constexpr uint32_t kWrapFlags = SDNodeFlags::kNoUnsignedWrap | SDNodeFlags::kNoSignedWrap | SDNodeFlags::kExact;

CondCode CodeOf(ir::Predicate predicate, bool ignores_nans) {
  static constexpr CondCode kFloatCodes[] = {CondCode::kFalse, CondCode::kOeq, CondCode::kOgt, CondCode::kOge,
                                             CondCode::kOlt,   CondCode::kOle, CondCode::kOne, CondCode::kO,
                                             CondCode::kUo,    CondCode::kUeq, CondCode::kUgt, CondCode::kUge,
                                             CondCode::kUlt,   CondCode::kUle, CondCode::kUne, CondCode::kTrue};
  static constexpr CondCode kNoNanCodes[] = {CondCode::kFalse, CondCode::kEq, CondCode::kGt, CondCode::kGe,
                                             CondCode::kLt,    CondCode::kLe, CondCode::kNe, CondCode::kO,
                                             CondCode::kUo,    CondCode::kEq, CondCode::kGt, CondCode::kGe,
                                             CondCode::kLt,    CondCode::kLe, CondCode::kNe, CondCode::kTrue};
  static constexpr CondCode kIntegerCodes[] = {CondCode::kEq,  CondCode::kNe,  CondCode::kUgt, CondCode::kUge,
                                               CondCode::kUlt, CondCode::kUle, CondCode::kGt,  CondCode::kGe,
                                               CondCode::kLt,  CondCode::kLe};
  const auto index = static_cast<size_t>(predicate);
  if (!ir::IsIntegerPredicate(predicate)) return ignores_nans ? kNoNanCodes[index] : kFloatCodes[index];
  return kIntegerCodes[index - static_cast<size_t>(ir::Predicate::kEq)];
}

bool IsSigned(ir::Predicate predicate) { return predicate >= ir::Predicate::kSgt; }

}  // namespace

uint32_t NodeFlags(const ir::Instruction& instruction) {
  static constexpr struct {
    ir::InstructionFlag flag;
    uint32_t node_flag;
  } kFlags[] = {
      {ir::kReassoc, SDNodeFlags::kAllowReassociation},
      {ir::kNoNans, SDNodeFlags::kNoNaNs},
      {ir::kNoInfs, SDNodeFlags::kNoInfs},
      {ir::kNoSignedZeros, SDNodeFlags::kNoSignedZeros},
      {ir::kAllowReciprocal, SDNodeFlags::kAllowReciprocal},
      {ir::kAllowContract, SDNodeFlags::kAllowContract},
      {ir::kApproxFunc, SDNodeFlags::kApproximateFuncs},
      {ir::kNoUnsignedWrap, SDNodeFlags::kNoUnsignedWrap},
      {ir::kNoSignedWrap, SDNodeFlags::kNoSignedWrap},
      {ir::kExact, SDNodeFlags::kExact},
      {ir::kDisjoint, SDNodeFlags::kDisjoint},
      {ir::kNonNeg, SDNodeFlags::kNonNeg},
      {ir::kSameSign, SDNodeFlags::kSameSign},
  };
  uint32_t flags = 0;
  if (instruction.flags() == 0) return 0;
  for (const auto& [flag, node_flag] : kFlags) {
    if (instruction.has_flag(flag)) flags |= node_flag;
  }
  return flags;
}

void LowerBinary(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const BinaryForm& form = FormOf(instruction.opcode());
  const uint32_t flags = NodeFlags(instruction);
  const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
    const SDValue left = Extended(builder, operands[0], part, form.extension);
    const SDValue right =
        form.is_shift ? ShiftAmount(builder, operands[1], part) : Extended(builder, operands[1], part, form.extension);
    // An operation that wraps in the narrower type need not wrap in the wider one, and the other way round.
    return builder.Node(form.node, part.type, {left, right}, part.is_exact() ? flags : flags & ~kWrapFlags);
  };
  DefineElementwise(builder, instruction, {&instruction.operand(0), &instruction.operand(1)}, make);
}

void LowerFNeg(FunctionBuilder& builder, const ir::Instruction& instruction) {
  DefineElementwise(builder, instruction, {&instruction.operand(0)},
                    [&](const ValuePart& part, absl::Span<const SDValue> operands) {
                      return builder.Node(isd::kFNeg, part.type, {operands[0]}, NodeFlags(instruction));
                    });
}

void LowerFreeze(FunctionBuilder& builder, const ir::Instruction& instruction) {
  DefineElementwise(builder, instruction, {&instruction.operand(0)},
                    [&](const ValuePart& part, absl::Span<const SDValue> operands) {
                      return builder.Node(isd::kFreeze, part.type, {operands[0]});
                    });
}

void LowerCompare(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const ir::Predicate predicate = instruction.predicate();
  const CondCode code = CodeOf(predicate, instruction.has_flag(ir::kNoNans));
  const IrType* type = instruction.operand(0).type();
  const bool is_constant = code == CondCode::kFalse || code == CondCode::kTrue;
  const auto make = [&](const ValuePart& result, const ValuePart& operand_part, absl::Span<const SDValue> operands) {
    if (is_constant && !IsVector(result.type)) return builder.dag().GetConstant(code == CondCode::kTrue, result.type);
    const Extension extension = !ir::IsIntegerPredicate(predicate) ? Extension::kNone
                                : IsSigned(predicate)              ? Extension::kSign
                                                                   : Extension::kZero;
    const SDValue left = Extended(builder, operands[0], operand_part, extension);
    const SDValue right = Extended(builder, operands[1], operand_part, extension);
    return builder.dag().GetSetCC(builder.Loc(), result.type, left, right, code, NodeFlags(instruction));
  };
  // A comparison with a result that is known is made element by element.
  DefineConverted(builder, instruction, type, {&instruction.operand(0), &instruction.operand(1)}, make, is_constant);
}

void LowerSelect(FunctionBuilder& builder, const ir::Instruction& instruction) {
  const IrType* type = instruction.type();
  const ir::Value& condition = instruction.operand(0);
  const uint32_t flags = NodeFlags(instruction);
  if (!condition.type()->is_vector()) {
    const SDValue chosen = builder.UseOne(condition);
    const auto make = [&](const ValuePart& part, absl::Span<const SDValue> operands) {
      return builder.Node(isd::kSelect, part.type, {chosen, operands[0], operands[1]}, flags);
    };
    return DefineElementwise(builder, instruction, {&instruction.operand(1), &instruction.operand(2)}, make);
  }
  const ValueNodes conditions = builder.Use(condition);
  const ValueNodes left = builder.Use(instruction.operand(1)), right = builder.Use(instruction.operand(2));
  if (left.size() == 1 && conditions.size() == 1 && IsVector(left[0].type()) && IsVector(conditions[0].type())) {
    builder.Define(instruction, builder.Node(isd::kVSelect, left[0].type(), {conditions[0], left[0], right[0]}, flags));
    return;
  }
  const ValueNodes flags_of_lanes = builder.Lanes(condition.type(), conditions);
  const ValueNodes a = builder.Lanes(type, left), b = builder.Lanes(type, right);
  ValueNodes lanes;
  for (size_t i = 0; i < a.size() && i < b.size() && i < flags_of_lanes.size(); ++i) {
    lanes.push_back(builder.Node(isd::kSelect, a[i].type(), {flags_of_lanes[i], a[i], b[i]}, flags));
  }
  builder.Define(instruction, builder.FromLanes(type, lanes));
}

}  // namespace ptxmir::sdag
