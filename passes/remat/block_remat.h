// SPDX-License-Identifier: Apache-2.0

// nvptx-remat-block: computes values again where they are used rather than keeping them live, where more is live than
// the function's register budget.
//
// NVIDIA's NVPTXBlockRemat (reference: machine-level-passes.txt) is what runs with -nv-remat-measured=0:
// block_remat_live_outs.h. By default a search of our own runs in its place, which machine-rpa measures and which takes
// back what did not help: block_remat_peaks.h. Both work in SSA form and share what can be computed again
// (block_remat_values.h) and how it is edited (block_remat_editor.h).
//
// The reference's picture has the pass during allocation; cicc was seen to run it right after peephole optimizations,
// before PHIs are eliminated, where every value has one definition. -nv-remat-block=0, or with bit 0 set, switches it
// off, and so does -no-mi-remat for the functions that it names. Nothing happens in functions within their budget.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunBlockRemat(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_
