// SPDX-License-Identifier: Apache-2.0

// A 64-bit hash of what a machine function is: blocks in layout order with their edges, instructions, operands,
// frame objects and register classes. Two functions that are written as the same MIR have the same one, but for
// what only text shows (names of blocks, order of use lists).
//
// It tells a pass that changed something from one that did not, and is the key of results that are kept.

#ifndef PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_
#define PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

// The same on every machine and in every run.
uint64_t FunctionFingerprint(const MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_FUNCTION_FINGERPRINT_H_
