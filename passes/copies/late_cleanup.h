// SPDX-License-Identifier: Apache-2.0

// machine-latecleanup erases a definition of a register that holds the same constant already.
//
// Out of SSA form, a register may be given the same constant, or the same address in the frame, several times. A
// definition is erased if every path to it from the entry passes an equal definition of the register after which
// nothing else defines it. All such definitions may go at once: the first definition on a path is never one of them.
//
// This is LLVM's MachineLateInstrsCleanup. LLVM keeps a table of all registers for each block and meets the tables of
// the predecessors. Here, only registers with several equal definitions are looked at, and the pass walks back from
// each definition until it meets others, over at most kMaxBlocks blocks.

#ifndef PTXMIR_PASSES_COPIES_LATE_CLEANUP_H_
#define PTXMIR_PASSES_COPIES_LATE_CLEANUP_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunLateInstrsCleanup(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_LATE_CLEANUP_H_
