// SPDX-License-Identifier: Apache-2.0

// virtregrewriter: gives the registers of a function as few names as possible (-compact-regs).
//
// Registers stay virtual, since PTX has any number of them, and unless -compact-regs asks for it there is nothing to
// be done: ptxas sees through names, and what is written once tells it more. With it, the intervals of a class are
// coloured in the order of their beginnings (linear scan; Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS
// 1999), holes counted as occupied, results of inline assembly apart from what it reads, the target of a copy
// preferably as its source; VirtRegMap takes the colours, all registers of a colour become the first of them, copies to
// themselves go, and kill flags are set anew. Debug instructions that name a register where it is dead name none
// afterwards.
//
// O(registers * log + operands).

#ifndef PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_
#define PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunVirtRegRewriter(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_VIRT_REG_REWRITER_H_
