// SPDX-License-Identifier: Apache-2.0

// dead-mi-elimination erases the instructions whose results nothing needs.
//
// The algorithm is mark and sweep (the dead code elimination of Cytron et al., "Efficiently Computing Static Single
// Assignment Form and the Control Dependence Graph", 1991, section 7.1, without its control dependences). The roots are
// the instructions that do more than compute their results: stores, barriers, terminators, ordered accesses, inline
// assembly. A register that a needed instruction reads is needed, and so is each definition of it. All others are
// erased. Where we differ from LLVM's DeadMachineInstructionElim, which erases an instruction once it has no use: PHIs
// and computations of a cycle that feed only each other go as well, in any number.
//
// The pass is linear in the operands of the function. It works in SSA form and after it.

#ifndef PTXMIR_PASSES_SSA_DEAD_INSTR_ELIMINATION_H_
#define PTXMIR_PASSES_SSA_DEAD_INSTR_ELIMINATION_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunDeadInstrElimination(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_DEAD_INSTR_ELIMINATION_H_
