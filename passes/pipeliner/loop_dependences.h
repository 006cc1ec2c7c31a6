// SPDX-License-Identifier: Apache-2.0

// The dependences of a loop body, within an iteration and between iterations.
//
// Between iterations, a register is passed on through PHIs, which LoopBody has resolved. For memory, the addresses of
// two accesses are compared as polynomials (passes/addresses/address_form.h). If both advance by the same constant and
// differ by a constant, the iterations in which they overlap are known exactly: `a[i]` is written three iterations
// before `a[i - 3]` is read. Otherwise the alias analysis is asked about any two iterations, and a pair that may
// overlap is ordered from each iteration to the next.

#ifndef PTXMIR_PASSES_PIPELINER_LOOP_DEPENDENCES_H_
#define PTXMIR_PASSES_PIPELINER_LOOP_DEPENDENCES_H_

#include "analysis/values/memory_dependence.h"
#include "passes/addresses/address_form.h"
#include "passes/pipeliner/loop_body.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

// Builds the graphs of the loops of one function. It keeps its storage from one loop to the next.
class LoopDagBuilder {
 public:
  // All three must outlive the builder.
  LoopDagBuilder(const MachineFunction& function, const MemoryDependence& memory, const ptx::MachineModel& model)
      : memory_(memory), model_(model), builder_(function, memory, model), forms_(function) {}

  // Replaces `dag` by the dependences of a loop. Its nodes are those of the body. Compares all accesses of memory with
  // each other.
  void Build(const LoopBody& body, ScheduleDag& dag);

 private:
  const MemoryDependence& memory_;
  const ptx::MachineModel& model_;
  ScheduleDagBuilder builder_;
  AddressForms forms_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_LOOP_DEPENDENCES_H_
