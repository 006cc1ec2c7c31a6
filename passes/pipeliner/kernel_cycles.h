// SPDX-License-Identifier: Apache-2.0

// The cycles that an iteration of a loop takes, pipelined or not, in cycles of the warp (modulo_graph.h).
//
// Instructions are issued in order, one per cycle, each as soon as the values that it reads are ready and its unit is
// free, as in cycle_estimate.h. Here, the dependences come from the graph of the loop, because the instructions of a
// schedule that has not been made into code yet name registers of several iterations.

#ifndef PTXMIR_PASSES_PIPELINER_KERNEL_CYCLES_H_
#define PTXMIR_PASSES_PIPELINER_KERNEL_CYCLES_H_

#include <cstdint>

#include "passes/pipeliner/modulo_graph.h"
#include "passes/pipeliner/modulo_schedule.h"

namespace ptxmir {

// Returns the cycles per iteration, in hundredths, once the loop has been running for a while. `graph` has the full
// latencies, with which the schedule need not have been made.
uint32_t CyclesOfKernel(const ModuloGraph& graph, const ModuloSchedule& schedule);
// The same for the loop as it is, in program order or in the order of the longest paths to the instructions, whichever
// is faster: ptxas orders the instructions of a block itself.
uint32_t CyclesOfLoop(const ModuloGraph& graph);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_KERNEL_CYCLES_H_
