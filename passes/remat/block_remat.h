// SPDX-License-Identifier: Apache-2.0

// nvptx-remat-block recomputes values at their uses instead of keeping them live, where more registers are live
// than the function's budget allows.
//
// With -nv-remat-measured=0 it runs cicc's NVPTXBlockRemat: block_remat_live_outs.h. By default it runs our own
// search, which measures with machine-rpa and undoes what did not help: block_remat_peaks.h. Both work in SSA
// form. They share the choice of values that can be recomputed (block_remat_values.h) and the edits
// (block_remat_editor.h).
//
// cicc documents the pass as part of register allocation, but was observed to run it right after peephole
// optimizations, before PHI elimination, where every value has a single definition. -nv-remat-block=0, or a value
// with bit 0 set, disables the pass; -no-mi-remat disables it for the functions that it names. Functions within
// their budget are not changed. The measured search has a second target, the budget of predicates.

#ifndef PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_
#define PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunBlockRemat(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REMAT_BLOCK_REMAT_H_
