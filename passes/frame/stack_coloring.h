// SPDX-License-Identifier: Apache-2.0

// stack-coloring merges stack objects whose lifetimes do not overlap.
//
// This is LLVM's StackColoring. LIFETIME_START and LIFETIME_END delimit the lifetime of an object: it is live at a
// point if some path leads there from a start without passing an end. If no instruction names the object outside
// its lifetime, the lifetime begins at the first instruction that names the object rather than at the marker
// (-stackcoloring-lifetime-start-on-first-use). An object that is loaded or stored outside its lifetime is not
// merged; with -protect-from-escaped-allocas the same holds for one whose address is merely taken there. The
// objects are processed from the largest to the smallest. Each is merged into the first earlier object that is
// free during its lifetime.
//
// Liveness is computed one object at a time, forward from its starts, in time linear in the blocks lived through.
// LLVM iterates over bit sets of all objects.
//
// Alias analysis treats merged objects as one object, but the instructions' own annotations still tell them apart.
// Memory operands of accesses that may touch a merged object therefore lose the IR value that they name, their
// alias scopes and their type, since each of these could prove that two users of the shared memory do not alias.
// (LLVM rewrites the IR instead, which does not work for objects without a name.) Debug values are updated. The
// markers are erased, as in LLVM, whether or not anything was merged.
//
// A function without markers costs nothing. With -no-stack-coloring the pass only erases the markers.

#ifndef PTXMIR_PASSES_FRAME_STACK_COLORING_H_
#define PTXMIR_PASSES_FRAME_STACK_COLORING_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunStackColoring(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_STACK_COLORING_H_
