// SPDX-License-Identifier: Apache-2.0

// nvptx-assign-valid-global-names: gives global values of local linkage names that PTX takes. Each character that PTX
// does not allow becomes "_$_", and a name that is taken gets the first free number appended. Code and initial values
// name values by id, so they follow.
//
// As in LLVM, names that others may refer to stay. The PTX writer makes those legal by the same rule
// (ptx/target/ptx_names.h), and so the names that text has of a value: values that metadata mentions keep their names
// here. The reference says that the pass works on linkages 7 and 8, external and internal; in LLVM 7 and 8 are internal
// and private.

#ifndef PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_
#define PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunAssignValidGlobalNames(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_ASSIGN_VALID_GLOBAL_NAMES_H_
