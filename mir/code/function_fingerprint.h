// SPDX-License-Identifier: Apache-2.0

// A 64-bit hash of the contents of a machine function: its blocks in layout order with their edges, its
// instructions, operands, frame objects and register classes. Two functions with the same MIR text have the same
// fingerprint. Details that only affect the text or the representation (names of blocks, order of use lists) do
// not count.
//
// It shows whether a pass changed the function, and it is the key of cached results.

#ifndef PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_
#define PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_

#include <cstdint>

#include "base/fingerprint.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the fingerprint. It is the same on every machine and in every run.
uint64_t FunctionFingerprint(const MachineFunction& function);

// Adds what FunctionFingerprint looks at in an instruction.
void AddInstrFingerprint(const MachineInstr& instr, Fingerprint& out);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_
