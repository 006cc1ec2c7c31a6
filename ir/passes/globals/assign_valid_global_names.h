// SPDX-License-Identifier: Apache-2.0

// nvptx-assign-valid-global-names on LLVM IR: gives global values of local linkage names that PTX takes
// (ir/passes/globals/valid_names.h). Each character that PTX does not allow becomes "_$_", and a name that is taken
// gets the first free number appended. Code names values by id, so it follows.

#ifndef PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_
#define PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunAssignValidGlobalNames(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_
