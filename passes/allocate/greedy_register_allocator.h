// SPDX-License-Identifier: Apache-2.0

// greedy: fits live ranges into a register budget by rematerialization, eviction, splitting and spilling.
//
// The skeleton is that of LLVM's RAGreedy, a priority queue of intervals. An interval is assigned if it fits.
// Otherwise it may evict lighter intervals (cascade numbers ensure termination). Otherwise it is queued again
// after all others, is then split by regions (region_splitter.h), and is finally spilled (inline_spiller.h). The
// products of splitting and spilling are queued again. If an interval cannot be spilled, others that can be leave as a
// last chance (last_chance_recoloring.h).
//
// Where we differ: PTX has no register file, so no interval is assigned a physical register. Intervals compete for
// pressure: an interval fits if it does not exceed the budget (passes/allocate/assignment/live_reg_matrix.h). Registers
// stay virtual. Allocation never fails: an interval that can be neither spilled nor fitted in is assigned anyway (the
// operands of a single instruction may exceed the budget), and a remark says where and why.
//
// The pass runs only under a hard budget that the function exceeds, and only if -ra-spill=always requests it, or
// -ra-remat for values that need no memory. The reason is that ptxas allocates from scratch and keeps in registers
// much of what was put into .local memory here (docs/tried-and-lost.md has the figures). A limit of a single class that
// is exceeded (-ra-class-limits) is a request, too, because ptxas knows no such limits.

#ifndef PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_
#define PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunGreedyRegisterAllocator(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_
