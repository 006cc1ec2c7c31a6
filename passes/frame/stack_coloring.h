// SPDX-License-Identifier: Apache-2.0

// stack-coloring: stack objects whose lifetimes do not overlap share one.
//
// LLVM's StackColoring. LIFETIME_START and LIFETIME_END say where an object holds a value; a slot is live where some
// way leads from a start without an end in between. Where nothing names an object outside of its lifetime, that begins
// at the first instruction that names it rather than at the marker (-stackcoloring-lifetime-start-on-first-use). An
// object that is loaded or stored outside of it keeps to itself; with -protect-from-escaped-allocas also one whose
// address is merely taken there. From the largest to the smallest, each object goes into the first one that is free
// during its life.
//
// Liveness is found object by object, forward from its starts, in time linear in the blocks lived through; LLVM
// iterates over bit sets of all objects.
//
// Merged objects are one object to alias analysis, but not to what instructions say of themselves: memory operands of
// accesses that may touch a merged object lose the IR value that they name, its alias scopes and its type, since all of
// these could prove two lives of the place apart. (LLVM rewrites the IR instead, which objects without a name do not
// survive.) Debug values follow. The markers go, as in LLVM, whether or not anything was merged.
//
// A function without markers costs nothing. -no-stack-coloring removes the markers and merges nothing.

#ifndef PTXMIR_PASSES_FRAME_STACK_COLORING_H_
#define PTXMIR_PASSES_FRAME_STACK_COLORING_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunStackColoring(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_COLORING_H_
