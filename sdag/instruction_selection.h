// SPDX-License-Identifier: Apache-2.0

// Instruction selection: turns the DAGs of a function into machine code in SSA form, as LLVM has it after
// finalize-isel. Nodes that need control flow first become blocks (sdag/expand). Then each block is combined,
// legalized, combined again, selected, scheduled and emitted.

#ifndef PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
#define PTXMIR_SDAG_INSTRUCTION_SELECTION_H_

#include "absl/status/status.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Emits the code into the machine function of `dags` and uses up the DAGs. Errors name the block and the node.
// `emit.subtarget` is set from `options`.
absl::Status SelectInstructions(DagFunction& dags, const ISelOptions& options, EmitOptions emit = {});

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
