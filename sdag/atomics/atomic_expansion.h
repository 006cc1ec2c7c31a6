// SPDX-License-Identifier: Apache-2.0

// Loops of compare-and-swap for atomic additions that the SM lacks: f64 before sm_60, f16 before sm_70, bf16 before
// sm_90.
//
//     block:   %first = load           (relaxed, or volatile before sm_70: other threads write at the same time)
//     loop:    %old = PHI %first, %block, %seen, %loop
//              %new = %old + %v
//              %seen = atom.cas [addr], %old, %new
//              branch to loop if %seen != %old
//     rest:    what stood behind the instruction
//
// Equality is of bits, so that a NaN in memory ends the loop as any other value does. Values of 16 bits are compared
// and swapped within the aligned word that holds them, and added as f32, which has more than twice the precision:
// rounding twice gives what rounding once does.

#ifndef PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_
#define PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_

#include "mir/code/machine_function.h"
#include "ptx/target/subtarget.h"

namespace ptxmir::sdag {

// Whether the SM lacks the instruction, and there is a loop for it. (An address must be a register or a symbol.)
bool NeedsAtomicLoop(const MachineInstr& instr, const ptx::Subtarget& subtarget);
// Replaces the instruction. Returns the block of what stood behind it.
MachineBasicBlock* ExpandAtomicLoop(MachineInstr& instr, const ptx::Subtarget& subtarget);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_ATOMICS_ATOMIC_EXPANSION_H_
