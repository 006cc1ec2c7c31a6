// SPDX-License-Identifier: Apache-2.0

// regallocfast: allocation for -O0.
//
// LLVM's keeps every value in its stack slot between blocks, since a target has few registers. PTX has any number, and
// ptxas allocates anew: what is kept in memory here costs time and saves nothing. So values stay in registers unless
// there is a hard budget that the function exceeds and -ra-spill=always asks for spilling; then every register that is
// live across blocks goes to memory, with a reload in each block that reads it (inline_spiller.h).

#ifndef PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_
#define PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunFastRegisterAllocator(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_
