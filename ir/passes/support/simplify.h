// SPDX-License-Identifier: Apache-2.0

// Simplification: the value that an instruction is known to compute, if that value is there already or is a constant.
//
// Integers of up to 64 bits, pointers and, where the host's arithmetic gives exactly PTX's result, floats are folded.
// Floats that are subnormal or NaN are left to the target, which may flush and may choose the payload.

#ifndef PTXMIR_IR_PASSES_SUPPORT_SIMPLIFY_H_
#define PTXMIR_IR_PASSES_SUPPORT_SIMPLIFY_H_

#include <cstdint>
#include <optional>

#include "ir/code/function.h"

namespace ptxmir::ir {

// Returns the value that can take the place of the instruction; null if there is none. Never makes instructions.
Value* Simplify(Instruction& instruction);

// Returns the value of a constant integer of at most 64 bits, zero-extended; null and zero-initialized integers count.
std::optional<uint64_t> ConstantInteger(const Value& value);
// The same, sign-extended.
std::optional<int64_t> ConstantSigned(const Value& value);
// Returns true for undef, poison, and what contains them.
bool IsUndefined(const Value& value);

// Returns the bytes that a GEP adds to its pointer if all indices are constants.
std::optional<int64_t> ConstantOffset(const Instruction& gep);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_SIMPLIFY_H_
