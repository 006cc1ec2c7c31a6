// SPDX-License-Identifier: Apache-2.0

// unreachable-mbb-elimination erases the blocks that control never reaches.
//
// A depth-first search from the entry finds the others. Blocks whose address is taken are reached too. PHIs lose the
// operands that come from erased blocks. A PHI with one operand left is that operand: its readers read it instead, or,
// where they cannot (another class, an undefined operand, a register that has other definitions), the PHI becomes a
// copy. The pass runs before PHIs are eliminated, so that no copy is inserted for what never happens. It is LLVM's
// UnreachableMachineBlockElim, which also erases blocks whose address is taken.

#ifndef PTXMIR_PASSES_COPIES_UNREACHABLE_BLOCKS_H_
#define PTXMIR_PASSES_COPIES_UNREACHABLE_BLOCKS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunUnreachableBlockElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_COPIES_UNREACHABLE_BLOCKS_H_
