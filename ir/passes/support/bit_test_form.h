// SPDX-License-Identifier: Apache-2.0

// The form of a test of bits that shifts what is tested, not the mask:
//
//     (x and (constant shl n)) == 0   =>   ((x lshr n) and constant) == 0
//
// The mask needs a register for its constant, and tests of several bits above `n` have the shift in common. LLVM does
// so on the DAG (TargetLowering::optimizeSetCCByHoistingAndByConstFromLogicalShift), which sees one block at a time.

#ifndef PTXMIR_IR_PASSES_SUPPORT_BIT_TEST_FORM_H_
#define PTXMIR_IR_PASSES_SUPPORT_BIT_TEST_FORM_H_

#include "ir/code/function.h"

namespace ptxmir::ir {

// Makes the form of an `and` that only a comparison with 0 reads, in front of it: its operand 0 is a new shift. The
// results differ, but are 0 in the same cases: debug records must forget the old one. Returns null if the instruction
// is no such `and`.
Instruction* MakeBitTestForm(Instruction& instruction);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_BIT_TEST_FORM_H_
