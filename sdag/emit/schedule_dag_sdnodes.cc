// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/schedule_dag_sdnodes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <queue>
#include <utility>

#include "ptx/target/machine_model.h"
#include "sdag/emit/list_scheduler.h"

namespace ptxmir::sdag {
namespace {

constexpr DagSchedulerInfo kSchedulers[] = {
    {DagScheduler::kSource, "source", "in the order of the program"},
    {DagScheduler::kRegisterPressure, "list-burr", "for few registers"},
    {DagScheduler::kLatency, "list-latency", "for early results"},
};

// Returns true for nodes that are only operands and belong to no unit.
bool IsPassive(const SDNode& node) {
  switch (node.payload_kind()) {
    case NodePayload::kConstant:
    case NodePayload::kConstantFP:
    case NodePayload::kGlobal:
    case NodePayload::kFrameIndex:
    case NodePayload::kJumpTable:
    case NodePayload::kConstantPool:
    case NodePayload::kRegister:
    case NodePayload::kBlock:
    case NodePayload::kBlockAddress:
    case NodePayload::kMetadata:
    case NodePayload::kCondCode:
    case NodePayload::kValueType:
      return true;
    case NodePayload::kExternalSymbol:
      return node.num_operands() == 0;  // labels have a chain
    default:
      return node.opcode() == isd::kEntryToken || node.opcode() == isd::kUndef || node.opcode() == isd::kPoison;
  }
}

uint32_t LatencyOf(const SDNode& node) {
  const TargetInfo& target = node.function().target();
  if (!node.is_machine_opcode() || node.machine_opcode() >= target.instrs.size()) return 1;
  return ptx::MachineModel::Default().CostOf(ptx::InstrInfo(node.machine_opcode()).latency).latency;
}

bool IsDepOnSmallerUnit(const SUnit::Dep& a, const SUnit::Dep& b) { return a.unit < b.unit; }

}  // namespace

absl::Span<const DagSchedulerInfo> DagSchedulers() { return kSchedulers; }

const DagSchedulerInfo* FindDagScheduler(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSchedulers), std::end(kSchedulers),
                                   [name](const DagSchedulerInfo& info) { return info.name == name; });
  return found == std::end(kSchedulers) ? nullptr : found;
}

DagScheduler DagSchedulerFor(const Knobs& knobs) {
  return knobs.nvptx_sched4reg() && knobs.scheduling_mode() == SchedulingMode::kFull ? DagScheduler::kRegisterPressure
                                                                                     : DagScheduler::kSource;
}

ScheduleDAGSDNodes::ScheduleDAGSDNodes(SelectionDAG& dag, bool keep_dead) {
  const std::vector<SDNode*> nodes = dag.TopologicalOrder();
  if (nodes.empty()) {
    status_ = absl::FailedPreconditionError("nodes of a DAG depend on each other in a circle");
    return;
  }
  std::vector<bool> is_needed(nodes.size(), keep_dead);
  if (dag.root()) is_needed[static_cast<size_t>(dag.root()->node_id())] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!is_needed[i]) continue;
    for (const SDUse& operand : nodes[i]->operands()) {
      if (operand.node() != nullptr) is_needed[static_cast<size_t>(operand.node()->node_id())] = true;
    }
  }
  MakeUnits(nodes, is_needed);
  AddPreds();
  if (!SortUnits()) {
    status_ = absl::FailedPreconditionError("a node stands between nodes that are glued together");
    units_.clear();
    return;
  }
}

void ScheduleDAGSDNodes::MakeUnits(absl::Span<SDNode* const> nodes, const std::vector<bool>& is_needed) {
  unit_of_node_.assign(nodes.size(), kNoUnit);
  units_.reserve(nodes.size());
  members_.reserve(nodes.size());
  for (SDNode* node : nodes) {
    const auto id = static_cast<size_t>(node->node_id());
    if (is_needed[id] && unit_of_node_[id] == kNoUnit && !IsPassive(*node)) AddUnit(node, is_needed);
  }
}

void ScheduleDAGSDNodes::AddUnit(SDNode* member, const std::vector<bool>& is_needed) {
  SDNode* top = member;
  for (SDNode* glued = top->GluedNode(); glued != nullptr && !IsPassive(*glued); glued = top->GluedNode()) top = glued;
  const auto number = static_cast<uint32_t>(units_.size());
  SUnit& unit = units_.emplace_back();
  const size_t first = members_.size();
  for (SDNode* node = top; node != nullptr && is_needed[static_cast<size_t>(node->node_id())];
       node = node->GluedUser()) {
    members_.push_back(node);
    unit_of_node_[static_cast<size_t>(node->node_id())] = number;
    unit.order = std::max(unit.order, node->ir_order());
    unit.is_terminator |= node->HasProperty(NodeProperty::kTerminator);
  }
  unit.nodes = absl::MakeConstSpan(members_).subspan(first);
}

void ScheduleDAGSDNodes::AddPreds() {
  size_t num_operands = 0;
  for (const SDNode* node : members_) num_operands += node->num_operands();
  preds_.reserve(num_operands);
  std::vector<uint32_t> dep_on(units_.size(), 0);  // the last dependence on each unit, an index into preds_
  for (uint32_t i = 0; i < units_.size(); ++i) {
    const size_t first = preds_.size();
    for (const SDNode* node : units_[i].nodes) {
      for (const SDUse& operand : node->operands()) {
        const uint32_t pred = operand.node() == nullptr ? kNoUnit : UnitOf(*operand.node());
        if (pred == kNoUnit || pred == i) continue;
        const bool is_data = !IsToken(operand.type());
        const uint32_t latency = is_data ? LatencyOf(*operand.node()) : 0;
        const size_t known = dep_on[pred];
        if (known >= first && known < preds_.size() && preds_[known].unit == pred) {
          // Several dependences become one. It is data if one of them is, and has the longest latency.
          preds_[known].is_data |= is_data;
          preds_[known].latency = std::max(preds_[known].latency, latency);
        } else {
          dep_on[pred] = static_cast<uint32_t>(preds_.size());
          preds_.push_back({pred, latency, is_data});
        }
      }
    }
    const auto begin = preds_.begin() + static_cast<ptrdiff_t>(first);
    if (!std::is_sorted(begin, preds_.end(), IsDepOnSmallerUnit)) std::sort(begin, preds_.end(), IsDepOnSmallerUnit);
    units_[i].preds = absl::MakeConstSpan(preds_).subspan(first);
  }
}

bool ScheduleDAGSDNodes::SortUnits() {
  const auto num_units = static_cast<uint32_t>(units_.size());
  // The units are in order already, except those that had to wait for operands of nodes further down a glue chain.
  bool is_sorted = true;
  for (uint32_t i = 0; i < num_units && is_sorted; ++i) {
    is_sorted = units_[i].preds.empty() || units_[i].preds.back().unit < i;
  }
  if (is_sorted) return true;
  const UnitSuccessors successors(units_);
  std::vector<uint32_t> waiting(num_units);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < num_units; ++i) {
    waiting[i] = static_cast<uint32_t>(units_[i].preds.size());
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<uint32_t> new_number(num_units);
  std::vector<SUnit> sorted;
  sorted.reserve(num_units);
  while (!ready.empty()) {
    const uint32_t unit = ready.top();
    ready.pop();
    new_number[unit] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(units_[unit]);
    for (const SUnit::Dep& user : successors.Of(unit)) {
      if (--waiting[user.unit] == 0) ready.push(user.unit);
    }
  }
  if (sorted.size() != num_units) return false;
  units_ = std::move(sorted);
  for (SUnit::Dep& pred : preds_) pred.unit = new_number[pred.unit];
  for (const SUnit& unit : units_) {
    const auto first = preds_.begin() + (unit.preds.data() - preds_.data());
    std::sort(first, first + static_cast<ptrdiff_t>(unit.preds.size()), IsDepOnSmallerUnit);
  }
  for (uint32_t& unit : unit_of_node_) {
    if (unit != kNoUnit) unit = new_number[unit];
  }
  return true;
}

// Places units from the last to the first, as the list scheduler does, but takes them from a sorted list. It goes wrong
// where the next unit of the list has a user that is not placed yet, or must compete with a unit that is not in the
// list because it has no position.
std::vector<uint32_t> ScheduleDAGSDNodes::ProgramOrder() const {
  std::vector<uint64_t> sorted;  // position and number
  std::vector<uint32_t> waiting_users(units_.size());
  sorted.reserve(units_.size());
  constexpr uint64_t kTerminator = uint64_t{1} << 63;
  for (uint32_t i = 0; i < units_.size(); ++i) {
    for (const SUnit::Dep& pred : units_[i].preds) ++waiting_users[pred.unit];
    if (units_[i].order >> 31 != 0 || (units_[i].order == 0 && units_[i].is_terminator)) return {};
    if (units_[i].order == 0) continue;
    sorted.push_back((units_[i].is_terminator ? kTerminator : 0) | uint64_t{units_[i].order} << 32 | i);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint32_t> order;
  order.reserve(units_.size());
  std::vector<uint32_t> without_position;  // ready units; the next one to place is the last
  for (uint32_t i = 0; i < units_.size(); ++i) {
    if (units_[i].order == 0 && waiting_users[i] == 0) without_position.push_back(i);
  }
  while (!sorted.empty() || !without_position.empty()) {
    const bool is_terminator = !sorted.empty() && (sorted.back() & kTerminator) != 0;
    if (is_terminator && !without_position.empty()) return {};
    uint32_t unit = 0;
    if (!without_position.empty()) {
      unit = without_position.back();
      without_position.pop_back();
    } else {
      unit = static_cast<uint32_t>(sorted.back());
      sorted.pop_back();
      if (waiting_users[unit] != 0) return {};
    }
    order.push_back(unit);
    for (const SUnit::Dep& pred : units_[unit].preds) {
      if (--waiting_users[pred.unit] != 0 || units_[pred.unit].order != 0) continue;
      without_position.insert(std::upper_bound(without_position.begin(), without_position.end(), pred.unit), pred.unit);
    }
  }
  if (order.size() != units_.size()) return {};
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<uint32_t> ScheduleDAGSDNodes::Schedule(DagScheduler scheduler) const {
  if (scheduler == DagScheduler::kSource) {
    std::vector<uint32_t> order = ProgramOrder();
    if (!order.empty()) return order;
  }
  return ScheduleList(units_, scheduler);
}

uint32_t ScheduleDAGSDNodes::PressureOf(absl::Span<const uint32_t> order) const {
  std::vector<uint32_t> weights;
  for (const SUnit& unit : units_) weights.push_back(WeightOf(unit));
  std::vector<bool> is_live(units_.size());
  uint32_t live = 0;
  uint32_t most = 0;
  for (size_t i = order.size(); i-- > 0;) {
    const SUnit& unit = units_[order[i]];
    if (is_live[order[i]]) live -= weights[order[i]];
    for (const SUnit::Dep& pred : unit.preds) {
      if (!pred.is_data || is_live[pred.unit]) continue;
      is_live[pred.unit] = true;
      live += weights[pred.unit];
    }
    most = std::max(most, live);
  }
  return most;
}

}  // namespace ptxmir::sdag
