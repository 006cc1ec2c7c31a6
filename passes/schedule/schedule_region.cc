// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/schedule_region.h"

#include <algorithm>
#include <cassert>

#include "mir/code/operand_ranges.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

using ptx::Property;

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

LiveUnits::LiveUnits(const MachineFunction& function)
    : reg_info_(&function.reg_info()),
      classes_(function.target()),
      place_(function.reg_info().num_virtual_registers()) {}

uint32_t LiveUnits::UnitsOf(uint32_t reg) const {
  const RegClassId reg_class = reg_info_->reg_class(Register::Virtual(reg));
  return classes_.IsCounted(reg_class) ? kPressureUnits[classes_[reg_class]] : 0;
}

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

ScheduleRegion::ScheduleRegion(const MachineFunction& function, const MemoryDependence& memory)

    : memory_(memory), registers_(function.reg_info().num_virtual_registers()) {}

ScheduleRegion::RegisterState& ScheduleRegion::StateOf(uint32_t reg) {
  RegisterState& state = registers_[reg];
  if (state.stamp != stamp_) state = {.stamp = stamp_};
  return state;
}

void ScheduleRegion::Build(absl::Span<MachineInstr* const> instrs) {
  instrs_ = instrs;
  ++stamp_;
  edges_.clear();
  uses_.clear();
  carry_ = {};
  last_in_chain_ = kNone;
  for (uint32_t node = 0; node < instrs.size(); ++node) {
    AddRegisterEdges(node);
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instrs[node]->opcode());
    if (!info.is_collective() || info.is_pure()) continue;
    if (last_in_chain_ != kNone) AddEdge(last_in_chain_, node);
    last_in_chain_ = node;
  }
  AddMemoryEdges();
  SortEdges();
  ComputeNeeds();
  CollectReaders();
}

// Adds edges so that definitions come after the uses of the value that they overwrite, and uses after definitions.
// The carry flag is treated as a register, although no operand names it.
void ScheduleRegion::AddRegisterEdges(uint32_t node) {
  const MachineInstr& instr = *instrs_[node];
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const auto read = [&](RegisterState& state) {
    if (state.definition != kNone) AddEdge(state.definition, node);
    uses_.push_back({node, state.first_use});
    state.first_use = static_cast<uint32_t>(uses_.size()) - 1;
  };
  const auto write = [&](RegisterState& state) {
    if (state.definition != kNone) AddEdge(state.definition, node);
    for (uint32_t use = state.first_use; use != kNone; use = uses_[use].next) AddEdge(uses_[use].node, node);
    state.definition = node;
    state.first_use = kNone;
  };
  ForEachRead(instr, [&](uint32_t reg) { read(StateOf(reg)); });
  const bool is_ptx = !instr.desc().Has(InstrFlag::kPseudo);
  if (is_ptx && info.Has(Property::kCarryin)) read(carry_);
  ForEachWrite(instr, [&](uint32_t reg) { write(StateOf(reg)); });
  if (is_ptx && info.Has(Property::kCarryout)) write(carry_);
}

void ScheduleRegion::AddMemoryEdges() {
  std::vector<uint32_t> reads, writes;
  for (uint32_t node = 0; node < instrs_.size(); ++node) {
    const MachineInstr& instr = *instrs_[node];
    if (instr.desc().Has(InstrFlag::kPseudo)) continue;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (info.writes_memory()) {
      writes.push_back(node);
    } else if (info.reads_memory() && !memory_.ReadsConstantMemory(instr)) {
      reads.push_back(node);
    }
  }
  if (writes.size() * (reads.size() + writes.size()) > kMaxComparedPairs) {
    AddMemoryEdgesInOrder();
    return;
  }
  for (const uint32_t write : writes) {
    for (const uint32_t read : reads) {
      if (memory_.MayChange(*instrs_[write], *instrs_[read])) AddEdge(std::min(write, read), std::max(write, read));
    }
    for (const uint32_t earlier : writes) {
      if (earlier >= write) break;
      if (memory_.Alias(*instrs_[earlier], *instrs_[write]) != AliasResult::kNoAlias) AddEdge(earlier, write);
    }
  }
}

// Adds edges as if all accesses were to the same location: reads stay between the writes around them.
void ScheduleRegion::AddMemoryEdgesInOrder() {
  uint32_t last_write = kNone;
  std::vector<uint32_t> reads_since;
  for (uint32_t node = 0; node < instrs_.size(); ++node) {
    const MachineInstr& instr = *instrs_[node];
    if (instr.desc().Has(InstrFlag::kPseudo)) continue;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.touches_memory() || (!info.writes_memory() && memory_.ReadsConstantMemory(instr))) continue;
    if (last_write != kNone) AddEdge(last_write, node);
    if (info.writes_memory()) {
      for (const uint32_t read : reads_since) AddEdge(read, node);
      reads_since.clear();
      last_write = node;
    } else {
      reads_since.push_back(node);
    }
  }
}

void ScheduleRegion::SortEdges() {
  std::sort(edges_.begin(), edges_.end(),
            [](const Edge& a, const Edge& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  edges_.erase(std::unique(edges_.begin(), edges_.end(),
                           [](const Edge& a, const Edge& b) { return a.to == b.to && a.from == b.from; }),
               edges_.end());
  first_edge_.assign(instrs_.size() + 1, 0);
  for (const Edge& edge : edges_) ++first_edge_[edge.to + 1];
  for (size_t i = 0; i < instrs_.size(); ++i) first_edge_[i + 1] += first_edge_[i];
}

// Computes the number of registers needed to compute a value, assuming that its operands from the region have no
// other uses. The operand that needs the most registers is computed first; one register then holds each finished
// operand.
void ScheduleRegion::ComputeNeeds() {
  needs_.assign(instrs_.size(), 1);
  std::vector<uint32_t> operands;
  for (uint32_t node = 0; node < instrs_.size(); ++node) {
    operands.clear();
    for (uint32_t e = first_edge_[node]; e < first_edge_[node + 1]; ++e) operands.push_back(needs_[edges_[e].from]);
    std::sort(operands.begin(), operands.end(), std::greater<>());
    for (uint32_t i = 0; i < operands.size(); ++i) needs_[node] = std::max(needs_[node], operands[i] + i);
  }
}

void ScheduleRegion::CollectReaders() {
  readers_.clear();
  for (uint32_t node = 0; node < instrs_.size(); ++node) {
    ForEachRead(*instrs_[node], [&](uint32_t reg) { readers_.push_back({reg, node}); });
  }
  std::sort(readers_.begin(), readers_.end(),
            [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
}

int32_t ScheduleRegion::Delta(uint32_t node, const LiveUnits& live) const {
  const MachineInstr& instr = *instrs_[node];
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
  const uint32_t last = static_cast<uint32_t>(instrs_.size());
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

ScheduleRegion::Order ScheduleRegion::Schedule(ScheduleTie tie, LiveUnits& live) {
  const uint32_t count = static_cast<uint32_t>(instrs_.size());
  num_left_.assign(count, 0);
  for (const Edge& edge : edges_) ++num_left_[edge.from];
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
    const MachineInstr& instr = *instrs_[best.node];
    begins_to_live_.clear();
    ForEachRead(instr, [&](uint32_t reg) {
      if (!live.Contains(reg)) begins_to_live_.push_back(reg);
    });
    order.peak = std::max(order.peak, live.StepUp(instr));
    order.sequence.push_back(best.node);
    for (const uint32_t reg : begins_to_live_) {
      auto reader = std::lower_bound(readers_.begin(), readers_.end(), reg,
                                     [](const Edge& edge, uint32_t r) { return edge.from < r; });
      for (; reader != readers_.end() && reader->from == reg; ++reader) {
        if (became_ready_[reader->to] != 0 && Delta(reader->to, live) != deltas_[reader->to]) push(reader->to);
      }
    }
    for (uint32_t e = first_edge_[best.node]; e < first_edge_[best.node + 1]; ++e) {
      if (--num_left_[edges_[e].from] == 0) make_ready(edges_[e].from);
    }
  }
  assert(order.sequence.size() == count && "the dependences have a cycle");
  std::reverse(order.sequence.begin(), order.sequence.end());
  return order;
}

ScheduleRegion::Order ScheduleRegion::Shuffle(SplitMix64& random, LiveUnits& live) {
  num_left_.assign(instrs_.size(), 0);
  for (const Edge& edge : edges_) ++num_left_[edge.from];
  std::vector<uint32_t> ready;
  for (uint32_t node = 0; node < instrs_.size(); ++node) {
    if (num_left_[node] == 0) ready.push_back(node);
  }
  Order order;
  while (!ready.empty()) {
    std::swap(ready[random.Next() % ready.size()], ready.back());
    const uint32_t node = ready.back();
    ready.pop_back();
    order.peak = std::max(order.peak, live.StepUp(*instrs_[node]));
    order.sequence.push_back(node);
    for (uint32_t e = first_edge_[node]; e < first_edge_[node + 1]; ++e) {
      if (--num_left_[edges_[e].from] == 0) ready.push_back(edges_[e].from);
    }
  }
  assert(order.sequence.size() == instrs_.size() && "the dependences have a cycle");
  std::reverse(order.sequence.begin(), order.sequence.end());
  return order;
}

}  // namespace ptxmir
