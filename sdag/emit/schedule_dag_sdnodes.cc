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
#include "sdag/graph/type_classes.h"

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

uint32_t WeightOf(const SDNode& node) {
  uint32_t weight = 0;
  for (const MVT type : node.value_types()) {
    const std::optional<RegClassId> reg_class = RegClassFor(type);
    if (reg_class.has_value()) weight += node.function().target().reg_classes[*reg_class].pressure_units;
  }
  return weight;
}

uint32_t LatencyOf(const SDNode& node) {
  const TargetInfo& target = node.function().target();
  if (!node.is_machine_opcode() || node.machine_opcode() >= target.instrs.size()) return 1;
  return ptx::MachineModel::Default().CostOf(ptx::InstrInfo(node.machine_opcode()).latency).latency;
}

bool IsDepOnSmallerUnit(const SUnit::Dep& a, const SUnit::Dep& b) { return a.unit < b.unit; }

// The list scheduler. It places units from the last to the first.
class ListScheduler {
 public:
  ListScheduler(absl::Span<const SUnit> units, DagScheduler scheduler)
      : units_(units), scheduler_(scheduler), states_(units.size()) {}

  std::vector<uint32_t> Run();

 private:
  using Priority = std::array<uint32_t, 6>;  // the smallest is placed first, that is, lowest
  struct Ready {
    Priority priority;
    uint32_t unit;
    // The smallest is on top of a heap.
    friend bool operator<(const Ready& a, const Ready& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.unit > b.unit;
    }
  };
  struct State {
    uint32_t waiting_users = 0;
    uint32_t last_user = 0;  // the step in which the last user was placed
    bool is_live = false;
    bool is_done = false;
    Priority priority{};
  };

  Priority PriorityOf(uint32_t unit) const;
  // Returns by how much placing the unit increases the registers that are live above it.
  int64_t GrowthOf(uint32_t unit) const;
  void Place(uint32_t unit, uint32_t step);
  void Update(uint32_t unit);
  void Push(uint32_t unit);
  // Takes the unit with the smallest priority. Returns false if none is left.
  bool Pop(uint32_t& unit);
  static uint32_t LargeFirst(uint32_t number) { return ~number; }

  absl::Span<const SUnit> units_;
  DagScheduler scheduler_;
  std::vector<State> states_;
  std::vector<Ready> ready_;  // a heap
};

int64_t ListScheduler::GrowthOf(uint32_t unit) const {
  int64_t growth = states_[unit].is_live ? -int64_t{units_[unit].weight} : 0;
  for (const SUnit::Dep& pred : units_[unit].preds) {
    if (pred.is_data && !states_[pred.unit].is_live) growth += units_[pred.unit].weight;
  }
  return growth;
}

ListScheduler::Priority ListScheduler::PriorityOf(uint32_t number) const {
  const SUnit& unit = units_[number];
  const uint32_t terminator = unit.is_terminator ? 0 : 1;
  const uint32_t order = LargeFirst(unit.order);
  const uint32_t place = LargeFirst(number);
  switch (scheduler_) {
    case DagScheduler::kSource:
      return {terminator, unit.order == 0 ? 0u : 1u, order, place};
    case DagScheduler::kRegisterPressure: {
      // A unit that starts something new, such as another store, waits until the live values have been computed.
      const uint32_t kind = GrowthOf(number) < 0 ? 0 : states_[number].is_live || unit.weight > 0 ? 1 : 2;
      return {terminator, kind, LargeFirst(states_[number].last_user), unit.sethi_ullman, order, place};
    }
    case DagScheduler::kLatency:
      return {terminator, LargeFirst(unit.depth), unit.sethi_ullman, order, place};
  }
  return {};
}

void ListScheduler::Push(uint32_t unit) {
  ready_.push_back({states_[unit].priority, unit});
  std::push_heap(ready_.begin(), ready_.end());
}

bool ListScheduler::Pop(uint32_t& unit) {
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end());
    const Ready ready = ready_.back();
    ready_.pop_back();
    unit = ready.unit;
    if (!states_[unit].is_done && states_[unit].priority == ready.priority) return true;
  }
  return false;
}

void ListScheduler::Update(uint32_t unit) {
  State& state = states_[unit];
  if (state.is_done || state.waiting_users != 0) return;
  const Priority priority = PriorityOf(unit);
  if (priority == state.priority) return;
  state.priority = priority;
  Push(unit);
}

void ListScheduler::Place(uint32_t unit, uint32_t step) {
  states_[unit].is_done = true;
  for (const SUnit::Dep& pred : units_[unit].preds) {
    State& state = states_[pred.unit];
    const bool becomes_live = pred.is_data && !state.is_live;
    state.is_live |= pred.is_data;
    state.last_user = step;
    if (--state.waiting_users == 0) {
      state.priority = PriorityOf(pred.unit);
      Push(pred.unit);
    }
    if (!becomes_live || scheduler_ != DagScheduler::kRegisterPressure) continue;
    for (const SUnit::Dep& user : units_[pred.unit].succs) Update(user.unit);
  }
}

std::vector<uint32_t> ListScheduler::Run() {
  for (uint32_t i = 0; i < units_.size(); ++i) states_[i].waiting_users = static_cast<uint32_t>(units_[i].succs.size());
  for (uint32_t i = 0; i < units_.size(); ++i) {
    if (states_[i].waiting_users != 0) continue;
    states_[i].priority = PriorityOf(i);
    Push(i);
  }
  std::vector<uint32_t> order;
  order.reserve(units_.size());
  for (uint32_t unit = 0; Pop(unit);) {
    order.push_back(unit);
    Place(unit, static_cast<uint32_t>(order.size()));
  }
  std::reverse(order.begin(), order.end());
  return order;
}

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
  const int64_t num_nodes = dag.AssignTopologicalOrder();
  if (num_nodes < 0) {
    status_ = absl::FailedPreconditionError("nodes of a DAG depend on each other in a circle");
    return;
  }
  std::vector<SDNode*> nodes;
  nodes.reserve(dag.num_nodes());
  for (SDNode& node : dag) nodes.push_back(&node);
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
  AddSuccs();
  ComputeNumbers();
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
    unit.weight += WeightOf(*node);
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
    std::sort(preds_.begin() + static_cast<ptrdiff_t>(first), preds_.end(), IsDepOnSmallerUnit);
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
  AddSuccs();
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
    for (const SUnit::Dep& user : units_[unit].succs) {
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

void ScheduleDAGSDNodes::AddSuccs() {
  // The end of the part of each unit. While the parts are filled from behind, it moves to the begin.
  std::vector<uint32_t> place(units_.size() + 1, 0);
  for (const SUnit::Dep& pred : preds_) ++place[pred.unit];
  for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  succs_.resize(preds_.size());
  for (uint32_t i = static_cast<uint32_t>(units_.size()); i-- > 0;) {
    for (const SUnit::Dep& pred : units_[i].preds) succs_[--place[pred.unit]] = {i, pred.latency, pred.is_data};
  }
  for (size_t i = 0; i < units_.size(); ++i) {
    units_[i].succs = absl::MakeConstSpan(succs_).subspan(place[i], place[i + 1] - place[i]);
  }
}

void ScheduleDAGSDNodes::ComputeNumbers() {
  std::vector<const SUnit*> operands;
  // The registers that computing an operand takes besides those of its result. Operands with many come first.
  const auto spare = [](const SUnit* unit) { return unit->sethi_ullman - std::min(unit->sethi_ullman, unit->weight); };
  for (SUnit& unit : units_) {
    operands.clear();
    for (const SUnit::Dep& pred : unit.preds) {
      const SUnit* operand = &units_[pred.unit];
      unit.depth = std::max(unit.depth, operand->depth + pred.latency);
      if (!pred.is_data) continue;
      operands.insert(std::upper_bound(operands.begin(), operands.end(), operand,
                                       [&](const SUnit* a, const SUnit* b) { return spare(a) > spare(b); }),
                      operand);
    }
    uint32_t held = 0;
    for (const SUnit* operand : operands) {
      unit.sethi_ullman = std::max(unit.sethi_ullman, held + operand->sethi_ullman);
      held += operand->weight;
    }
    unit.sethi_ullman = std::max({unit.sethi_ullman, held, unit.weight});
  }
}

std::vector<uint32_t> ScheduleDAGSDNodes::Schedule(DagScheduler scheduler) const {
  return ListScheduler(units_, scheduler).Run();
}

uint32_t ScheduleDAGSDNodes::PressureOf(absl::Span<const uint32_t> order) const {
  std::vector<bool> is_live(units_.size());
  uint32_t live = 0;
  uint32_t most = 0;
  for (size_t i = order.size(); i-- > 0;) {
    const SUnit& unit = units_[order[i]];
    if (is_live[order[i]]) live -= unit.weight;
    for (const SUnit::Dep& pred : unit.preds) {
      if (!pred.is_data || is_live[pred.unit]) continue;
      is_live[pred.unit] = true;
      live += units_[pred.unit].weight;
    }
    most = std::max(most, live);
  }
  return most;
}

}  // namespace ptxmir::sdag
