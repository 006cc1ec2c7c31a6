// SPDX-License-Identifier: Apache-2.0

// Copies functions, so that a pipeline can be run over the same input more than once.

#ifndef PTXMIR_MIR_CODE_CLONE_FUNCTION_H_
#define PTXMIR_MIR_CODE_CLONE_FUNCTION_H_

#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns a copy with the same module, name and numbers. It owns everything that it names outside of the module, so
// the original may be destroyed. It is not among the functions of the module.
OwnedMachineFunction CloneFunction(const MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_CLONE_FUNCTION_H_
