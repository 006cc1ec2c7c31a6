// SPDX-License-Identifier: Apache-2.0

// nvptx-assign-valid-global-names on machine code: gives global values of local linkage names that PTX takes, where a
// file of machine code still has others (ir/passes/globals/valid_names.h). The symbols of a function's parameters have
// its name, and so follow; so do the mentions in the bodies of IR functions, which are text here.

#ifndef PTXMIR_PASSES_LOWER_ASSIGN_VALID_NAMES_H_
#define PTXMIR_PASSES_LOWER_ASSIGN_VALID_NAMES_H_

#include "passes/module_pass.h"

namespace ptxmir {

void RunAssignValidNames(ModulePassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LOWER_ASSIGN_VALID_NAMES_H_
