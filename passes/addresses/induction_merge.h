// SPDX-License-Identifier: Apache-2.0

// induction-merge: fewer registers for the addresses of a loop.
//
// LLVM's loop strength reduction leaves loops with many 64-bit PHIs that advance in step, or with one induction
// variable and many invariant bases that it is added to: one of them for each pointer of the source, although they
// differ by strides that are the same in all threads, or the same for several of them:
//
//     %p = PHI %base, %pnext    %q = PHI %base_plus_4nx, %qnext    %r = PHI %base_plus_8nx, %rnext
//
// Each address in a loop is taken as a polynomial (address_form.h): a start, and a step for each turn. Addresses of
// one step form groups. In the order of the program, each address of a group is either a new root, for which there
// is a PHI, or is reached from a root or from an address computed just before by adding a difference: a constant goes
// into the offset of the access, a difference that several share is kept in one register, one that is the same in all
// threads of a warp costs little, since ptxas has uniform registers for it. Then it is counted which registers the
// loop no longer needs, all transitively dead ones, and which are new; the group is rewritten if enough is gained in
// a loop whose pressure (machine-rpa) is high enough to matter, and not too many instructions are executed more.
//
// Before that, additions of constants are folded into the offsets of the accesses, in the whole function, where all
// uses of the sum are accesses: then the sum's register is needed nowhere.
//
// Where we differ from LLVM's loop strength reduction (Liu et al., "Loop Strength Reduction in LLVM", 2011, is the
// closest description): formulae are those of the accesses as they are, not a search over all; what is minimized is
// registers that live through the loop, not the number of PHIs and additions.

#ifndef PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_
#define PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunInductionMerge(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_
