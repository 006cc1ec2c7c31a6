// SPDX-License-Identifier: Apache-2.0

// The spaces of generic pointers, as far as they follow from the instructions that make the pointers: what
// infer-address-spaces and ip-msp know of single instructions.

#ifndef PTXMIR_IR_PASSES_SUPPORT_POINTER_SPACES_H_
#define PTXMIR_IR_PASSES_SUPPORT_POINTER_SPACES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "ir/address_space.h"
#include "ir/code/function.h"

namespace ptxmir::ir {

// The space of a pointer that no path has told yet, such as an undefined one.
constexpr uint32_t kUnknownSpace = ~uint32_t{0};

inline bool IsGenericPointer(const Value& value) {
  return value.type()->is_pointer() && value.type()->address_space() == address_space::kGeneric;
}

inline bool IsSpecificSpace(uint32_t space) { return space != kUnknownSpace && space != address_space::kGeneric; }

// Returns the space of a pointer that may be of either space.
inline uint32_t JoinSpaces(uint32_t a, uint32_t b) {
  if (a == kUnknownSpace || a == b) return b;
  return b == kUnknownSpace ? a : uint32_t{address_space::kGeneric};
}

// Returns true for instructions whose result is a generic pointer of the space of their pointer operands.
bool IsAddressExpression(const Instruction& instruction);

// Calls `visit` with the index of each pointer operand that an address expression is made of.
void ForEachPointerOperand(const Instruction& expression, absl::FunctionRef<void(unsigned)> visit);

// Returns the space of a constant pointer.
uint32_t SpaceOfConstant(const IrConstant& constant);

// Returns the space that the type or, for a constant, the value tells; kGeneric if neither does.
uint32_t StatedSpace(const Value& value);

// Converts a generic pointer to a space and back in front of `before`, for all other users than debug records.
void PinToSpace(Value& pointer, uint32_t space, Instruction& before);

// Returns true if all users of a pointer are conversions or debug records, so that PinToSpace would say nothing new.
bool IsOnlyConverted(const Value& pointer);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_POINTER_SPACES_H_
