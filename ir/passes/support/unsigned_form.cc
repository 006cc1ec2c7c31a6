// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/unsigned_form.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/passes/support/editing.h"
#include "ir/passes/support/known_range.h"

namespace ptxmir::ir {
namespace {

std::optional<Opcode> UnsignedOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSExt:
      return Opcode::kZExt;
    case Opcode::kSDiv:
      return Opcode::kUDiv;
    case Opcode::kSRem:
      return Opcode::kURem;
    case Opcode::kAShr:
      return Opcode::kLShr;
    default:
      return std::nullopt;
  }
}

bool IsNonNegative(const Value& value) {
  if (!value.type()->is_integer() || value.type()->integer_width() > 64) return false;
  return (KnownRangeOf(value).most >> (value.type()->integer_width() - 1)) == 0;
}

}  // namespace

Instruction* MakeUnsignedForm(Instruction& instruction) {
  const std::optional<Opcode> opcode = UnsignedOpcode(instruction.opcode());
  if (!opcode.has_value()) return nullptr;
  // The amount of a shift has no sign.
  const bool is_shift = instruction.opcode() == Opcode::kAShr;
  const auto operands = is_shift ? instruction.operands().first(1) : instruction.operands();
  if (!std::all_of(operands.begin(), operands.end(), [](const Use& use) { return IsNonNegative(use.value()); })) {
    return nullptr;
  }
  std::vector<Function::Operand> same;
  for (const Use& use : instruction.operands()) same.emplace_back(use.value());
  Instruction& made = InsertBefore(instruction, *opcode, instruction.type(), same);
  made.set_flags(*opcode == Opcode::kZExt ? kNonNeg : instruction.flags() & kExact);
  made.set_name(instruction.name());
  return &made;
}

}  // namespace ptxmir::ir
