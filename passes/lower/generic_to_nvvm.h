// SPDX-License-Identifier: Apache-2.0

// generic-to-nvvm: moves variables from the generic address space to the global one.
//
// PTX has no variables in the generic space. LLVM moves them before instruction selection (GenericToNVVM), with an
// addrspacecast where the address is used. Modules that come as machine code may still have them: llc 22 aborts then
// ("Bad address space found while emitting PTX: 0"). LLVM IR has a pass of its own (ir/passes/globals). Here the
// machine code is changed in the same way. A load or store of the generic space that names the variable accesses the
// global space. Where code takes the address, cvta.global follows, and in initial values generic(). Accesses that name
// a variable and can only be of the global space stay.
//
// The bodies of IR functions are text here, which nobody reads after selection. They still mention the variables as
// they were.

#ifndef PTXMIR_PASSES_LOWER_GENERIC_TO_NVVM_H_
#define PTXMIR_PASSES_LOWER_GENERIC_TO_NVVM_H_

#include "passes/module_pass.h"

namespace ptxmir {

void RunGenericToNvvm(ModulePassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_GENERIC_TO_NVVM_H_
