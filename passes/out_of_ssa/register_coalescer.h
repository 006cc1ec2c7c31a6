// SPDX-License-Identifier: Apache-2.0

// register-coalescer: joins registers that are copies of each other, so that the COPY between them goes.
//
// What LLVM's coalescer does for registers without sub-registers, in the terms of congruence_classes.h: COPYs are taken
// in the order of how often they run; target and source become one register unless both are live at some point with
// different values. A value is followed through COPYs to where it was computed, so that copies of one value never stand
// in each other's way (LLVM's value joining: CR_Erase, CR_Merge). Then
//
// - a COPY within a class is erased, and so is one whose target holds the value already;
// - a COPY of a constant or of the address of a symbol that could not be joined becomes a second `mov`; where pressure
//   is high that is done before joining, too (recomputed_constants.h);
// - a COPY whose result nobody reads is erased.
//
// COPYs between classes and from physical registers stay. Joining makes a register live where one of the two was, and
// nowhere else, and `mov`s end live ranges early: the pressure falls or stays the same at every instruction, and no
// block's peak can come to exceed its budget.
//
// Where we differ from LLVM: classes are made first and registers renamed once at the end, so that nothing is
// proportional to the number of joins times the size of what is joined; there is no second try, since a class that
// interferes with another keeps interfering as both grow. Addition is not commuted to remove a copy
// (removeCopyByCommutingDef): PTX has no tied operands, which is where such copies come from.
//
// Keeps slot-indexes and live-intervals. Cost: O(n log n) in COPYs and the segments of the registers in them.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_
#define PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunRegisterCoalescer(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_
