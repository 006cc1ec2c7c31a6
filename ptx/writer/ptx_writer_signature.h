// SPDX-License-Identifier: Apache-2.0

// Prints the heads of functions: linkage, result, parameters and the directives of kernels.
//
// The declarations of call sites (DECLARE_PARAM_array &param0, 16, 24) were fixed by the same rules when the code
// was selected. So the alignments here are part of the calling convention and must be llc's.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_SIGNATURE_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_SIGNATURE_H_

#include <string>
#include <string_view>

#include "ptx/writer/ptx_writer_context.h"

namespace ptxmir::ptx {

// Prints a declaration: ".visible .func  (.param .b32 func_retval0) f\n(\n...)\n;\n". An alias is declared with the
// head of its aliasee, under its own `name`, but its parameters keep the aliasee's names.
void WriteDeclaration(PtxWriterContext& context, const IrFunction& function, std::string_view name, std::string& out);

// Prints the head of a definition, with the directives, up to the opening brace.
void WriteDefinitionHead(PtxWriterContext& context, const IrFunction& function, std::string& out);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_SIGNATURE_H_
