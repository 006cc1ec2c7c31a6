// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/bit_test_form.h"

#include "absl/algorithm/container.h"
#include "ir/passes/support/editing.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {
namespace {

bool IsShiftedConstant(const Value& value) {
  if (!value.is_instruction() || !HasOneUseByCode(value)) return false;
  const auto& shift = static_cast<const Instruction&>(value);
  return shift.opcode() == Opcode::kShl && ConstantInteger(shift.operand(0)).has_value();
}

bool ComparesWithZero(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kICmp) return false;
  const bool is_equality = instruction.predicate() == Predicate::kEq || instruction.predicate() == Predicate::kNe;
  return is_equality && ConstantInteger(instruction.operand(1)) == uint64_t{0};
}

// Returns true if the only user asks whether the value is 0.
bool IsComparedWithZero(const Instruction& instruction) {
  if (!HasOneUseByCode(instruction)) return false;
  return absl::c_any_of(instruction.uses(),
                        [](const Use& use) { return !IsDebugUse(use) && ComparesWithZero(use.user()); });
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
