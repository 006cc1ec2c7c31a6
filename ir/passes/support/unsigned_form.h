// SPDX-License-Identifier: Apache-2.0

// The unsigned forms of signed operations on numbers that are known not to be negative (known_range.h): zext for sext,
// udiv for sdiv, urem for srem, lshr for ashr. They are cheaper: zext is free in many addresses, and a division by a
// power of two is one shift.

#ifndef PTXMIR_IR_PASSES_SUPPORT_UNSIGNED_FORM_H_
#define PTXMIR_IR_PASSES_SUPPORT_UNSIGNED_FORM_H_

#include "ir/code/function.h"

namespace ptxmir::ir {

// Makes the unsigned form of an instruction, in front of it. Returns null if it has none or a sign is not known.
Instruction* MakeUnsignedForm(Instruction& instruction);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_UNSIGNED_FORM_H_
