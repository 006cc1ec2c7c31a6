// SPDX-License-Identifier: Apache-2.0

// early-tailduplication (in SSA form) and tailduplication (after allocation) copy short blocks to the ends of their
// predecessors. A jump goes, and what is computed on each way can be simplified by itself. -tail-dup-size limits the
// instructions of a block that is copied; its branch counts.
//
// tail_duplicator.h has the rules and what differs from LLVM.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATION_H_
#define PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATION_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunEarlyTailDuplication(MachineFunction& function, PassContext& context);
PassResult RunTailDuplication(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATION_H_
