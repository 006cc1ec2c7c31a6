// SPDX-License-Identifier: Apache-2.0

// register-coalescer joins registers that are copies of each other, so that the COPY between them can be erased.
//
// It does what LLVM's coalescer does for registers without sub-registers, on the basis of congruence_classes.h.
// COPYs are visited in order of decreasing frequency; target and source become one register unless both are live
// at some point with different values. A value is followed through COPYs to its computation, so copies of one
// value never interfere with each other (LLVM's value joining: CR_Erase, CR_Merge). Then
//
//  - a COPY within a class is erased, and so is one whose target already holds the value;
//  - a COPY of a constant or of a symbol's address that could not be joined becomes a second `mov`; where pressure is
//    high, this is done before joining, too (recomputed_constants.h);
//  - a COPY whose result is unused is erased.
//
// COPYs between classes and from physical registers stay. A joined register is live only where one of the two was,
// and `mov`s end live ranges early. The pressure therefore never rises at any instruction, and no block's peak can
// come to exceed its budget.
//
// Where we differ from LLVM: all classes are formed first and registers are renamed once at the end, so no cost is
// proportional to the number of joins times the size of what is joined. There is no second attempt, since a class
// that interferes with another still interferes as both grow. Additions are not commuted to remove a copy
// (removeCopyByCommutingDef): such copies come from tied operands, which PTX does not have.
//
// The pass preserves slot-indexes and live-intervals. If the latter are not known, it computes those of the registers
// that COPYs name, and leaves none behind. The cost is O(n log n) in COPYs and the segments of the
// registers in them.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_
#define PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunRegisterCoalescer(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_REGISTER_COALESCER_H_
