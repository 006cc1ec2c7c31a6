// SPDX-License-Identifier: Apache-2.0

// stack-slot-coloring: spill slots that never hold a value at the same time share one.
//
// LLVM's StackSlotColoring colours slots by the live intervals that the allocator has kept for them. Here nothing has
// to be kept: where a slot holds a value that is read later follows from its loads and stores (StackLiveness), which
// also serves code that was spilled elsewhere. A slot written in halves is followed half by half.
//
// Slots are taken from the largest to the smallest, of one size first those whose accesses are executed most; each
// gets the first colour with which it does not interfere. So each colour is as large as its first slot, and the frame
// as large as the colours. At most kMaxColorsTried colours are tried for a slot.
//
// Before that, stores that nothing reads go; after it, a store right behind the load that read the same value from the
// same place (LLVM's RemoveDeadStores), and the load with it if that was all it was for. A debug value that names a
// slot keeps naming it where the slot held its value, and is undefined where another slot's value may be by now.
//
// -disable-ssc switches the pass off; -no-stack-slot-sharing, LLVM's, the sharing alone. A function without spill
// slots costs nothing.

#ifndef PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_
#define PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunStackSlotColoring(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_SLOT_COLORING_H_
