// SPDX-License-Identifier: Apache-2.0

// The registers that a pipelined loop needs.

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_PRESSURE_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_PRESSURE_H_

#include <cstdint>

#include "passes/pipeliner/loop_body.h"
#include "passes/pipeliner/modulo_schedule.h"

namespace ptxmir {

struct ModuloPressure {
  uint32_t units = 0;       // the most 32-bit registers that are live in a row (MaxLive), for values of the body
  uint32_t predicates = 0;  // the same for predicates
  uint32_t num_copies = 1;  // of the body in the kernel, so that no value lives longer than the copies take
};

// Computes what the values of the body need if an iteration begins every II cycles. A value is live from the cycle
// after its definition to its last use, which may be in a later iteration. What is live through the loop does not
// count.
ModuloPressure ComputeModuloPressure(const LoopBody& body, const ModuloSchedule& schedule);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_PRESSURE_H_
