// SPDX-License-Identifier: Apache-2.0

// Instruction selection: turns the DAGs of a function into machine code in SSA form, as LLVM has it after
// finalize-isel. Nodes that need control flow first become blocks (sdag/expand). Then each block is combined,
// legalized, combined again, selected, scheduled and emitted.

#ifndef PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
#define PTXMIR_SDAG_INSTRUCTION_SELECTION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// The steps that the DAG of a block goes through before it is scheduled and emitted. -O0 leaves out both combines.
enum class DagStep : uint8_t { kCombine1, kLegalize, kCombine2, kSelect };

// The interface of what watches DAGs on their way, for dumps.
class DagObserver {
 public:
  virtual ~DagObserver() = default;
  virtual void BeforeStep(DagStep step, SelectionDAG& dag) = 0;
  // `succeeded` is false if the step has reported an error. The DAG is then neither changed nor looked at any more.
  virtual void AfterStep(DagStep step, SelectionDAG& dag, bool succeeded) = 0;
  // All of a function has been emitted.
  virtual void AfterEmission(const MachineFunction& function, InstrOrders orders) = 0;
};

// Emits the code into the machine function of `dags` and uses up the DAGs. Errors name the block and the node.
// `emit.subtarget` is set from `options`. The observer may be null.
absl::Status SelectInstructions(DagFunction& dags, const ISelOptions& options, EmitOptions emit = {},
                                DagObserver* observer = nullptr);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
