// SPDX-License-Identifier: Apache-2.0

// InstructionChecks: what must hold for an instruction by itself. Internal to ir/verify.
//
// Each check returns the message of the first rule that is broken, or null.

#ifndef PTXMIR_IR_VERIFY_INSTRUCTION_CHECKS_H_
#define PTXMIR_IR_VERIFY_INSTRUCTION_CHECKS_H_

#include "ir/code/function.h"

namespace ptxmir::ir {

// Return what is wrong, or null.
//
// Checks the operands that only some instructions can have.
const char* CheckOperandKinds(const Instruction& instruction);
// Checks everything else about the instruction and its operands.
const char* CheckInstruction(const Function& function, const Instruction& instruction);

// memory_checks.cc
const char* CheckMemoryAccess(const Function& function, const Instruction& instruction);
const char* CheckGetElementPtr(const Instruction& instruction);
// cast_checks.cc
const char* CheckCast(const Function& function, const Instruction& instruction);
// call_checks.cc
const char* CheckCall(const Function& function, const Instruction& instruction);
// metadata_checks.cc
const char* CheckMetadata(const Function& function, const Instruction& instruction);

// Return the type itself or, for a vector, that of its elements.
inline const IrType* ScalarType(const IrType* type) { return type->is_vector() ? type->element() : type; }
inline bool IsIntOrIntVector(const IrType* type) { return ScalarType(type)->is_integer(); }
inline bool IsFloatOrFloatVector(const IrType* type) { return ScalarType(type)->is_floating_point(); }
inline bool IsPointerOrPointerVector(const IrType* type) { return ScalarType(type)->is_pointer(); }
// Returns true if both are scalars, or vectors of the same length.
inline bool HaveSameShape(const IrType* a, const IrType* b) {
  if (a->is_vector() != b->is_vector()) return false;
  return !a->is_vector() || a->num_elements() == b->num_elements();
}

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_VERIFY_INSTRUCTION_CHECKS_H_
