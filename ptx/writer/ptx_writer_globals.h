// SPDX-License-Identifier: Apache-2.0

// Prints global variables: declarations, definitions with initializers, textures, surfaces, samplers.
//
// ptxas requires a name to be declared before an initializer mentions it. So variables are printed in the order of a
// depth-first walk over the references of their initializers, started in module order.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/writer/ptx_writer_context.h"

namespace ptxmir::ptx {

// Returns true for variables that only inform the compiler, and are not printed.
bool IsHidden(const GlobalVariable& variable);

// Returns all variables, each after the ones that its initializer mentions. Reports a cycle, which PTX cannot
// express.
std::vector<const GlobalVariable*> OrderVariables(PtxWriterContext& context);

// Decides which shared variables are declared inside a function.
void AssignDemotedVariables(PtxWriterContext& context, const std::vector<const GlobalVariable*>& variables);

// Prints a variable at module level, or only a comment if it is declared inside a function.
void WriteVariable(PtxWriterContext& context, const GlobalVariable& variable, std::string& out);

// Prints the variables that belong in the body of `function`.
void WriteDemotedVariables(PtxWriterContext& context, GlobalId function, std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_
