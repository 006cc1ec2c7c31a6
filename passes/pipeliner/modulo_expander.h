// SPDX-License-Identifier: Apache-2.0

// Makes code from a modulo schedule.
//
// With S stages, step t of the pipelined loop executes stage 0 of iteration t, stage 1 of iteration t - 1, ..., and
// stage S - 1 of iteration t - S + 1. The prologue is steps 0 to S - 2, with the stages of iterations that exist. The
// kernel is the loop over all further steps. It ends when the newest iteration was the last one, which the control
// instructions tell in the first stage. An epilogue then executes the remaining stages of the iterations that were
// begun. So an iteration is only begun when it is known that it runs: no instruction is executed speculatively, no
// count of iterations is needed, and no iterations are left over.
//
// Two ways to handle loops with fewer than S iterations:
//   variable expansion   guards ahead of the prologue execute the control instructions of the first S - 1 iterations.
//   If
//                        one of them is the last, the original loop runs instead, which is kept. The prologue uses the
//                        results of the guards. The kernel has several copies of the body. In each, an instruction
//                        defines another register (modulo variable expansion; Lam, "Software Pipelining: An Effective
//                        Scheduling Technique for VLIW Machines", PLDI 1988), so that no value that lives longer than
//                        the II must be copied. Each copy has an exit with an epilogue of its own.
//   peeling              each step of the prologue has an exit with an epilogue of its own, and the original loop goes.
//                        The kernel has one copy of the body, and values that live longer than the II are passed on
//                        through PHIs.
//
// The result is in SSA form. Registers that are used after the loop are joined by PHIs in a new block. Variables that
// the loop describes for debuggers are undefined in the pipelined code, in which several iterations run at once. Memory
// operands of copied instructions keep neither the names of addresses nor alias scopes, which hold within an iteration.

#ifndef PTXMIR_PASSES_PIPELINER_MODULO_EXPANDER_H_
#define PTXMIR_PASSES_PIPELINER_MODULO_EXPANDER_H_

#include <cstdint>

#include "passes/pipeliner/loop_body.h"
#include "passes/pipeliner/modulo_schedule.h"

namespace ptxmir {

enum class ModuloExpansion : uint8_t { kVariableExpansion, kPeeling };

struct ExpandedLoop {
  MachineBasicBlock* kernel = nullptr;  // its first copy
  uint32_t num_new_instrs = 0;
};

// Replaces the loop by pipelined code with `num_copies` copies of the body in the kernel. The schedule has at least two
// stages, and its control instructions are in the first one. Keeps no analysis up to date.
ExpandedLoop ExpandModuloSchedule(const LoopBody& body, const ModuloSchedule& schedule, ModuloExpansion expansion,
                                  uint32_t num_copies);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_MODULO_EXPANDER_H_
