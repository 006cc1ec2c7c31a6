// SPDX-License-Identifier: Apache-2.0

// Builds operations that work element by element. Internal to sdag/from_ir.

#ifndef PTXMIR_SDAG_FROM_IR_ELEMENTWISE_H_
#define PTXMIR_SDAG_FROM_IR_ELEMENTWISE_H_

#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "ir/code/instruction.h"
#include "sdag/from_ir/function_builder.h"

namespace ptxmir::sdag {

using MakePart = absl::FunctionRef<SDValue(const ValuePart& part, absl::Span<const SDValue> operands)>;
using MakeConverted =
    absl::FunctionRef<SDValue(const ValuePart& result, const ValuePart& operand, absl::Span<const SDValue> operands)>;

// The way in which the bits of an operand that do not count must be cleared.
enum class Extension : uint8_t { kNone, kZero, kSign };
SDValue Extended(FunctionBuilder& builder, SDValue value, const ValuePart& part, Extension extension);

// Defines the value of an instruction, part by part, from operands of the instruction's type.
void DefineElementwise(FunctionBuilder& builder, const ir::Instruction& instruction,
                       std::initializer_list<const ir::Value*> operands, MakePart make);

// Defines the value of an instruction from operands of another type with as many elements. Where one of the two types
// is kept as its elements, both are taken apart; `by_element` asks for that in any case.
void DefineConverted(FunctionBuilder& builder, const ir::Instruction& instruction, const IrType* operand_type,
                     std::initializer_list<const ir::Value*> operands, MakeConverted make, bool by_element = false);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_FROM_IR_ELEMENTWISE_H_
