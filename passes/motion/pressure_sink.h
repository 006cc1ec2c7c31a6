// SPDX-License-Identifier: Apache-2.0

// pressure-sink: computations that are put ahead of a loop and used behind it hold registers throughout the loop.
//
// Where the pressure in a loop (machine-rpa) is high enough to matter:
//
//   - A computation whose uses all stand behind the loop moves there, next to the first of them, if its operands cost
//     less through the loop than its result: they are live there anyway, or kernel parameters, which ptxas reads
//     where they are needed.
//   - A PHI behind the loop or within, of computations that are the same on every way (index arithmetic that selection
//     did both ahead of the loop and where it is skipped, the zero extensions of both ways of an `if`), becomes that
//     computation, next to its first use. All such PHIs of a block are taken together, since their operands are often
//     the same.
//
// LLVM's MachineSink moves what has its uses elsewhere, whatever that does to the pressure; this is the part of it
// that saves registers for sure. Nothing is moved into a loop from outside, nor to where it would be executed more
// often; loads stay where they are.

#ifndef PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_
#define PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunPressureSink(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_PRESSURE_SINK_H_
