// SPDX-License-Identifier: Apache-2.0

// ScheduleDAGSDNodes: puts the nodes of a selected DAG into a linear order, from which InstrEmitter makes instructions.
//
// A scheduling unit (SUnit) is a node, or the nodes of a glue chain, which stay together. Nodes that only are operands
// (constants, registers, symbols) and the entry token are in no unit; nor are nodes that the root does not need.
//
// All schedulers are one list scheduler that works bottom-up, as LLVM's ScheduleDAGRRList does: it takes a unit all of
// whose users have their place, and puts it above them. They differ in the priority of units, a tuple of numbers:
//   source          the place in the program (SDNode::ir_order); units without one go right above their first user
//   list-burr       closes live values first, stays in the subtree that it is in, the subtree with the smaller
//                   Sethi-Ullman number nearer to the user, which is the optimal order for trees
//   list-latency    the longest way from the top last, which leaves as much time as possible for each value
// Terminators have precedence in all of them. LLVM's Sethi-Ullman numbers count values; here they count 32-bit
// registers, of which an i64 has two. A priority that changes (a value becomes live) is updated in the queue, instead
// of being compared anew at every step. Time: O(E log N).
//
// PTX has no registers that two units could clobber for each other (carries are glued), so that there is none of
// LLVM's backtracking and cloning for physical registers.

#ifndef PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_
#define PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "options/knobs.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

enum class DagScheduler : uint8_t { kSource, kRegisterPressure, kLatency };

struct DagSchedulerInfo {
  DagScheduler scheduler;
  std::string_view name;  // LLVM's -pre-RA-sched, where it has one like it
  std::string_view description;
};
// The table of schedulers, by DagScheduler.
absl::Span<const DagSchedulerInfo> DagSchedulers();
// Null when there is none.
const DagSchedulerInfo* FindDagScheduler(std::string_view name);
// nvptx-sched4reg asks for few registers; without it the order is the program's, which is what LLVM has for NVPTX,
// and with -scheduling-mode=simple in any case.
DagScheduler DagSchedulerFor(const Knobs& knobs);

struct SUnit {
  struct Dep {
    uint32_t unit;
    uint32_t latency;
    bool is_data;  // else a chain
  };

  // Glued nodes, in their order; mostly one.
  absl::InlinedVector<SDNode*, 1> nodes;
  absl::InlinedVector<Dep, 4> preds;  // by unit, each once
  absl::InlinedVector<Dep, 4> succs;
  uint32_t order = 0;         // in the program; 0: none
  uint32_t weight = 0;        // of its values, in 32-bit registers
  uint32_t sethi_ullman = 0;  // registers that computing it takes
  uint32_t depth = 0;         // cycles from the top
  bool is_terminator = false;

  SDNode* node() const { return nodes.back(); }
};

class ScheduleDAGSDNodes {
 public:
  static constexpr uint32_t kNoUnit = ~uint32_t{0};

  // Sorts the DAG topologically and makes the units. `keep_dead`: also of nodes that the root does not need.
  explicit ScheduleDAGSDNodes(SelectionDAG& dag, bool keep_dead = false);

  // FailedPrecondition when nodes depend on each other in a circle, be it through glue.
  const absl::Status& status() const { return status_; }
  // Operands first. Empty when there is an error.
  absl::Span<const SUnit> units() const { return units_; }
  // kNoUnit for a node that is in none.
  uint32_t UnitOf(const SDNode& node) const {
    return node.node_id() < 0 ? kNoUnit : unit_of_node_[static_cast<size_t>(node.node_id())];
  }

  // Numbers of all units in an order in which operands precede their users.
  std::vector<uint32_t> Schedule(DagScheduler scheduler) const;
  // The most 32-bit registers that values of the DAG take at once in an order. For tests and statistics.
  uint32_t PressureOf(absl::Span<const uint32_t> order) const;

 private:
  void MakeUnits(absl::Span<SDNode* const> nodes, const std::vector<bool>& is_needed);
  void AddUnit(SDNode* member, const std::vector<bool>& is_needed);
  void AddEdges();
  // Brings the units into an order in which operands come first; false when there is none.
  bool SortUnits();
  void ComputeNumbers();

  SelectionDAG& dag_;
  absl::Status status_;
  std::vector<SUnit> units_;
  std::vector<uint32_t> unit_of_node_;  // by node_id
};

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_SCHEDULE_DAG_SDNODES_H_
