// SPDX-License-Identifier: Apache-2.0

// greedy: fits live ranges into a register budget, by computing again, evicting, splitting and spilling.
//
// The skeleton is LLVM's RAGreedy: a priority queue of intervals; each is assigned if it fits, else may evict lighter
// ones (cascade numbers make that end), else waits until all others have had their turn, is then split by regions
// (region_splitter.h), and spilled in the end (inline_spiller.h). What splitting and spilling make is queued again.
//
// Where we differ: PTX has no register file, so nothing is assigned to anything. What competes is the pressure: an
// interval fits where the budget is not exceeded (passes/allocate/live_reg_matrix.h). Registers stay virtual. And
// allocation never fails: what can be neither spilled nor fitted in (the operands of one instruction alone may exceed
// the budget) is let in all the same, and a remark says where and why.
//
// Only under a hard budget that the function exceeds, and only if -ra-spill=always, or -ra-remat for what needs no
// memory, asks for it: ptxas allocates anew, and keeps in registers much of what was put into .local memory here
// (docs/tried-and-lost.md has the figures).

#ifndef PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_
#define PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_

#include <cstdint>
#include <optional>

#include "passes/pass.h"

namespace ptxmir {

// What allocation has to keep to.
struct RegisterLimits {
  int32_t units = 0;  // of 32 bits
  int32_t predicates = 0;
  bool uses_memory = false;  // whether values may be put into memory for it
  int32_t base_units = 0;    // of these, what spilling takes for itself: the address of shared memory
};

// nullopt: there is no hard limit, or it is not to be kept here.
std::optional<RegisterLimits> RegisterLimitsOf(MachineFunction& function, PassContext& context);
// Whether the frame has been laid out, so that there can be no more slots.
bool HasFinalFrame(const MachineFunction& function);
// Whether the function keeps to them as it is.
bool FitsInto(const RegisterLimits& limits, PassContext& context);

PassResult RunGreedyRegisterAllocator(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_GREEDY_REGISTER_ALLOCATOR_H_
