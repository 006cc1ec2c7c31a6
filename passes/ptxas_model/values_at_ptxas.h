// SPDX-License-Identifier: Apache-2.0

// The registers that a value of PTX takes in machine code. It takes none where machine instructions read it from
// elsewhere: constants are immediate operands, and parameters of kernels are operands in the constant bank
// (docs/ptxas.md). A conversion of an address between the generic and the global space is no instruction at all.

#ifndef PTXMIR_PASSES_PTXAS_MODEL_VALUES_AT_PTXAS_H_
#define PTXMIR_PASSES_PTXAS_MODEL_VALUES_AT_PTXAS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of 32-bit registers that each virtual register takes. Where the values of a register have
// different definitions, it takes none if none of them does.
std::vector<uint8_t> UnitsAtPtxas(const MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PTXAS_MODEL_VALUES_AT_PTXAS_H_
