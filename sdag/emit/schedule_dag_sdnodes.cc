// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/schedule_dag_sdnodes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
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

// Merges dependences on the same unit into one. It is data if one of them is, and has the longest latency.
void MakeUnique(absl::InlinedVector<SUnit::Dep, 4>& deps) {
  std::sort(deps.begin(), deps.end(), [](const SUnit::Dep& a, const SUnit::Dep& b) { return a.unit < b.unit; });
  size_t kept = 0;
  for (const SUnit::Dep& dep : deps) {
    if (kept > 0 && deps[kept - 1].unit == dep.unit) {
      deps[kept - 1].is_data |= dep.is_data;
      deps[kept - 1].latency = std::max(deps[kept - 1].latency, dep.latency);
    } else {
      deps[kept++] = dep;
    }
  }
  deps.resize(kept);
}

// The list scheduler. It places units from the last to the first.
class ListScheduler {
 public:
  ListScheduler(absl::Span<const SUnit> units, DagScheduler scheduler)
      : units_(units), scheduler_(scheduler), states_(units.size()) {}

  std::vector<uint32_t> Run();

 private:
  using Priority = std::array<int64_t, 6>;  // the smallest is placed first, that is, lowest
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

  absl::Span<const SUnit> units_;
  DagScheduler scheduler_;
  std::vector<State> states_;
  std::set<std::pair<Priority, uint32_t>> ready_;
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
  const int64_t terminator = unit.is_terminator ? 0 : 1;
  const int64_t place = -int64_t{number};
  switch (scheduler_) {
    case DagScheduler::kSource:
      return {terminator, unit.order == 0 ? 0 : 1, -int64_t{unit.order}, place};
    case DagScheduler::kRegisterPressure: {
      // A unit that starts something new, such as another store, waits until the live values have been computed.
      const int64_t kind = GrowthOf(number) < 0 ? 0 : states_[number].is_live || unit.weight > 0 ? 1 : 2;
      return {terminator, kind, -int64_t{states_[number].last_user}, unit.sethi_ullman, -int64_t{unit.order}, place};
    }
    case DagScheduler::kLatency:
      return {terminator, -int64_t{unit.depth}, unit.sethi_ullman, -int64_t{unit.order}, place};
  }
  return {};
}

void ListScheduler::Update(uint32_t unit) {
  State& state = states_[unit];
  if (state.is_done || state.waiting_users != 0) return;
  const Priority priority = PriorityOf(unit);
  if (priority == state.priority) return;
  ready_.erase({state.priority, unit});
  state.priority = priority;
  ready_.insert({priority, unit});
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
      ready_.insert({state.priority, pred.unit});
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
    ready_.insert({states_[i].priority, i});
  }
  std::vector<uint32_t> order;
  order.reserve(units_.size());
  while (!ready_.empty()) {
    const uint32_t unit = ready_.begin()->second;
    ready_.erase(ready_.begin());
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

ScheduleDAGSDNodes::ScheduleDAGSDNodes(SelectionDAG& dag, bool keep_dead) : dag_(dag) {
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
  unit_of_node_.assign(nodes.size(), kNoUnit);
  MakeUnits(nodes, is_needed);
  AddEdges();
  if (!SortUnits()) {
    status_ = absl::FailedPreconditionError("a node stands between nodes that are glued together");
    units_.clear();
    return;
  }
  ComputeNumbers();
}

void ScheduleDAGSDNodes::MakeUnits(absl::Span<SDNode* const> nodes, const std::vector<bool>& is_needed) {
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
  for (SDNode* node = top; node != nullptr && is_needed[static_cast<size_t>(node->node_id())];
       node = node->GluedUser()) {
    unit.nodes.push_back(node);
    unit_of_node_[static_cast<size_t>(node->node_id())] = number;
    unit.order = std::max(unit.order, node->ir_order());
    unit.weight += WeightOf(*node);
    unit.is_terminator |= node->HasProperty(NodeProperty::kTerminator);
  }
}

void ScheduleDAGSDNodes::AddEdges() {
  for (uint32_t i = 0; i < units_.size(); ++i) {
    for (const SDNode* node : units_[i].nodes) {
      for (const SDUse& operand : node->operands()) {
        if (operand.node() == nullptr) continue;
        const uint32_t pred = UnitOf(*operand.node());
        if (pred == kNoUnit || pred == i) continue;
        const bool is_data = !IsToken(operand.type());
        units_[i].preds.push_back({pred, is_data ? LatencyOf(*operand.node()) : 0, is_data});
      }
    }
    MakeUnique(units_[i].preds);
  }
}

bool ScheduleDAGSDNodes::SortUnits() {
  // The units are in order already, except those that had to wait for operands of nodes further down a glue chain.
  const auto num_units = static_cast<uint32_t>(units_.size());
  std::vector<uint32_t> waiting(num_units);
  std::vector<std::vector<uint32_t>> users(num_units);
  std::set<uint32_t> ready;
  for (uint32_t i = 0; i < num_units; ++i) {
    waiting[i] = static_cast<uint32_t>(units_[i].preds.size());
    for (const SUnit::Dep& pred : units_[i].preds) users[pred.unit].push_back(i);
    if (waiting[i] == 0) ready.insert(i);
  }
  std::vector<uint32_t> new_number(num_units);
  std::vector<SUnit> sorted;
  sorted.reserve(num_units);
  while (!ready.empty()) {
    const uint32_t unit = *ready.begin();
    ready.erase(ready.begin());
    new_number[unit] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(units_[unit]));
    for (const uint32_t user : users[unit]) {
      if (--waiting[user] == 0) ready.insert(user);
    }
  }
  if (sorted.size() != num_units) return false;
  units_ = std::move(sorted);
  for (uint32_t i = 0; i < num_units; ++i) {
    for (SUnit::Dep& pred : units_[i].preds) {
      pred.unit = new_number[pred.unit];
      units_[pred.unit].succs.push_back({i, pred.latency, pred.is_data});
    }
  }
  for (uint32_t& unit : unit_of_node_) {
    if (unit != kNoUnit) unit = new_number[unit];
  }
  return true;
}

void ScheduleDAGSDNodes::ComputeNumbers() {
  std::vector<const SUnit*> operands;
  for (SUnit& unit : units_) {
    operands.clear();
    for (const SUnit::Dep& pred : unit.preds) {
      unit.depth = std::max(unit.depth, units_[pred.unit].depth + pred.latency);
      if (pred.is_data) operands.push_back(&units_[pred.unit]);
    }
    std::stable_sort(operands.begin(), operands.end(), [](const SUnit* a, const SUnit* b) {
      return a->sethi_ullman - std::min(a->sethi_ullman, a->weight) >
             b->sethi_ullman - std::min(b->sethi_ullman, b->weight);
    });
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
