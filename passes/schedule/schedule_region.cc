// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/schedule_region.h"

#include <algorithm>
#include <cassert>

#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

// Calls `function` with each register that the instruction reads, once per operand.
template <typename Function>
void ForEachRead(const MachineInstr& instr, const Function& function) {
  for (const MachineOperand& read : VirtualReads(instr)) function(read.reg().virtual_index());
}

template <typename Function>
void ForEachWrite(const MachineInstr& instr, const Function& function) {
  for (const MachineOperand& def : VirtualDefs(instr)) function(def.reg().virtual_index());
}

}  // namespace

std::vector<uint8_t> UnitsByRegister(const MachineFunction& function) {
  const MachineRegisterInfo& registers = function.reg_info();
  const PressureClassMap classes(function.target());
  std::vector<uint8_t> units(registers.num_virtual_registers());
  for (uint32_t reg = 0; reg < units.size(); ++reg) {
    const RegClassId reg_class = registers.reg_class(Register::Virtual(reg));
    if (classes.IsCounted(reg_class)) units[reg] = static_cast<uint8_t>(kPressureUnits[classes[reg_class]]);
  }
  return units;
}

LiveUnits::LiveUnits(const MachineFunction& function) : LiveUnits(UnitsByRegister(function)) {}

void LiveUnits::Add(uint32_t reg) {
  if (place_[reg] != 0) return;
  live_.push_back(reg);
  place_[reg] = static_cast<uint32_t>(live_.size());
  units_ += UnitsOf(reg);
}

void LiveUnits::Remove(uint32_t reg) {
  if (place_[reg] == 0) return;
  live_[place_[reg] - 1] = live_.back();
  place_[live_.back()] = place_[reg];
  live_.pop_back();
  place_[reg] = 0;
  units_ -= UnitsOf(reg);
}

void LiveUnits::Clear() {
  for (const uint32_t reg : live_) place_[reg] = 0;
  live_.clear();
  units_ = 0;
}

void LiveUnits::CopyFrom(const LiveUnits& other) {
  Clear();
  for (const uint32_t reg : other.live_) Add(reg);
}

uint32_t LiveUnits::StepUp(const MachineInstr& instr) {
  // A result that is never read also occupies a register while it is written.
  uint32_t writing = units_;
  ForEachWrite(instr, [&](uint32_t reg) { writing += Contains(reg) ? 0 : UnitsOf(reg); });
  ForEachWrite(instr, [&](uint32_t reg) { Remove(reg); });
  ForEachRead(instr, [&](uint32_t reg) { Add(reg); });
  return std::max(writing, units_);
}

void ScheduleRegion::Build(absl::Span<MachineInstr* const> instrs) {
  builder_.Build(instrs, dag_);
  ComputeNeeds();
  CollectReaders();
}

// Computes the number of registers needed to compute a value, assuming that its operands from the region have no
// other uses. The operand that needs the most registers is computed first; one register then holds each finished
// operand.
void ScheduleRegion::ComputeNeeds() {
  needs_.assign(dag_.size(), 1);
  std::vector<uint32_t> operands;
  for (uint32_t node = 0; node < dag_.size(); ++node) {
    operands.clear();
    for (const ScheduleDependence& edge : dag_.Predecessors(node)) operands.push_back(needs_[edge.from]);
    std::sort(operands.begin(), operands.end(), std::greater<>());
    for (uint32_t i = 0; i < operands.size(); ++i) needs_[node] = std::max(needs_[node], operands[i] + i);
  }
}

void ScheduleRegion::CollectReaders() {
  readers_.clear();
  for (uint32_t node = 0; node < dag_.size(); ++node) {
    ForEachRead(dag_.instr(node), [&](uint32_t reg) { readers_.push_back({reg, node}); });
  }
  std::sort(readers_.begin(), readers_.end(),
            [](const Reader& a, const Reader& b) { return a.reg != b.reg ? a.reg < b.reg : a.node < b.node; });
}

int32_t ScheduleRegion::Delta(uint32_t node, const LiveUnits& live) const {
  const MachineInstr& instr = dag_.instr(node);
  int32_t delta = 0;
  const auto is_written = [&](uint32_t reg) {
    bool found = false;
    ForEachWrite(instr, [&](uint32_t written) { found |= written == reg; });
    return found;
  };
  ForEachWrite(instr, [&](uint32_t reg) {
    if (live.Contains(reg)) delta -= static_cast<int32_t>(live.UnitsOf(reg));
  });
  const auto reads = VirtualReads(instr);
  for (const MachineOperand& read : reads) {
    const uint32_t reg = read.reg().virtual_index();
    if (live.Contains(reg) && !is_written(reg)) continue;
    const auto first = std::find_if(reads.begin(), reads.end(),
                                    [&](const MachineOperand& other) { return other.reg() == read.reg(); });
    if (&*first == &read) delta += static_cast<int32_t>(live.UnitsOf(reg));
  }
  return delta;
}

uint32_t ScheduleRegion::TieKey(ScheduleTie tie, uint32_t node) const {
  const uint32_t last = dag_.size();
  switch (tie) {
    case ScheduleTie::kSource:
      return last - node;
    case ScheduleTie::kLatest:
      return ~became_ready_[node];
    case ScheduleTie::kNeed:
      return needs_[node];
  }
  return 0;
}

void ScheduleRegion::StartOrder() {
  num_left_.assign(dag_.size(), 0);
  for (const ScheduleDependence& edge : dag_.dependences()) ++num_left_[edge.from];
}

ScheduleRegion::Order ScheduleRegion::Schedule(ScheduleTie tie, LiveUnits& live) {
  const uint32_t count = dag_.size();
  StartOrder();
  deltas_.assign(count, 0);
  became_ready_.assign(count, 0);
  uint32_t num_ready = 0;
  std::vector<Candidate> heap;
  const auto push = [&](uint32_t node) {
    deltas_[node] = Delta(node, live);
    heap.push_back({deltas_[node], TieKey(tie, node), node});
    std::push_heap(heap.begin(), heap.end());
  };
  const auto make_ready = [&](uint32_t node) {
    became_ready_[node] = ++num_ready;
    push(node);
  };
  for (uint32_t node = 0; node < count; ++node) {
    if (num_left_[node] == 0) make_ready(node);
  }
  Order order;
  order.sequence.reserve(count);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Candidate best = heap.back();
    heap.pop_back();
    // Skip the entry if the node is already placed or has been pushed again with another cost.
    if (became_ready_[best.node] == 0 || best.delta != deltas_[best.node]) continue;
    became_ready_[best.node] = 0;
    const MachineInstr& instr = dag_.instr(best.node);
    begins_to_live_.clear();
    ForEachRead(instr, [&](uint32_t reg) {
      if (!live.Contains(reg)) begins_to_live_.push_back(reg);
    });
    order.peak = std::max(order.peak, live.StepUp(instr));
    order.sequence.push_back(best.node);
    for (const uint32_t reg : begins_to_live_) {
      auto reader = std::lower_bound(readers_.begin(), readers_.end(), reg,
                                     [](const Reader& entry, uint32_t r) { return entry.reg < r; });
      for (; reader != readers_.end() && reader->reg == reg; ++reader) {
        const uint32_t node = reader->node;
        if (became_ready_[node] != 0 && Delta(node, live) != deltas_[node]) push(node);
      }
    }
    for (const ScheduleDependence& edge : dag_.Predecessors(best.node)) {
      if (--num_left_[edge.from] == 0) make_ready(edge.from);
    }
  }
  assert(order.sequence.size() == count && "the dependences have a cycle");
  std::reverse(order.sequence.begin(), order.sequence.end());
  return order;
}

ScheduleRegion::Order ScheduleRegion::Shuffle(SplitMix64& random, LiveUnits& live) {
  StartOrder();
  std::vector<uint32_t> ready;
  for (uint32_t node = 0; node < dag_.size(); ++node) {
    if (num_left_[node] == 0) ready.push_back(node);
  }
  Order order;
  while (!ready.empty()) {
    std::swap(ready[random.Next() % ready.size()], ready.back());
    const uint32_t node = ready.back();
    ready.pop_back();
    order.peak = std::max(order.peak, live.StepUp(dag_.instr(node)));
    order.sequence.push_back(node);
    for (const ScheduleDependence& edge : dag_.Predecessors(node)) {
      if (--num_left_[edge.from] == 0) ready.push_back(edge.from);
    }
  }
  assert(order.sequence.size() == dag_.size() && "the dependences have a cycle");
  std::reverse(order.sequence.begin(), order.sequence.end());
  return order;
}

}  // namespace ptxmir
