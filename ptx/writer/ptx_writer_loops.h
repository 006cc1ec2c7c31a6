// SPDX-License-Identifier: Apache-2.0

// Finds the loop headers that get `.pragma "nounroll"`.
//
// The wish not to unroll is metadata on the branches of IR loops' latches. A header gets the pragma when
// one of its latches came from an IR block with such a branch. As in LLVM a latch counts only if the header's
// loop is the innermost one around it, so that an inner loop's wish is not taken for that of the outer one.

#ifndef PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_
#define PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_

#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"

namespace ptxmir::ptx {

// By block number; empty when no block of the function gets the pragma. Costs next to nothing for functions
// without loop metadata.
std::vector<bool> FindNoUnrollHeaders(const Module& module, const IrFunction& ir_function,
                                      const MachineFunction& function);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_WRITER_PTX_WRITER_LOOPS_H_
