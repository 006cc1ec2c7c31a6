// SPDX-License-Identifier: Apache-2.0

// Instruction selection, from the DAGs of a function to machine code in SSA form, as after LLVM's finalize-isel:
// nodes that need control flow become blocks (sdag/expand); then combine, legalize, combine, select, schedule and emit,
// block by block.

#ifndef PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
#define PTXMIR_SDAG_INSTRUCTION_SELECTION_H_

#include "absl/status/status.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/graph/isel_options.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// The machine function of `dags` holds the code afterwards; the DAGs are used up. Errors name block and node.
// `emit.subtarget` is set from `options`.
absl::Status SelectInstructions(DagFunction& dags, const ISelOptions& options, EmitOptions emit = {});

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_INSTRUCTION_SELECTION_H_
