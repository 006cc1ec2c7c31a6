// SPDX-License-Identifier: Apache-2.0

// ScheduleDAGSDNodes: puts the nodes of a selected DAG into a linear order, from which InstrEmitter makes
// instructions.
//
// A scheduling unit (SUnit) is a node, or the nodes of a glue chain, which stay together. Three kinds of nodes
// belong to no unit: nodes that are only operands (constants, registers, symbols), the entry token, and nodes that
// the root does not need.
//
// All schedulers are one list scheduler that works bottom-up, as LLVM's ScheduleDAGRRList does: it takes a unit
// whose users have all been placed and puts it above them. The schedulers differ in the priority of units, which is
// a tuple of numbers:
//   source          The position in the program (SDNode::ir_order). A unit without one goes right above its first user.
//   list-burr       Closes live values first and stays in its current subtree. The subtree with the smaller
//                   Sethi-Ullman number is nearer to the user, which is the optimal order for trees.
//   list-latency    The unit with the longest path from the top comes last, which leaves as much time as possible for
//                   each value.
// Terminators have precedence in all of them. The source order of most blocks is found by sorting alone. LLVM's
// Sethi-Ullman numbers count values; ours count 32-bit registers, of which an i64 takes two. When a priority changes
// because a value becomes live, the unit is put into the queue once more, and its older entry is skipped. LLVM instead
// compares the candidates again at every step. Time: O(E log N).
//
// No two units can clobber a PTX register for each other, because carries are glued. LLVM's backtracking and
// cloning for physical registers is therefore not needed.

#ifndef PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_
#define PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "options/knobs.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

enum class DagScheduler : uint8_t { kSource, kRegisterPressure, kLatency };

struct DagSchedulerInfo {
  DagScheduler scheduler;
  std::string_view name;  // the name in LLVM's -pre-RA-sched, if LLVM has a similar one
  std::string_view description;
};
// Returns the table of schedulers, indexed by DagScheduler.
absl::Span<const DagSchedulerInfo> DagSchedulers();
// Returns the scheduler with this name, or null if there is none.
const DagSchedulerInfo* FindDagScheduler(std::string_view name);
// Returns the scheduler for these knobs. nvptx-sched4reg asks for few registers. Without it, or with
// -scheduling-mode=simple, the order is the program's, which is LLVM's default for NVPTX.
DagScheduler DagSchedulerFor(const Knobs& knobs);

struct SUnit {
  struct Dep {
    uint32_t unit;
    uint32_t latency;
    bool is_data;  // otherwise a chain
  };

  // The schedule has the arrays.
  absl::Span<SDNode* const> nodes;  // the glued nodes, in order; usually one
  absl::Span<const Dep> preds;      // sorted by unit, each once
  uint32_t order = 0;               // in the program; 0: none
  bool is_terminator = false;

  SDNode* node() const { return nodes.back(); }
};

class ScheduleDAGSDNodes {
 public:
  static constexpr uint32_t kNoUnit = ~uint32_t{0};

  // Numbers the nodes (SelectionDAG::TopologicalOrder) and makes the units. With `keep_dead`, nodes that the root does
  // not need also get units.
  explicit ScheduleDAGSDNodes(SelectionDAG& dag, bool keep_dead = false);
  ScheduleDAGSDNodes(const ScheduleDAGSDNodes&) = delete;
  ScheduleDAGSDNodes& operator=(const ScheduleDAGSDNodes&) = delete;

  // FailedPrecondition if there is a cycle of dependences, possibly through glue.
  const absl::Status& status() const { return status_; }
  // The units, operands first. Empty if there is an error.
  absl::Span<const SUnit> units() const { return units_; }
  // Returns the unit of a node, or kNoUnit if it belongs to none.
  uint32_t UnitOf(const SDNode& node) const {
    return node.node_id() < 0 ? kNoUnit : unit_of_node_[static_cast<size_t>(node.node_id())];
  }

  // Returns the numbers of all units in an order in which operands precede their users.
  std::vector<uint32_t> Schedule(DagScheduler scheduler) const;
  // Returns the most 32-bit registers that values of the DAG take at once in the given order. For tests and
  // statistics.
  uint32_t PressureOf(absl::Span<const uint32_t> order) const;

 private:
  void MakeUnits(absl::Span<SDNode* const> nodes, const std::vector<bool>& is_needed);
  void AddUnit(SDNode* member, const std::vector<bool>& is_needed);
  void AddPreds();
  // Sorts the units so that operands come first. Returns false if there is a cycle.
  bool SortUnits();
  // Returns the order of the source scheduler if it can be found by sorting; otherwise nothing.
  std::vector<uint32_t> ProgramOrder() const;

  absl::Status status_;
  std::vector<SUnit> units_;
  std::vector<uint32_t> unit_of_node_;  // by node_id
  // The arrays of all units.
  std::vector<SDNode*> members_;
  std::vector<SUnit::Dep> preds_;
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_
