// SPDX-License-Identifier: Apache-2.0

// nvptx-set-global-array-alignment: aligns arrays of at least 16 bytes to 16 bytes, the largest access of PTX, so that
// ptxas can access neighboring elements together. The reference names the pass and says no more of it.
//
// It runs after infer-alignment, so that here only accesses that name the array count on the new alignment: others that
// load-store-vectorizer joins by it cost spills (docs/tried-and-lost.md), and ptxas knows what it has registers for.
//
// Only variables whose definition is final are changed: not declarations, and nothing that another module's definition
// may replace. A variable in a section keeps its place in that. Padding costs at most 15 bytes for each array.

#ifndef PTXMIR_IR_PASSES_GLOBALS_GLOBAL_ARRAY_ALIGNMENT_H_
#define PTXMIR_IR_PASSES_GLOBALS_GLOBAL_ARRAY_ALIGNMENT_H_

#include "ir/passes/ir_pass.h"

namespace ptxmir {

IrPassResult RunSetGlobalArrayAlignment(ir::Program& program, IrPassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_IR_PASSES_GLOBALS_GLOBAL_ARRAY_ALIGNMENT_H_
