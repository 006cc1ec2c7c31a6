// SPDX-License-Identifier: Apache-2.0

// Compare-and-swap loops for atomic additions that the SM lacks: f64 before sm_60, f16 before sm_70, bf16 before
// sm_90.
//
//     block:   %first = load           (relaxed, or volatile before sm_70: other threads write at the same time)
//     loop:    %old = PHI %first, %block, %seen, %loop
//              %new = %old + %v
//              %seen = atom.cas [addr], %old, %new
//              branch to loop if %seen != %old
//     rest:    the code after the instruction
//
// The loop compares bits, so a NaN in memory ends it like any other value. A 16-bit value is compared and swapped
// within the aligned word that holds it. It is added as f32, which has more than twice the precision, so rounding
// twice gives the same result as rounding once.

#ifndef PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_
#define PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_

#include "mir/code/machine_function.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::sdag {

// Returns true if the SM lacks the instruction and there is a loop for it. An address must be a register or a
// symbol.
bool NeedsAtomicLoop(const MachineInstr& instr, const ptx::Subtarget& subtarget);
// Replaces the instruction with a loop. Returns the block that holds the code after the loop.
MachineBasicBlock* ExpandAtomicLoop(MachineInstr& instr, const ptx::Subtarget& subtarget);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_
