// SPDX-License-Identifier: Apache-2.0

// An estimate of the cycles that a sequence of instructions takes, by the machine model.
//
// A scoreboard: one instruction is issued per cycle, in order, as soon as the registers that it reads are ready and its
// functional unit is free. Its results are ready after its latency, and its unit is free again after its issue
// interval. That is how NVIDIA's SMs issue the instructions of one warp (Huerta et al., "Analyzing Modern NVIDIA GPU
// Cores", 2025).
//
// With several warps for each scheduler, the others fill the gaps of this one. A cycle of the estimate is one in which
// the scheduler serves this warp, which is one of `warps` real cycles. In these cycles a latency is divided by the
// number of warps, rounded up. Issue intervals stay as they are, because all warps need the units as this one does.
//
// PHIs, copies and instructions without code take no time. Memory is not modeled: neither accesses that wait for each
// other, nor caches, nor what a barrier waits for.

#ifndef PTXMIR_PASSES_SCHEDULE_CYCLE_ESTIMATE_H_
#define PTXMIR_PASSES_SCHEDULE_CYCLE_ESTIMATE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "mir/code/machine_instr.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

// Returns the cycles from the first instruction until all have been issued and all results can be used. `warps` is the
// number of resident warps of a scheduler, at least 1. Registers that are defined above the sequence are ready.
uint32_t CyclesOf(absl::Span<const MachineInstr* const> instrs, const ptx::MachineModel& model, unsigned warps);

// Returns the cycles that each iteration of a loop takes once it has been running for a while, rounded up. `instrs` is
// the body in order. A register is carried into the next iteration by a PHI of the body that reads it, or by a reader
// above its definition.
uint32_t CyclesPerIteration(absl::Span<const MachineInstr* const> instrs, const ptx::MachineModel& model,
                            unsigned warps);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_CYCLE_ESTIMATE_H_
