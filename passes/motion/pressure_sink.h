// SPDX-License-Identifier: Apache-2.0

// pressure-sink moves computations that are placed before a loop but used after it, because they hold registers
// throughout the loop.
//
// If the pressure in a loop (machine-rpa) is high enough to matter:
//
//  - A computation whose uses are all after the loop moves there, next to the first use. Its operands must cost less
//    in the loop than its result: they are live there anyway, or they are kernel parameters, which ptxas reads where
//    they are needed.
//  - A PHI after the loop or in it whose operands are the same computation on every path becomes that computation,
//    next to its first use. Examples are index arithmetic that selection placed both before the loop and where the
//    loop is skipped, and the zero extensions in both arms of an `if`. All such PHIs of a block are processed
//    together, because they often share operands.
//
// LLVM's MachineSink moves instructions whose uses are elsewhere regardless of pressure. This pass performs only
// the moves that are certain to save registers. Nothing moves into a loop from outside or to a place that executes
// more often, and loads stay where they are.

#ifndef PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_
#define PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunPressureSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_
