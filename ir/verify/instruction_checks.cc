// SPDX-License-Identifier: Apache-2.0

#include "ir/verify/instruction_checks.h"

#include "absl/container/flat_hash_set.h"

namespace ptxmir::ir {
namespace {

const char* CheckReturn(const Function& function, const Instruction& instruction) {
  const IrType* type = function.signature().return_type();
  if (type->is_void()) {
    return instruction.num_operands() == 0
               ? nullptr
               : "Found return instr that returns non-void in Function of void return type!";
  }
  if (instruction.num_operands() == 1 && instruction.operand(0).type() == type) return nullptr;
  return "Function return type does not match operand type of return inst!";
}

const char* CheckBranch(const Instruction& instruction) {
  const unsigned count = instruction.num_operands();
  if (count == 3 && !instruction.operand(0).type()->is_integer(1)) return "Branch condition is not 'i1' type!";
  for (unsigned i = count == 3 ? 1 : 0; i < count; ++i) {
    if (!instruction.operand(i).is_block()) return "Branch target is not a basic block!";
  }
  return nullptr;
}

const char* CheckSwitch(const Instruction& instruction) {
  const IrType* type = instruction.operand(0).type();
  absl::flat_hash_set<const Value*> cases;
  for (unsigned i = 2; i < instruction.num_operands(); i += 2) {
    const Value& value = instruction.operand(i);
    if (value.type() != type) return "Switch constants must all be same type as switch value!";
    if (!cases.insert(&value).second) return "Duplicate integer as switch case";
  }
  return nullptr;
}

const char* CheckBinary(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const IrType* type = instruction.type();
  if (instruction.operand(0).type() != instruction.operand(1).type()) {
    return "Both operands to a binary operator are not of the same type!";
  }
  if (IsFloatBinary(opcode)) {
    return IsFloatOrFloatVector(type) ? nullptr
                                      : "Floating-point arithmetic operators only work with floating-point types!";
  }
  if (IsIntOrIntVector(type)) return nullptr;
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return "Logical operators only work with integral types!";
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return "Shifts only work with integral types!";
    default:
      return "Integer arithmetic operators only work with integral types!";
  }
}

const char* CheckCompare(const Instruction& instruction) {
  const IrType* type = instruction.operand(0).type();
  if (instruction.opcode() == Opcode::kFCmp) {
    return IsFloatOrFloatVector(type) ? nullptr : "Invalid operand types for FCmp instruction";
  }
  return IsIntOrIntVector(type) || IsPointerOrPointerVector(type) ? nullptr
                                                                  : "Invalid operand types for ICmp instruction";
}

const char* CheckSelect(const Instruction& instruction) {
  constexpr const char* kMessage = "Invalid operands for select instruction!";
  const IrType* condition = instruction.operand(0).type();
  const IrType* type = instruction.operand(1).type();
  if (type != instruction.operand(2).type() || !ScalarType(condition)->is_integer(1)) return kMessage;
  return !condition->is_vector() || HaveSameShape(condition, type) ? nullptr : kMessage;
}

const char* CheckElement(const Instruction& instruction) {
  const bool inserts = instruction.opcode() == Opcode::kInsertElement;
  const IrType* vector = instruction.operand(0).type();
  const bool ok = vector->is_vector() && instruction.operand(inserts ? 2 : 1).type()->is_integer() &&
                  (!inserts || instruction.operand(1).type() == vector->element());
  if (ok) return nullptr;
  return inserts ? "Invalid insertelement operands!" : "Invalid extractelement operands!";
}

// Returns true if the constant is a mask: integers below `bound`, undef or poison.
bool IsMask(const IrConstant& mask, uint64_t bound) {
  if (!mask.type->is_vector() || !mask.type->element()->is_integer(32)) return false;
  switch (mask.kind) {
    case IrConstant::Kind::kUndef:
    case IrConstant::Kind::kPoison:
    case IrConstant::Kind::kZeroInitializer:
      return true;
    case IrConstant::Kind::kData:
      for (const uint64_t word : mask.words) {
        if (word >= bound) return false;
      }
      return true;
    case IrConstant::Kind::kSplat:
    case IrConstant::Kind::kAggregate:
      for (const IrConstant* element : mask.operands) {
        const bool is_undefined =
            element->kind == IrConstant::Kind::kUndef || element->kind == IrConstant::Kind::kPoison;
        if (!is_undefined && (!element->is_integer() || element->ZExtValue() >= bound)) return false;
      }
      return true;
    default:
      return false;
  }
}

const char* CheckShuffle(const Instruction& instruction) {
  const IrType* vector = instruction.operand(0).type();
  const Value& mask = instruction.operand(2);
  const bool ok = vector->is_vector() && instruction.operand(1).type() == vector && mask.is_constant() &&
                  IsMask(static_cast<const ConstantValue&>(mask).constant(), 2 * vector->num_elements());
  return ok ? nullptr : "Invalid shufflevector operands!";
}

const char* CheckPhiType(const Instruction& instruction) {
  if (instruction.type()->kind() == IrType::Kind::kToken) return "PHI nodes cannot have token type!";
  for (unsigned i = 0; i < instruction.num_incoming(); ++i) {
    if (instruction.incoming_value(i).type() != instruction.type()) {
      return "PHI node operands are not the same type as the result!";
    }
  }
  return nullptr;
}

bool IsFloatingPointOperation(const Instruction& instruction) {
  // Structures and arrays of floating-point numbers count, too: calls return them.
  const IrType* type = instruction.opcode() == Opcode::kFCmp ? instruction.operand(0).type() : instruction.type();
  while (type->is_array()) type = type->element();
  if (type->is_struct()) {
    if (type->members().empty()) return false;
    for (const IrType* member : type->members()) {
      if (member != type->members()[0]) return false;
    }
    type = type->members()[0];
  }
  return IsFloatOrFloatVector(type);
}

}  // namespace

const char* CheckOperandKinds(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const bool is_call = opcode == Opcode::kCall;
  for (const Use& use : instruction.operands()) {
    const Value& value = use.value();
    if (value.is_inline_asm() && !(is_call && &value == &instruction.callee())) {
      return "Cannot take the address of an inline asm!";
    }
    if (value.is_block() && !instruction.is_terminator() && opcode != Opcode::kPhi) {
      return "Instruction operands must be first-class values!";
    }
    if (!value.is_block() && !value.is_metadata() && !value.is_inline_asm() && !value.type()->is_first_class()) {
      return "Instruction operands must be first-class values!";
    }
    if (value.kind() == Value::Kind::kPlaceholder) return "Instruction has a use of an undefined value!";
  }
  return nullptr;
}

const char* CheckInstruction(const Function& function, const Instruction& instruction) {
  if ((instruction.flags() & kFastMath) != 0 && !IsFloatingPointOperation(instruction)) {
    return "fast-math-flags specified for an operation without floating-point scalar or vector return type";
  }
  const Opcode opcode = instruction.opcode();
  if (IsBinary(opcode)) return CheckBinary(instruction);
  if (IsCast(opcode)) return CheckCast(function, instruction);
  switch (opcode) {
    case Opcode::kRet:
      return CheckReturn(function, instruction);
    case Opcode::kBr:
      return CheckBranch(instruction);
    case Opcode::kSwitch:
      return CheckSwitch(instruction);
    case Opcode::kFNeg:
      return IsFloatOrFloatVector(instruction.type()) ? nullptr : "FNeg operator only works with float types!";
    case Opcode::kICmp:
    case Opcode::kFCmp:
      return CheckCompare(instruction);
    case Opcode::kSelect:
      return CheckSelect(instruction);
    case Opcode::kPhi:
      return CheckPhiType(instruction);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
      return CheckElement(instruction);
    case Opcode::kShuffleVector:
      return CheckShuffle(instruction);
    case Opcode::kVAArg:
      return instruction.operand(0).type()->is_pointer() ? nullptr : "va_arg operand must be a pointer!";
    case Opcode::kGetElementPtr:
      return CheckGetElementPtr(instruction);
    case Opcode::kAlloca:
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kFence:
    case Opcode::kCmpXchg:
    case Opcode::kAtomicRMW:
      return CheckMemoryAccess(function, instruction);
    case Opcode::kCall:
      return CheckCall(function, instruction);
    default:
      return nullptr;
  }
}

}  // namespace ptxmir::ir
