// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/list_scheduler.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sdag/graph/type_classes.h"

namespace ptxmir::sdag {
namespace {

uint32_t WeightOfNode(const SDNode& node) {
  uint32_t weight = 0;
  for (const MVT type : node.value_types()) {
    const std::optional<RegClassId> reg_class = RegClassFor(type);
    if (reg_class.has_value()) weight += node.function().target().reg_classes[*reg_class].pressure_units;
  }
  return weight;
}

// The numbers of a unit that priorities are made of.
struct Numbers {
  uint32_t weight = 0;        // 32-bit registers that its values take
  uint32_t sethi_ullman = 0;  // 32-bit registers that computing it takes
  uint32_t depth = 0;         // cycles from the top
};

std::vector<Numbers> NumbersOf(absl::Span<const SUnit> units) {
  std::vector<Numbers> numbers(units.size());
  for (size_t i = 0; i < units.size(); ++i) numbers[i].weight = WeightOf(units[i]);
  std::vector<const Numbers*> operands;
  // The registers that computing an operand takes besides those of its result. Operands with many come first.
  const auto spare = [](const Numbers* unit) {
    return unit->sethi_ullman - std::min(unit->sethi_ullman, unit->weight);
  };
  for (size_t i = 0; i < units.size(); ++i) {
    Numbers& unit = numbers[i];
    operands.clear();
    for (const SUnit::Dep& pred : units[i].preds) {
      const Numbers* operand = &numbers[pred.unit];
      unit.depth = std::max(unit.depth, operand->depth + pred.latency);
      if (!pred.is_data) continue;
      operands.insert(std::upper_bound(operands.begin(), operands.end(), operand,
                                       [&](const Numbers* a, const Numbers* b) { return spare(a) > spare(b); }),
                      operand);
    }
    uint32_t held = 0;
    for (const Numbers* operand : operands) {
      unit.sethi_ullman = std::max(unit.sethi_ullman, held + operand->sethi_ullman);
      held += operand->weight;
    }
    unit.sethi_ullman = std::max({unit.sethi_ullman, held, unit.weight});
  }
  return numbers;
}

// Places units from the last to the first.
class ListScheduler {
 public:
  ListScheduler(absl::Span<const SUnit> units, DagScheduler scheduler)
      : units_(units),
        scheduler_(scheduler),
        successors_(units),
        // The order of the program needs no numbers.
        numbers_(scheduler == DagScheduler::kSource ? std::vector<Numbers>() : NumbersOf(units)),
        states_(units.size()) {}

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
  const DagScheduler scheduler_;
  const UnitSuccessors successors_;
  const std::vector<Numbers> numbers_;
  std::vector<State> states_;
  std::vector<Ready> ready_;  // a heap
};

int64_t ListScheduler::GrowthOf(uint32_t unit) const {
  int64_t growth = states_[unit].is_live ? -int64_t{numbers_[unit].weight} : 0;
  for (const SUnit::Dep& pred : units_[unit].preds) {
    if (pred.is_data && !states_[pred.unit].is_live) growth += numbers_[pred.unit].weight;
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
      const uint32_t kind = GrowthOf(number) < 0 ? 0 : states_[number].is_live || numbers_[number].weight > 0 ? 1 : 2;
      return {terminator, kind, LargeFirst(states_[number].last_user), numbers_[number].sethi_ullman, order, place};
    }
    case DagScheduler::kLatency:
      return {terminator, LargeFirst(numbers_[number].depth), numbers_[number].sethi_ullman, order, place};
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
    for (const SUnit::Dep& user : successors_.Of(pred.unit)) Update(user.unit);
  }
}

std::vector<uint32_t> ListScheduler::Run() {
  for (uint32_t i = 0; i < units_.size(); ++i)
    states_[i].waiting_users = static_cast<uint32_t>(successors_.Of(i).size());
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

UnitSuccessors::UnitSuccessors(absl::Span<const SUnit> units) : first_(units.size() + 1, 0) {
  // The end of the part of each unit. While the parts are filled from the end, it moves to the begin.
  for (const SUnit& unit : units) {
    for (const SUnit::Dep& pred : unit.preds) ++first_[pred.unit];
  }
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  deps_.resize(first_.back());
  for (auto i = static_cast<uint32_t>(units.size()); i-- > 0;) {
    for (const SUnit::Dep& pred : units[i].preds) deps_[--first_[pred.unit]] = {i, pred.latency, pred.is_data};
  }
}

uint32_t WeightOf(const SUnit& unit) {
  uint32_t weight = 0;
  for (const SDNode* node : unit.nodes) weight += WeightOfNode(*node);
  return weight;
}

std::vector<uint32_t> ScheduleList(absl::Span<const SUnit> units, DagScheduler scheduler) {
  return ListScheduler(units, scheduler).Run();
}

}  // namespace ptxmir::sdag
