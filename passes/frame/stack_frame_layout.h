// SPDX-License-Identifier: Apache-2.0

// stack-frame-layout emits a remark with the position of each stack object of a function and the variables that
// live in it, in LLVM's words (StackFrameLayoutAnalysisPass). It changes nothing.
//
// LLVM emits the remark only for -pass-remarks-analysis, and it also names variables that debug values place in a
// spill slot. Here the remark goes to the file of -pass-remarks-output as well, and the variables are those that
// MIR's `stack:` section names.

#ifndef PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_
#define PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunStackFrameLayout(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_
