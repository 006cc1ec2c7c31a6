// SPDX-License-Identifier: Apache-2.0

// The instructions that PHI elimination and the register coalescer remove.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_
#define PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_

#include "absl/types/span.h"
#include "analysis/liveness/live_intervals.h"
#include "mir/code/machine_function.h"
#include "passes/out_of_ssa/congruence_classes.h"

namespace ptxmir {

// Returns true if the instruction is a COPY from one virtual register to another of the same class, and nothing
// else. Copies between classes are moves with a meaning (bit patterns of floats), and copies from physical
// registers read the frame.
bool IsCoalescableCopy(const MachineInstr& instr, const MachineRegisterInfo& reg_info);

// Returns true if the instruction only gives one virtual register a constant or the address of a symbol, so that a
// second such instruction in place of a copy costs no more than the copy.
bool IsConstantMove(const MachineInstr& instr);

// Returns true if an operand of a PHI has no value, so that it needs no copy.
bool IsUndefinedSource(const MachineOperand& source, const MachineRegisterInfo& reg_info);

// Erases the IMPLICIT_DEFs of the registers that nothing reads since their PHIs are gone.
void EraseUnusedImplicitDefs(absl::Span<const Register> undefined, MachineRegisterInfo& reg_info);

// Makes debug instructions that name `reg` undefined where `reg` is not live and its class holds something other
// than `value`. To be called before `reg` is renamed to the register of its class.
void DropStaleDebugUses(Register reg, ValueId value, const LiveIntervals& intervals, const CongruenceClasses& classes,
                        MachineRegisterInfo& reg_info);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_COPIES_H_
