// SPDX-License-Identifier: Apache-2.0

// Calls of intrinsics that the module may have to declare. Only passes over the program may use them.

#ifndef PTXMIR_IR_PASSES_SUPPORT_DECLARATIONS_H_
#define PTXMIR_IR_PASSES_SUPPORT_DECLARATIONS_H_

#include <string_view>

#include "absl/types/span.h"
#include "ir/code/program.h"

namespace ptxmir::ir {

// Returns the function of this name, which is declared if there is none.
const IrFunction& DeclareIntrinsic(Module& module, std::string_view name, const IrType* result,
                                   absl::Span<const IrType* const> parameters);

// Inserts a call in front of `before`.
Instruction& InsertCall(Instruction& before, const IrFunction& callee, absl::Span<Value* const> arguments);

// Inserts llvm.memcpy of `size` bytes. Both pointers have the alignment.
Instruction& MakeMemcpy(Instruction& before, Value& to, Value& from, uint64_t size, uint64_t align);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_DECLARATIONS_H_
