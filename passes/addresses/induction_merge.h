// SPDX-License-Identifier: Apache-2.0

// induction-merge reduces the number of registers for the addresses of a loop.
//
// LLVM's loop strength reduction leaves loops with many 64-bit PHIs that advance in step, or with one induction
// variable and many invariant bases that it is added to. There is one such PHI or base for each pointer of the
// source, although they differ by strides that are the same in all threads, or that several of them share:
//
//     %p = PHI %base, %pnext    %q = PHI %base_plus_4nx, %qnext    %r = PHI %base_plus_8nx, %rnext
//
// Each address in a loop is represented as a polynomial (address_form.h): a start, and a step per iteration.
// Addresses with the same step form a group. In program order, each address of a group either becomes a new root,
// with a PHI of its own, or is derived from a root or from an address computed just before by adding a difference.
// A constant difference goes into the offset of the access. A difference that several addresses share is kept in
// one register. A difference that is the same in all threads of a warp costs little, since ptxas has uniform
// registers for it. The pass then counts the registers that the loop no longer needs, including transitively dead
// ones, and the new ones. It rewrites the group if the gain is large enough, the pressure of the loop
// (machine-rpa) is high enough to matter, and not too many instructions are added.
//
// Before that, in the whole function, additions of constants are folded into the offsets of the accesses if all
// uses of the sum are accesses; the sum's register is then not needed anywhere.
//
// Where we differ from LLVM's loop strength reduction (Liu et al., "Loop Strength Reduction in LLVM", 2011, is the
// closest description): the formulae are those of the existing accesses rather than the result of a search over
// all formulae, and the objective is the number of registers that are live through the loop rather than the number
// of PHIs and additions.

#ifndef PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_
#define PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunInductionMerge(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ADDRESSES_INDUCTION_MERGE_H_
