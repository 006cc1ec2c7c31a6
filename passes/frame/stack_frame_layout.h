// SPDX-License-Identifier: Apache-2.0

// stack-frame-layout: says in a remark where the stack objects of a function stand, with the variables that live in
// them, in LLVM's words (StackFrameLayoutAnalysisPass). It changes nothing.
//
// LLVM only does so for -pass-remarks-analysis, and also names variables that debug values place in a spill slot; here
// the remark goes to the file of -pass-remarks-output as well, and the variables are those that MIR's `stack:` names.

#ifndef PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_
#define PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunStackFrameLayout(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_FRAME_LAYOUT_H_
