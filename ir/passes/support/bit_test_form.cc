// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/bit_test_form.h"

#include "ir/passes/support/editing.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {
namespace {

bool IsShiftedConstant(const Value& value) {
  if (!value.is_instruction() || !value.has_one_use()) return false;
  const auto& shift = static_cast<const Instruction&>(value);
  return shift.opcode() == Opcode::kShl && ConstantInteger(shift.operand(0)).has_value();
}

// Returns true if the only user asks whether the value is 0.
bool IsComparedWithZero(const Instruction& instruction) {
  if (!instruction.has_one_use()) return false;
  const Instruction& user = instruction.first_use()->user();
  const bool is_equality =
      user.opcode() == Opcode::kICmp && (user.predicate() == Predicate::kEq || user.predicate() == Predicate::kNe);
  return is_equality && ConstantInteger(user.operand(1)) == uint64_t{0};
}

}  // namespace

Instruction* MakeBitTestForm(Instruction& instruction) {
  if (instruction.opcode() != Opcode::kAnd || !IsComparedWithZero(instruction)) return nullptr;
  const unsigned mask = IsShiftedConstant(instruction.operand(0)) ? 0 : 1;
  Value& tested = instruction.operand(1 - mask);
  if (!IsShiftedConstant(instruction.operand(mask)) || tested.is_constant()) return nullptr;
  const auto& shift = static_cast<const Instruction&>(instruction.operand(mask));
  Instruction& shifted = InsertBefore(instruction, Opcode::kLShr, instruction.type(), {{tested}, {shift.operand(1)}});
  Instruction& made = InsertBefore(instruction, Opcode::kAnd, instruction.type(), {{shifted}, {shift.operand(0)}});
  made.set_name(instruction.name());
  return &made;
}

}  // namespace ptxmir::ir
