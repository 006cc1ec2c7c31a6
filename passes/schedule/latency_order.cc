// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/latency_order.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <tuple>

#include "analysis/frequency/trace_ensemble.h"
#include "mir/code/operand_ranges.h"
#include "passes/schedule/dag/memory_edges.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {

uint32_t LatencyScheduler::ValueOf(uint32_t reg, const LiveUnits& below) {
  ValueOfRegister& entry = value_of_[reg];
  if (entry.stamp != stamp_) {
    entry = {.stamp = stamp_, .value = static_cast<uint32_t>(values_.size())};
    values_.push_back({.units = below.UnitsOf(reg)});
  }
  return entry.value;
}

void LatencyScheduler::CollectNodes(const ScheduleDag& dag, const LiveUnits& below) {
  ++stamp_;
  nodes_.assign(dag.size(), Node());
  values_.clear();
  node_values_.clear();
  std::vector<uint32_t> registers;
  for (uint32_t i = 0; i < dag.size(); ++i) {
    const MachineInstr& instr = dag.instr(i);
    Node& node = nodes_[i];
    node.takes_time = !TraceEnsemble::IsTransient(instr);
    if (node.takes_time) node.cost = model_.CostOf(instr);
    for (const ScheduleDependence& edge : dag.Predecessors(i)) node.predecessors_left += edge.distance == 0;
    node.first_value = static_cast<uint32_t>(node_values_.size());
    for (const MachineOperand& read : VirtualReads(instr)) {
      const uint32_t value = ValueOf(read.reg().virtual_index(), below);
      const auto begin = node_values_.begin() + node.first_value;
      if (std::find(begin, node_values_.end(), value) != node_values_.end()) continue;
      node_values_.push_back(value);
      ++values_[value].readers_left;
    }
    node.first_def = static_cast<uint32_t>(node_values_.size());
    for (const MachineOperand& def : VirtualDefs(instr)) {
      const uint32_t reg = def.reg().virtual_index();
      registers.push_back(reg);
      node_values_.push_back(static_cast<uint32_t>(values_.size()));
      value_of_[reg] = {.stamp = stamp_, .value = static_cast<uint32_t>(values_.size())};
      values_.push_back({.units = below.UnitsOf(reg)});
    }
    for (const MachineOperand& read : VirtualReads(instr)) registers.push_back(read.reg().virtual_index());
    node.end_values = static_cast<uint32_t>(node_values_.size());
  }
  for (const uint32_t reg : registers) values_[value_of_[reg].value].is_live_below = below.Contains(reg);
}

void LatencyScheduler::ComputeHeights(const ScheduleDag& dag) {
  for (uint32_t i = dag.size(); i-- > 0;) {
    nodes_[i].height = ScaledLatency(nodes_[i].cost.latency);
    for (const ScheduleDependence& edge : dag.Successors(i)) {
      if (edge.distance != 0) continue;
      nodes_[i].height = std::max(nodes_[i].height, ScaledLatency(edge.latency) + nodes_[edge.to].height);
    }
  }
}

void LatencyScheduler::FindClusters(const ScheduleDag& dag) {
  loads_.clear();
  for (uint32_t i = 0; i < dag.size(); ++i) {
    const MachineInstr& instr = dag.instr(i);
    if (instr.desc().Has(InstrFlag::kPseudo)) continue;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.is_rematerializable_load() || OrdersAccesses(instr)) continue;
    const MachineOperand& base = instr.operand(info.address);
    const MachineOperand& offset = instr.operand(info.address + 1u);
    if (!base.is_reg() || !base.reg().is_virtual() || !offset.is_imm()) continue;
    nodes_[i].is_load = true;
    loads_.push_back({.base = base.reg().virtual_index(), .offset = offset.imm(), .node = i});
  }
  std::sort(loads_.begin(), loads_.end(), [](const Load& a, const Load& b) {
    return std::tie(a.base, a.offset, a.node) < std::tie(b.base, b.offset, b.node);
  });
  int64_t first_offset = 0;
  for (size_t i = 0; i < loads_.size(); ++i) {
    const bool is_in_cluster =
        i > 0 && loads_[i].base == loads_[i - 1].base && loads_[i].offset - first_offset < kClusterBytes;
    if (is_in_cluster) {
      nodes_[loads_[i - 1].node].next_in_cluster = loads_[i].node;
    } else {
      first_offset = loads_[i].offset;
    }
  }
}

bool LatencyScheduler::IsWorse(uint32_t a, uint32_t b) const {
  if (options_.mode == SchedulingMode::kFull && nodes_[a].height != nodes_[b].height) {
    return nodes_[a].height < nodes_[b].height;
  }
  return a > b;
}

bool LatencyScheduler::ExceedsLimit(const Node& node) const {
  uint32_t defined = 0, freed = 0;
  for (const uint32_t value : DefValues(node)) defined += values_[value].units;
  for (const uint32_t value : ReadValues(node)) {
    if (values_[value].readers_left == 1 && !values_[value].is_live_below) freed += values_[value].units;
  }
  return defined > freed && live_units_ + defined - freed > options_.limit;
}

// Moves the nodes that are ready by now to the heaps of their units.
void LatencyScheduler::MakeAvailable() {
  while (!pending_.empty() && pending_.front().first <= clock_) {
    std::pop_heap(pending_.begin(), pending_.end(), std::greater<>());
    const uint32_t number = pending_.back().second;
    pending_.pop_back();
    std::vector<uint32_t>& heap = available_[static_cast<size_t>(nodes_[number].cost.unit)];
    heap.push_back(number);
    std::push_heap(heap.begin(), heap.end(), [this](uint32_t a, uint32_t b) { return IsWorse(a, b); });
  }
}

// Returns the best node that is ready and whose unit is free, or kNone.
uint32_t LatencyScheduler::BestAvailable() {
  uint32_t best = kNone;
  for (size_t unit = 0; unit < available_.size(); ++unit) {
    std::vector<uint32_t>& heap = available_[unit];
    while (!heap.empty() && nodes_[heap.front()].is_placed) {
      std::pop_heap(heap.begin(), heap.end(), [this](uint32_t a, uint32_t b) { return IsWorse(a, b); });
      heap.pop_back();
    }
    if (heap.empty() || unit_free_[unit] > clock_) continue;
    uint32_t candidate = heap.front();
    if (next_in_cluster_ != kNone && IsReady(nodes_[next_in_cluster_]) &&
        static_cast<size_t>(nodes_[next_in_cluster_].cost.unit) == unit) {
      candidate = next_in_cluster_;
    }
    if (best == kNone || IsWorse(best, candidate)) best = candidate;
  }
  return best;
}

// Returns the node to place next, and lets the cycles pass until it can be issued.
uint32_t LatencyScheduler::Next() {
  for (;;) {
    MakeAvailable();
    const uint32_t best = BestAvailable();
    if (best != kNone) {
      if (!ExceedsLimit(nodes_[best])) return best;
      while (nodes_[first_unplaced_].is_placed) ++first_unplaced_;
      return first_unplaced_;
    }
    uint64_t next = std::numeric_limits<uint64_t>::max();
    if (!pending_.empty()) next = pending_.front().first;
    for (size_t unit = 0; unit < available_.size(); ++unit) {
      if (!available_[unit].empty()) next = std::min(next, unit_free_[unit]);
    }
    assert(next > clock_ && "time stands still");
    clock_ = next;
  }
}

void LatencyScheduler::Place(const ScheduleDag& dag, uint32_t number) {
  Node& node = nodes_[number];
  node.is_placed = true;
  sequence_.push_back(number);
  if (node.is_load) next_in_cluster_ = node.next_in_cluster;
  uint64_t start = std::max(clock_, node.ready_cycle);
  if (node.takes_time) {
    uint64_t& unit_free = unit_free_[static_cast<size_t>(node.cost.unit)];
    start = std::max(start, unit_free);
    unit_free = start + node.cost.issue;
    clock_ = start + 1;
  }
  for (const uint32_t value : ReadValues(node)) {
    if (--values_[value].readers_left == 0 && !values_[value].is_live_below) live_units_ -= values_[value].units;
  }
  for (const uint32_t value : DefValues(node)) {
    if (values_[value].readers_left != 0 || values_[value].is_live_below) live_units_ += values_[value].units;
  }
  for (const ScheduleDependence& edge : dag.Successors(number)) {
    if (edge.distance != 0) continue;
    Node& successor = nodes_[edge.to];
    successor.ready_cycle = std::max(successor.ready_cycle, start + ScaledLatency(edge.latency));
    if (--successor.predecessors_left != 0) continue;
    pending_.emplace_back(successor.ready_cycle, edge.to);
    std::push_heap(pending_.begin(), pending_.end(), std::greater<>());
  }
}

ScheduleRegion::Order LatencyScheduler::Schedule(const ScheduleDag& dag, const LiveUnits& below,
                                                 const LatencyOptions& options) {
  options_ = options;
  CollectNodes(dag, below);
  ComputeHeights(dag);
  FindClusters(dag);
  trial_.CopyFrom(below);
  for (uint32_t i = dag.size(); i-- > 0;) trial_.StepUp(dag.instr(i));
  live_units_ = trial_.units();
  sequence_.clear();
  first_unplaced_ = 0;
  next_in_cluster_ = kNone;
  clock_ = 0;
  unit_free_.fill(0);
  pending_.clear();
  for (std::vector<uint32_t>& heap : available_) heap.clear();
  for (uint32_t i = 0; i < dag.size(); ++i) {
    if (nodes_[i].predecessors_left == 0) pending_.emplace_back(0, i);
  }
  std::make_heap(pending_.begin(), pending_.end(), std::greater<>());
  while (sequence_.size() < dag.size()) Place(dag, Next());

  ScheduleRegion::Order order = {.sequence = sequence_};
  trial_.CopyFrom(below);
  for (uint32_t i = dag.size(); i-- > 0;) {
    order.peak = std::max(order.peak, trial_.StepUp(dag.instr(sequence_[i])));
  }
  return order;
}

}  // namespace ptxmir
