// SPDX-License-Identifier: Apache-2.0

// virtregrewriter gives the registers of a function as few names as possible (-compact-regs).
//
// Registers stay virtual, since PTX has any number of them, and without -compact-regs there is nothing to do:
// ptxas looks through names, and registers with a single definition tell it more. With -compact-regs, the
// intervals of a class are colored in the order of their beginnings (linear scan; Poletto and Sarkar, "Linear Scan
// Register Allocation", TOPLAS 1999). Holes count as occupied, results of inline assembly differ from its inputs,
// and the target of a copy preferably gets the color of its source. The colors are recorded in VirtRegMap. All
// registers of a color become the first of them, identity copies are erased, and kill flags are recomputed. Debug
// instructions that name a register where it is dead become undefined.
//
// The pass takes O(registers * log + operands).

#ifndef PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_
#define PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunVirtRegRewriter(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_
