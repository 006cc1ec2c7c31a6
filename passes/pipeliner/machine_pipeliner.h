// SPDX-License-Identifier: Apache-2.0

// pipeliner overlaps the iterations of loops, so that the latency of loads and of chains of arithmetic in one
// iteration is filled with instructions of others. The algorithm is swing modulo scheduling.
//
// The steps, with the files that perform them:
//  1. find loops of one block and resolve what passes between iterations (loop_body.h)
//  2. build the dependences, within and between iterations (loop_dependences.h)
//  3. RecMII from recurrences, ResMII from the machine model; MII is the larger one (modulo_graph.h)
//  4. give up if the MII is 0 or larger than -pipeliner-max-mii
//  5. order the nodes (swing_order.cc)
//  6. place them, at MII and then at larger II: -pipeliner-ii-search-range attempts (modulo_schedule.h)
//  7. give up if nothing overlaps, or if there are more than -pipeliner-max-stages stages beyond the first
//  8. give up if the kernel would take no fewer cycles per iteration than the loop does (kernel_cycles.h)
//  9. compute the registers that the schedule needs (modulo_pressure.h); give up if they cost occupancy, or if they
//     exceed a hard budget
// 10. make code (modulo_expander.h): annotation only, variable expansion, or peeling
//
// Latencies. A warp shares its scheduler with others, which hide a part of each latency; see modulo_graph.h. The number
// of warps is the one that the registers of the function allow. Where even then the latency of a load would need more
// stages than are allowed, the load is given what the stages hold, and less if loads depend on loads. LLVM gives up
// there.
//
// Without -enable-pipeliner, only loops are pipelined whose metadata asks for it: whether pipelining pays with ptxas,
// which unrolls loops and schedules across the copies, has not been measured on a GPU yet (docs/tried-and-lost.md).
//
// Loop metadata is obeyed: llvm.loop.pipeline.disable, and llvm.loop.pipeline.initiationinterval, which is the only II
// that is tried then.

#ifndef PTXMIR_PASSES_PIPELINER_MACHINE_PIPELINER_H_
#define PTXMIR_PASSES_PIPELINER_MACHINE_PIPELINER_H_

#include "mir/code/machine_function.h"
#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunMachinePipeliner(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MACHINE_PIPELINER_H_
