// SPDX-License-Identifier: Apache-2.0

// ip-msp, cicc's interprocedural memory space propagation: follows the spaces of generic pointers into and out of
// calls.
//
// It looks at functions that only calls by name mention: local linkage, no kernel, no variable arguments. Where all
// calls of such a function pass pointers of one space for a parameter, the parameter is converted to that space and
// back at the beginning of the function; where it only returns pointers of one space, so are the results of its calls.
// infer-address-spaces then does the rest in each function. The calling convention stays: pointers are passed as
// generic ones.
//
// The spaces are solved for all functions at once, optimistically, so that recursion and loops lose nothing.
//
// With -ip-msp-clone (cicc's do-clone-for-ip-msp), a function whose calls pass pointers of different spaces is copied
// for each combination, within a limit on the size of the copies, before that. Functions that call themselves are not
// copied, nor functions with a DISubprogram, which no second function may have.

#ifndef PTXMIR_IR_PASSES_IPO_SPACE_PROPAGATION_H_
#define PTXMIR_IR_PASSES_IPO_SPACE_PROPAGATION_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunSpacePropagation(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_IPO_SPACE_PROPAGATION_H_
