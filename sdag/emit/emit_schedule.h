// SPDX-License-Identifier: Apache-2.0

// EmitSchedule: makes machine code of a selected DAG, in the block that the DAG belongs to (reference: instr-emitter,
// the driver and the phases after the emission of nodes).
//
//   1. ScheduleDAGSDNodes orders the nodes, glued ones together.
//   2. InstrEmitter emits each unit, the nodes of a glue chain from the first to the last.
//   3. Debug values go behind what they describe, in the order of the program.
//   4. Dead copies go (dead_copy_elimination.h).
//   5. Instructions that the target expands itself are handed to its custom inserter, which may make new blocks.
//
// The DAG stays as it was; its nodes are numbered. PHIs of the block and its edges are there before, as in LLVM.

#ifndef PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_
#define PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ptx/target/subtarget.h"
#include "sdag/emit/dead_copy_elimination.h"
#include "sdag/emit/emit_target_hooks.h"
#include "sdag/emit/schedule_dag_sdnodes.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// That a variable has a value from a place of the program on: LLVM's SDDbgValue.
struct DagDebugValue {
  SDValue value;        // none: the variable has no value
  MetadataId variable;  // !DILocalVariable
  MetadataId expression;
  SDLoc loc;
};

struct EmitOptions {
  const EmitTargetHooks* hooks = nullptr;     // null: PtxEmitHooks()
  const ptx::Subtarget* subtarget = nullptr;  // null: the target expands what depends on the SM for none
  DagScheduler scheduler = DagScheduler::kSource;
  bool emit_dead_nodes = false;                       // cicc's forceEmit; dead copies stay, too
  absl::Span<const DagDebugValue> debug_values = {};  // of this DAG's values
};

struct EmitResult {
  MachineBasicBlock* last_block = nullptr;  // where the block's code ends: another one if the custom inserter made some
  uint32_t num_instrs = 0;                  // emitted, before dead ones went and others were expanded
  uint32_t num_expanded = 0;                // by the custom inserter
  DeadCopyCounts dead_copies;
};

// FailedPrecondition when the nodes have no order; InvalidArgument, which names the node, when one cannot be emitted.
// The block holds what was emitted until then.
absl::StatusOr<EmitResult> EmitSchedule(SelectionDAG& dag, const EmitOptions& options);

// All DAGs of a function, in the order of its blocks.
absl::Status EmitFunction(DagFunction& function, const EmitOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_
