// SPDX-License-Identifier: Apache-2.0

#include "ir/verify/instruction_checks.h"

namespace ptxmir::ir {
namespace {

bool IsPowerOfTwoOfBytes(uint64_t bits) { return bits >= 8 && (bits & (bits - 1)) == 0; }

const char* CheckAtomicType(const Function& function, const IrType* type, const char* message) {
  if (!type->is_integer() && !type->is_pointer() && !type->is_floating_point() && !type->is_vector()) return message;
  return IsPowerOfTwoOfBytes(function.module().data_layout().SizeInBits(type))
             ? nullptr
             : "atomic memory access' size must be a power of two and at least a byte";
}

const char* CheckLoad(const Function& function, const Instruction& instruction) {
  if (!instruction.operand(0).type()->is_pointer()) return "Load operand must be a pointer.";
  const AtomicOrdering ordering = instruction.ordering();
  if (ordering == AtomicOrdering::kNotAtomic) return nullptr;
  if (ordering == AtomicOrdering::kRelease || ordering == AtomicOrdering::kAcquireRelease) {
    return "Load cannot have Release ordering";
  }
  return CheckAtomicType(function, instruction.type(),
                         "atomic load operand must have integer, pointer, floating point, or vector type!");
}

const char* CheckStore(const Function& function, const Instruction& instruction) {
  if (!instruction.operand(1).type()->is_pointer()) return "Store operand must be a pointer.";
  if (!instruction.operand(0).type()->is_sized_kind()) return "storing unsized types is not allowed";
  const AtomicOrdering ordering = instruction.ordering();
  if (ordering == AtomicOrdering::kNotAtomic) return nullptr;
  if (ordering == AtomicOrdering::kAcquire || ordering == AtomicOrdering::kAcquireRelease) {
    return "Store cannot have Acquire ordering";
  }
  return CheckAtomicType(function, instruction.operand(0).type(),
                         "atomic store operand must have integer, pointer, floating point, or vector type!");
}

const char* CheckFence(const Instruction& instruction) {
  switch (instruction.ordering()) {
    case AtomicOrdering::kNotAtomic:
    case AtomicOrdering::kUnordered:
    case AtomicOrdering::kMonotonic:
      return "fence instructions may only have acquire, release, acq_rel, or seq_cst ordering.";
    default:
      return nullptr;
  }
}

const char* CheckCmpXchg(const Function& function, const Instruction& instruction) {
  const IrType* type = instruction.operand(1).type();
  if (!instruction.operand(0).type()->is_pointer()) return "First cmpxchg operand must be a pointer.";
  if (type != instruction.operand(2).type()) return "Expected value type does not match pointer operand type!";
  if (!type->is_integer() && !type->is_pointer()) return "cmpxchg operand must have integer or pointer type";
  if (instruction.ordering() < AtomicOrdering::kMonotonic) return "cmpxchg instructions cannot be unordered.";
  const AtomicOrdering failure = instruction.failure_ordering();
  if (failure < AtomicOrdering::kMonotonic || failure == AtomicOrdering::kRelease ||
      failure == AtomicOrdering::kAcquireRelease) {
    return "cmpxchg failure ordering must be monotonic, acquire or seq_cst";
  }
  return CheckAtomicType(function, type, "");
}

bool IsFloatOperation(AtomicOperation operation) {
  return operation >= AtomicOperation::kFAdd && operation <= AtomicOperation::kFMinimum;
}

const char* CheckAtomicRMW(const Function& function, const Instruction& instruction) {
  const IrType* type = instruction.operand(1).type();
  if (!instruction.operand(0).type()->is_pointer()) return "First atomicrmw operand must be a pointer.";
  if (instruction.ordering() < AtomicOrdering::kMonotonic) return "atomicrmw instructions cannot be unordered.";
  if (instruction.operation() == AtomicOperation::kXchg) {
    return CheckAtomicType(function, type, "atomicrmw xchg operand must have integer or floating point type!");
  }
  if (IsFloatOperation(instruction.operation())) {
    return IsFloatOrFloatVector(type)
               ? nullptr
               : "atomicrmw operand must have floating-point or fixed vector of floating-point type!";
  }
  if (!type->is_integer()) return "atomicrmw operand must have integer type!";
  return CheckAtomicType(function, type, "");
}

}  // namespace

const char* CheckMemoryAccess(const Function& function, const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAlloca:
      if (!instruction.source_type()->is_sized_kind() || instruction.source_type()->is_opaque()) {
        return "Cannot allocate unsized type";
      }
      return instruction.operand(0).type()->is_integer() ? nullptr : "Alloca array size must have integer type";
    case Opcode::kLoad:
      return CheckLoad(function, instruction);
    case Opcode::kStore:
      return CheckStore(function, instruction);
    case Opcode::kFence:
      return CheckFence(instruction);
    case Opcode::kCmpXchg:
      return CheckCmpXchg(function, instruction);
    default:
      return CheckAtomicRMW(function, instruction);
  }
}

// The first index steps over whole objects of the source type; the others step into members.
const char* CheckGetElementPtr(const Instruction& instruction) {
  constexpr const char* kMessage = "Invalid indices for GEP pointer type!";
  if (!IsPointerOrPointerVector(instruction.operand(0).type())) {
    return "GEP base pointer is not a vector or a vector of pointers";
  }
  const IrType* type = instruction.source_type();
  for (unsigned i = 1; i < instruction.num_operands(); ++i) {
    const Value& index = instruction.operand(i);
    if (!IsIntOrIntVector(index.type())) return "GEP indexes must be integers";
    if (i == 1) continue;
    if (type->is_array() || type->is_vector()) {
      type = type->element();
      continue;
    }
    if (!type->is_struct() || !index.is_constant()) return kMessage;
    const IrConstant* member = &static_cast<const ConstantValue&>(index).constant();
    if (member->kind == IrConstant::Kind::kSplat) member = member->operands[0];
    const bool is_zero = member->kind == IrConstant::Kind::kZeroInitializer;
    if (!ScalarType(index.type())->is_integer(32) || (!is_zero && !member->is_integer())) return kMessage;
    const uint64_t number = is_zero ? 0 : member->ZExtValue();
    if (number >= type->members().size()) return kMessage;
    type = type->members()[number];
  }
  return nullptr;
}

}  // namespace ptxmir::ir
