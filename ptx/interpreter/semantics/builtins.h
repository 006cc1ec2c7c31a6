// SPDX-License-Identifier: Apache-2.0

// The functions that the CUDA driver provides to device code: vprintf, malloc, free, __assertfail.

#ifndef PTXMIR_PTX_INTERPRETER_SEMANTICS_BUILTINS_H_
#define PTXMIR_PTX_INTERPRETER_SEMANTICS_BUILTINS_H_

#include <string_view>

#include "ptx/interpreter/code/decoded_function.h"

namespace ptxmir::ptx {

class Warp;

// Calls a builtin. Faults with kUnsupported if there is no such function.
StepResult CallBuiltin(Warp& warp, const DecodedInstr& instr, const CallSite& site, std::string_view name);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_SEMANTICS_BUILTINS_H_
