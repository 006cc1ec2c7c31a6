// SPDX-License-Identifier: Apache-2.0

// LatencyScheduler: orders of a region that let few cycles pass, with a limit on the registers that are live.
//
// A list scheduler from the top, as LLVM's PostRASchedulerList. It counts cycles: in each it places an instruction
// whose operands are ready and whose functional unit is free, by the machine model. Among several it takes the first in
// program order (simple mode), or the one with the longest path of latencies below it (full mode).
//
// The registers that are live are counted on the way. An instruction that would exceed the limit is put off. In its
// place comes the first one in program order that has not been placed, whether its operands are ready or not: program
// order is the order that is known to need no more than it did. That is not a guarantee, so the caller compares.
//
// Loads from one cache line follow each other: after a load, its unit takes the next load of its cluster if that is
// ready, as LLVM's ScheduleDAGMI does with -misched-cluster. A cluster consists of loads from constant offsets to one
// register that lie within kClusterBytes.
//
// As in cycle_estimate.h, latencies are divided by the number of warps of a scheduler. Takes
// O((instructions + dependences) log instructions).

#ifndef PTXMIR_PASSES_SCHEDULE_LATENCY_ORDER_H_
#define PTXMIR_PASSES_SCHEDULE_LATENCY_ORDER_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/schedule_region.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {

struct LatencyOptions {
  SchedulingMode mode = SchedulingMode::kFull;
  unsigned warps = 1;  // resident for each scheduler
  uint32_t limit = 0;  // the most 32-bit registers that should be live at once
};

class LatencyScheduler {
 public:
  // The model must outlive the scheduler.
  LatencyScheduler(const MachineFunction& function, const ptx::MachineModel& model)
      : LatencyScheduler(UnitsByRegister(function), model) {}
  // `units` says what each virtual register needs.
  LatencyScheduler(std::vector<uint8_t> units, const ptx::MachineModel& model)
      : model_(model), value_of_(units.size()), trial_(std::move(units)) {}

  // Returns an order of the region, as positions from the top, and its peak. `below` is the set of registers live below
  // the region.
  ScheduleRegion::Order Schedule(const ScheduleDag& dag, const LiveUnits& below, const LatencyOptions& options);

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // The bytes of a cache line.
  static constexpr int64_t kClusterBytes = 128;
  // A value that a register holds from a definition, or from above the region, until the next definition.
  struct Value {
    uint32_t units = 0;
    uint32_t readers_left = 0;  // nodes of the region that have not been placed
    bool is_live_below = false;
  };
  struct Node {
    uint32_t first_value = 0;  // its values in node_values_: those that it reads, then those that it defines
    uint32_t first_def = 0;
    uint32_t end_values = 0;
    uint32_t predecessors_left = 0;
    uint32_t height = 0;               // cycles from its issue until all that depends on it is done
    uint64_t ready_cycle = 0;          // known when all predecessors are placed
    uint32_t next_in_cluster = kNone;  // the load that should follow this one
    bool is_placed = false;
    bool is_load = false;  // one that may be in a cluster
    bool takes_time = false;
    ptx::InstrCost cost = {};
  };
  struct Load {
    uint32_t base;  // the virtual register that the address is relative to
    int64_t offset;
    uint32_t node;
  };
  struct ValueOfRegister {
    uint32_t stamp = 0;
    uint32_t value = kNone;
  };

  uint32_t ScaledLatency(unsigned latency) const { return (latency + options_.warps - 1) / options_.warps; }
  void CollectNodes(const ScheduleDag& dag, const LiveUnits& below);
  uint32_t ValueOf(uint32_t reg, const LiveUnits& below);
  void ComputeHeights(const ScheduleDag& dag);
  void FindClusters(const ScheduleDag& dag);
  absl::Span<const uint32_t> ReadValues(const Node& node) const {
    return absl::MakeConstSpan(node_values_).subspan(node.first_value, node.first_def - node.first_value);
  }
  absl::Span<const uint32_t> DefValues(const Node& node) const {
    return absl::MakeConstSpan(node_values_).subspan(node.first_def, node.end_values - node.first_def);
  }
  bool ExceedsLimit(const Node& node) const;
  void MakeAvailable();
  bool IsReady(const Node& node) const {
    return node.predecessors_left == 0 && node.ready_cycle <= clock_ && !node.is_placed;
  }
  uint32_t BestAvailable();
  uint32_t Next();
  void Place(const ScheduleDag& dag, uint32_t number);
  bool IsWorse(uint32_t a, uint32_t b) const;  // for heaps with the best node on top

  const ptx::MachineModel& model_;
  LatencyOptions options_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<uint32_t> node_values_;
  std::vector<ValueOfRegister> value_of_;  // by virtual register, valid if the stamp is that of the region
  uint32_t stamp_ = 0;
  std::vector<uint32_t> sequence_;
  std::vector<Load> loads_;
  uint32_t next_in_cluster_ = kNone;  // of the load placed last
  uint32_t first_unplaced_ = 0;
  uint32_t live_units_ = 0;
  uint64_t clock_ = 0;
  std::array<uint64_t, ptx::kNumFunctionalUnits> unit_free_ = {};
  // Nodes whose predecessors are placed: those that are not ready yet, a heap by cycle, and those that are, a heap for
  // each unit. Nodes that have been placed meanwhile are skipped.
  std::vector<std::pair<uint64_t, uint32_t>> pending_;
  std::array<std::vector<uint32_t>, ptx::kNumFunctionalUnits> available_;
  LiveUnits trial_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_LATENCY_ORDER_H_
