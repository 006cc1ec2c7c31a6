// SPDX-License-Identifier: Apache-2.0

// generic-to-nvvm on LLVM IR: moves variables from the generic address space to the global one
// (generic_variables.h), with an addrspacecast in each constant of the code that names one. From it,
// infer-address-spaces takes the space of the accesses.

#ifndef PTXMIR_IR_PASSES_GLOBALS_GENERIC_TO_NVVM_H_
#define PTXMIR_IR_PASSES_GLOBALS_GENERIC_TO_NVVM_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunGenericToNvvmOnIr(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_GENERIC_TO_NVVM_H_
