// SPDX-License-Identifier: Apache-2.0

// expand-variadics: gives functions with variable arguments one more parameter in place of these, as LLVM's pass of
// this name does for NVPTX, whose calling convention it is.
//
// A caller stores the variable arguments in a frame on its stack, each at the next multiple of the natural alignment of
// its type, and passes the frame's address. A va_list is a pointer to the next argument: va_start stores the parameter
// there, va_copy copies the pointer, va_arg loads from where it points after rounding it up, and va_end does nothing.
// Declarations and indirect calls change in the same way, so that code from llc and from here calls each other.
//
// The result is ordinary code: a function that had variable arguments can be inlined. A call that forwards the
// variable arguments of its function (musttail with '...') is an error of the reader.

#ifndef PTXMIR_IR_PASSES_IPO_EXPAND_VARIADICS_H_
#define PTXMIR_IR_PASSES_IPO_EXPAND_VARIADICS_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunExpandVariadics(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_IPO_EXPAND_VARIADICS_H_
