// SPDX-License-Identifier: Apache-2.0

// stack-slot-coloring merges spill slots that never hold a value at the same time.
//
// LLVM's StackSlotColoring colors slots by the live intervals that the allocator has kept for them. Here nothing
// has to be kept: the loads and stores of a slot show where it holds a value that is read later (StackLiveness).
// This also works for code that another compiler spilled. A slot that is written in halves is tracked half by
// half.
//
// Slots are processed from the largest to the smallest; among slots of the same size, those whose accesses execute
// most often come first. Each slot gets the first color with which it does not interfere. Each color is therefore
// as large as its first slot, and the frame is as large as the sum of the colors. At most kMaxColorsTried colors
// are tried per slot.
//
// Before coloring, stores that are never read are erased. After it, the pass erases a store that immediately
// follows the load of the same value from the same slot (LLVM's RemoveDeadStores), and the load as well if it has
// no other use. A debug value that names a slot keeps naming it where the slot still holds its value, and becomes
// undefined where the slot may already hold another value.
//
// -disable-ssc disables the pass; -no-stack-slot-sharing, which is LLVM's, disables only the sharing. A function
// without spill slots costs nothing.

#ifndef PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_
#define PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunStackSlotColoring(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_
