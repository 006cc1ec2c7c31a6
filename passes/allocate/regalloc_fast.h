// SPDX-License-Identifier: Apache-2.0

// regallocfast: register allocation for -O0.
//
// LLVM's fast allocator keeps every value in its stack slot between blocks, because a target has few registers.
// PTX has any number of them, and ptxas allocates from scratch, so keeping values in memory would cost time and
// save nothing. Values therefore stay in registers unless there is a hard budget that the function exceeds and
// -ra-spill=always requests spilling, or a limit of a class that it exceeds (-ra-class-limits). In that case, every
// register that is live across blocks is spilled, with a reload in each block that reads it (inline_spiller.h).

#ifndef PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_
#define PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunFastRegisterAllocator(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_REGALLOC_FAST_H_
