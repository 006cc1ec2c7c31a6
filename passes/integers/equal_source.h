// SPDX-License-Identifier: Apache-2.0

// Finds a register that holds the same value as the result of an operation: the source of a mask that clears only what
// is 0, of an extension of what was already extended, of a minimum that is always taken from the same side.

#ifndef PTXMIR_PASSES_INTEGERS_EQUAL_SOURCE_H_
#define PTXMIR_PASSES_INTEGERS_EQUAL_SOURCE_H_

#include <cstdint>

#include "analysis/values/known_bits.h"
#include "mir/code/machine_function.h"
#include "passes/integers/demanded_bits.h"

namespace ptxmir {

// Returns true if the instruction only computes one virtual register, from explicit operands, as `desc` declares them.
bool IsSimpleOperation(const MachineInstr& instr);

// Returns a register of the same class that is equal to the result of a mask, bit field or conversion, or an invalid
// one. The register is available where the instruction is.
Register FindEqualToMasked(const MachineInstr& instr, const KnownBits& known_bits);
// The same for bits that matter alone. Known bits are not used.
Register FindEqualInDemandedBits(const MachineInstr& instr, uint64_t demanded);
// The same for what picks one of its sources: minimum, maximum, selection, remainder, logic of predicates.
Register FindPickedSource(const MachineInstr& instr, const KnownBits& known_bits);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_INTEGERS_EQUAL_SOURCE_H_
