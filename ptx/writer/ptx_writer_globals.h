// SPDX-License-Identifier: Apache-2.0

// Prints global variables: declarations, definitions with initialisers, textures, surfaces, samplers.
//
// Order: ptxas wants a name declared before an initialiser mentions it, so variables are printed in the
// order of a depth-first walk over the references of their initialisers, started in module order.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_

#include <string>
#include <vector>

#include "ptx/writer/ptx_writer_context.h"

namespace ptxmir::ptx {

// All variables, each behind those that its initialiser mentions. A cycle, which PTX cannot express, is
// reported.
std::vector<const GlobalVariable*> OrderVariables(PtxWriterContext& context);

// Decides which shared variables are declared within a function.
void AssignDemotedVariables(PtxWriterContext& context, const std::vector<const GlobalVariable*>& variables);

// Prints a variable at module level; of one that is declared within a function only a comment.
void WriteVariable(PtxWriterContext& context, const GlobalVariable& variable, std::string& out);

// Prints the variables that belong into the body of `function`.
void WriteDemotedVariables(PtxWriterContext& context, GlobalId function, std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_GLOBALS_H_
