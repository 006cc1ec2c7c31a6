// SPDX-License-Identifier: Apache-2.0

// Edits of debug instructions, for passes that move and merge code.

#ifndef PTXMIR_PASSES_SUPPORT_DEBUG_VALUES_H_
#define PTXMIR_PASSES_SUPPORT_DEBUG_VALUES_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

// Makes a debug instruction say that the value of its variable is not known. Others stay as they are.
void MakeDebugValueUndefined(MachineInstr& instr);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_DEBUG_VALUES_H_
