// SPDX-License-Identifier: Apache-2.0

// EmitSchedule: turns a selected DAG into machine code, in the block that the DAG belongs to. It follows cicc's
// driver and the phases that cicc runs after the emission of nodes.
//
//   1. ScheduleDAGSDNodes orders the nodes and keeps glued nodes together.
//   2. InstrEmitter emits each unit: the nodes of a glue chain, from the first to the last.
//   3. The DAG's debug values (sdag/graph/sd_dbg_info.h) are placed after the instructions that define their values, in
//      program order.
//   4. Dead copies are deleted (dead_copy_elimination.h).
//   5. Instructions that the target expands itself go to its custom inserter, which may make new blocks.
//
// The DAG stays as it was, except that its nodes are numbered. The PHIs and edges of the block must exist before,
// as in LLVM.

#ifndef PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_
#define PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "mir/code/function_arena.h"
#include "ptx/target/subtarget.h"
#include "sdag/emit/dead_copy_elimination.h"
#include "sdag/emit/emit_target_hooks.h"
#include "sdag/emit/schedule_dag_sdnodes.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// The SDNode::ir_order of instructions, by id.
using InstrOrders = absl::flat_hash_map<ArenaId, uint32_t>;

struct EmitOptions {
  const EmitTargetHooks* hooks = nullptr;     // null: PtxEmitHooks()
  const ptx::Subtarget* subtarget = nullptr;  // null: nothing that depends on the SM is expanded
  DagScheduler scheduler = DagScheduler::kSource;
  bool emit_dead_nodes = false;      // cicc's forceEmit; also keeps dead copies
  InstrOrders* ir_orders = nullptr;  // if not null, gets the orders of the instructions that are emitted
};

struct EmitResult {
  uint32_t num_instrs = 0;    // instructions emitted, before dead ones are deleted and others expanded
  uint32_t num_expanded = 0;  // instructions expanded by the custom inserter
  DeadCopyCounts dead_copies;
};

// Emits a DAG. Returns FailedPrecondition if the nodes have no order, and InvalidArgument, naming the node, if a
// node cannot be emitted. After an error the block holds what was emitted until then.
absl::StatusOr<EmitResult> EmitSchedule(SelectionDAG& dag, const EmitOptions& options);

// Emits all DAGs of a function, in the order of its blocks.
absl::Status EmitFunction(DagFunction& function, const EmitOptions& options);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_EMIT_SCHEDULE_H_
