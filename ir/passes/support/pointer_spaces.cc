// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/pointer_spaces.h"

#include "ir/passes/support/editing.h"

namespace ptxmir::ir {

bool IsAddressExpression(const Instruction& instruction) {
  if (!IsGenericPointer(instruction)) return false;
  switch (instruction.opcode()) {
    case Opcode::kPhi:
    case Opcode::kSelect:
    case Opcode::kAddrSpaceCast:
      return true;
    case Opcode::kGetElementPtr:
    case Opcode::kBitCast:
      return instruction.operand(0).type()->is_pointer();
    default:
      return false;
  }
}

void ForEachPointerOperand(const Instruction& expression, absl::FunctionRef<void(unsigned)> visit) {
  if (expression.opcode() == Opcode::kPhi) {
    for (unsigned n = 0; n < expression.num_incoming(); ++n) visit(2 * n);
  } else if (expression.opcode() == Opcode::kSelect) {
    visit(1);
    visit(2);
  } else {
    visit(0);
  }
}

uint32_t SpaceOfConstant(const IrConstant& constant) {
  if (constant.type->address_space() != address_space::kGeneric) return constant.type->address_space();
  switch (constant.kind) {
    case IrConstant::Kind::kUndef:
    case IrConstant::Kind::kPoison:
      return kUnknownSpace;
    case IrConstant::Kind::kExpression: {
      const bool is_followed = constant.opcode == IrConstant::Opcode::kAddrSpaceCast ||
                               constant.opcode == IrConstant::Opcode::kGetElementPtr ||
                               constant.opcode == IrConstant::Opcode::kBitcast;
      const bool is_pointer = is_followed && constant.operands[0]->type->is_pointer();
      return is_pointer ? SpaceOfConstant(*constant.operands[0]) : uint32_t{address_space::kGeneric};
    }
    default:
      return address_space::kGeneric;
  }
}

uint32_t StatedSpace(const Value& value) {
  if (!value.type()->is_pointer()) return address_space::kGeneric;
  if (value.is_constant()) return SpaceOfConstant(static_cast<const ConstantValue&>(value).constant());
  return value.type()->address_space();
}

void PinToSpace(Value& pointer, uint32_t space, Instruction& before) {
  IrTypeTable& types = before.function().module().types();
  Instruction& specific = InsertBefore(before, Opcode::kAddrSpaceCast, types.Pointer(space), {{pointer}});
  Instruction& generic = InsertBefore(before, Opcode::kAddrSpaceCast, pointer.type(), {{specific}});
  for (Use* use = pointer.first_use(); use != nullptr;) {
    Use* next = use->next();
    if (&use->user() != &specific && !IsDebugUse(*use)) use->Set(generic);
    use = next;
  }
}

bool IsOnlyConverted(const Value& pointer) {
  for (const Use& use : pointer.uses()) {
    if (!IsDebugUse(use) && use.user().opcode() != Opcode::kAddrSpaceCast) return false;
  }
  return true;
}

}  // namespace ptxmir::ir
