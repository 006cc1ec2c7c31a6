// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/index_step.h"

#include <optional>

#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {
namespace {

using StepKind = IndexStep::Kind;

// Returns true if the extension of the result is the result of the extended operands.
bool IsExactIfExtended(const Instruction& instruction, IndexExtension extension) {
  switch (extension) {
    case IndexExtension::kNone:
      return true;
    case IndexExtension::kSign:
      return instruction.has_flag(kNoSignedWrap);
    default:
      return instruction.has_flag(kNoUnsignedWrap);
  }
}

IndexStep Arithmetic(StepKind kind, const Instruction& instruction, IndexExtension extension) {
  if (!IsExactIfExtended(instruction, extension)) return {};
  return {.kind = kind, .extension = extension};
}

IndexStep Shift(const Instruction& shl, IndexExtension extension) {
  const std::optional<uint64_t> count = ConstantInteger(shl.operand(1));
  if (!count.has_value() || *count >= shl.type()->integer_width()) return {};
  IndexStep step = Arithmetic(StepKind::kShift, shl, extension);
  step.constant = uint64_t{1} << *count;
  return step;
}

// Returns the extension that a zext gives its operand. Of two that are the same, the one that the operand's own flags
// allow to carry down.
IndexExtension ExtensionOfZExt(const Instruction& zext) {
  if (!zext.has_flag(kNonNeg) || !zext.operand(0).is_instruction()) return IndexExtension::kZero;
  const auto& operand = static_cast<const Instruction&>(zext.operand(0));
  return operand.has_flag(kNoSignedWrap) && !operand.has_flag(kNoUnsignedWrap) ? IndexExtension::kSign
                                                                               : IndexExtension::kZero;
}

}  // namespace

IndexStep IndexStepOf(const Value& value, IndexExtension extension) {
  if (const std::optional<uint64_t> bits = ConstantInteger(value); bits.has_value()) {
    const bool is_zero_extended = extension == IndexExtension::kZero;
    return {.kind = StepKind::kConstant,
            .constant = is_zero_extended ? *bits : static_cast<uint64_t>(*ConstantSigned(value))};
  }
  if (!value.is_instruction()) return {};
  const auto& instruction = static_cast<const Instruction&>(value);
  switch (instruction.opcode()) {
    case Opcode::kAdd:
      return Arithmetic(StepKind::kSum, instruction, extension);
    case Opcode::kSub:
      return Arithmetic(StepKind::kDifference, instruction, extension);
    case Opcode::kMul:
      return Arithmetic(StepKind::kProduct, instruction, extension);
    case Opcode::kShl:
      return Shift(instruction, extension);
    case Opcode::kOr:
      // Without carries nothing wraps.
      if (!instruction.has_flag(kDisjoint)) return {};
      return {.kind = StepKind::kSum, .extension = extension};
    case Opcode::kSExt:
      if (extension == IndexExtension::kZero || !instruction.operand(0).type()->is_integer()) return {};
      return {.kind = StepKind::kExtension, .extension = IndexExtension::kSign};
    case Opcode::kZExt:
      return {.kind = StepKind::kExtension, .extension = ExtensionOfZExt(instruction)};
    default:
      return {};
  }
}

}  // namespace ptxmir::ir
