// SPDX-License-Identifier: Apache-2.0

// What PHI elimination and the register coalescer ask about the instructions that they remove.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_
#define PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_

#include "analysis/live_intervals.h"
#include "mir/code/machine_function.h"
#include "passes/out_of_ssa/congruence_classes.h"

namespace ptxmir {

// A COPY of one virtual register to another of its class, and nothing else. Those between classes are moves with a
// meaning (bit patterns of floats), those from physical registers reads of the frame.
bool IsCoalescableCopy(const MachineInstr& instr, const MachineRegisterInfo& reg_info);

// Whether the instruction does nothing but give one virtual register a constant or the address of a symbol, so that a
// second one in place of a copy costs no more than the copy.
bool IsConstantMove(const MachineInstr& instr);

// Whether an operand of a PHI has no value: it is not worth a copy.
bool IsUndefinedSource(const MachineOperand& source, const MachineRegisterInfo& reg_info);

// Before `reg` is renamed to the register of its class: debug instructions that name it where it is not live, and where
// its class holds something other than `value`, are made to name nothing.
void DropStaleDebugUses(Register reg, ValueId value, const LiveIntervals& intervals, const CongruenceClasses& classes,
                        MachineRegisterInfo& reg_info);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_
