// SPDX-License-Identifier: Apache-2.0

// Finds the loop headers that get `.pragma "nounroll"`.
//
// In the IR, the request not to unroll is metadata on the branches of a loop's latches. A header gets the pragma if
// one of its latches comes from an IR block with such a branch. As in LLVM, a latch counts only if the header's loop
// is the innermost one around it, so that the request of an inner loop is not applied to the outer one.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_

#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

// Returns whether each block gets the pragma, by block number. Empty if no block of the function does. Costs next to
// nothing for functions without loop metadata.
std::vector<bool> FindNoUnrollHeaders(const Module& module, const IrFunction& ir_function,
                                      const MachineFunction& function);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_
