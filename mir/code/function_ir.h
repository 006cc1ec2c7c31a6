// SPDX-License-Identifier: Apache-2.0

// Finds the IR function that a machine function was compiled from.

#ifndef PTXMIR_MIR_CODE_FUNCTION_IR_H_
#define PTXMIR_MIR_CODE_FUNCTION_IR_H_

#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns null if the function has no module or the module has no IR function of that name.
inline const IrFunction* FindIrFunction(const MachineFunction& function) {
  const Module* module = function.module();
  return module == nullptr ? nullptr : module->FindFunction(function.name());
}

inline bool IsKernelFunction(const MachineFunction& function) {
  const IrFunction* ir_function = FindIrFunction(function);
  return ir_function != nullptr && IsKernel(*function.module(), *ir_function);
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_FUNCTION_IR_H_
