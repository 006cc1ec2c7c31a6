// SPDX-License-Identifier: Apache-2.0

// The part of LiveIntervals that updates it after edits of the code.

#include <algorithm>
#include <cassert>

#include "analysis/liveness/live_intervals.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {

void LiveIntervals::BeginSearch() {
  const BlockNumber bound = function_.block_number_bound();
  if (left_.size() < bound) {
    left_.resize(bound, 0);
    entered_.resize(bound, 0);
  }
  ++num_searches_;
}

void LiveIntervals::PruneValue(LiveRange& range, SlotIndex kill, std::vector<SlotIndex>* end_points) {
  const LiveQuery query = range.Query(kill);
  const ValueId value = query.value_out_or_dead();
  if (value == kNoValue) return;
  const MachineBasicBlock* kill_block = indexes_.BlockAt(kill);
  std::vector<LiveSegment> removed;
  const auto remove = [&](SlotIndex start, SlotIndex end) {
    if (start < end) removed.push_back({start, end, kNoValue});
    if (end_points != nullptr) end_points->push_back(end);
  };
  const SlotIndex kill_end = indexes_.BlockEnd(*kill_block);
  remove(kill, std::min(query.end_point, kill_end));
  std::vector<const MachineBasicBlock*> work;
  if (query.end_point >= kill_end) work.push_back(kill_block);
  BeginSearch();
  while (!work.empty()) {
    const MachineBasicBlock* block = work.back();
    work.pop_back();
    for (const MachineBasicBlock* successor : block->successors()) {
      if (!IsFirstVisit(entered_, successor->number())) continue;
      const SlotIndex start = indexes_.BlockStart(*successor);
      const LiveQuery at_start = range.Query(start);
      if (at_start.value_in != value) continue;
      // In the block of `kill`, the rest is already gone.
      SlotIndex end = std::min(at_start.end_point, indexes_.BlockEnd(*successor));
      if (successor == kill_block) end = std::min(end, kill);
      remove(start, end);
      if (end == indexes_.BlockEnd(*successor)) work.push_back(successor);
    }
  }
  std::sort(removed.begin(), removed.end(),
            [](const LiveSegment& a, const LiveSegment& b) { return a.start < b.start; });
  range.RemoveSegments(removed);
}

std::vector<LiveIntervals::Use> LiveIntervals::CollectUses(const LiveInterval& interval) const {
  std::vector<Use> uses;
  for (const MachineOperand& operand : function_.reg_info().NonDebugUses(interval.reg())) {
    const MachineInstr& instr = *operand.parent();
    if (!LiveRangeCalc::ReadsValue(operand) || !instr.is_linked() || !indexes_.HasIndex(instr)) continue;
    const ValueId value = ValueOfOperand(interval, operand);
    if (value == kNoValue) continue;
    if (instr.is_phi()) {
      uses.push_back({indexes_.BlockEnd(PhiIncoming(operand).predecessor()), value});
      continue;
    }
    SlotIndex index = LiveRangeCalc::UseIndex(instr, operand.operand_number(), indexes_.InstrIndex(instr));
    // An early-clobber definition of the instruction ends the value that it reads.
    const ValueId defined = interval.Query(index).value_defined();
    if (defined != kNoValue) index = std::min(index, interval.ValueDef(defined));
    uses.push_back({index, value});
  }
  return uses;
}

std::vector<LiveSegment> LiveIntervals::SegmentsForUses(const LiveRange& range, std::vector<Use> uses) {
  std::vector<LiveSegment> segments;
  for (ValueId value = 0; value < range.num_values(); ++value) {
    if (range.IsUnused(value)) continue;
    const SlotIndex def = range.ValueDef(value);
    segments.push_back({def, def.DeadSlot(), value});
  }
  BeginSearch();
  while (!uses.empty()) {
    const Use use = uses.back();
    uses.pop_back();
    const MachineBasicBlock& block = *indexes_.BlockAt(use.index.Previous());
    const SlotIndex block_start = indexes_.BlockStart(block);
    const SlotIndex def = range.ValueDef(use.value);
    const bool is_defined_here = block_start <= def && def < use.index;
    segments.push_back({is_defined_here ? def : block_start, use.index, use.value});
    if (is_defined_here && def != block_start) continue;
    // The value is live-in or a PHI-def, so the predecessors' values are needed. At the beginning of a block there
    // is only one value.
    if (!IsFirstVisit(entered_, block.number())) continue;
    for (const MachineBasicBlock* predecessor : block.predecessors()) {
      if (!IsFirstVisit(left_, predecessor->number())) continue;
      const SlotIndex end = indexes_.BlockEnd(*predecessor);
      const ValueId value = range.ValueBefore(end);
      if (value != kNoValue) uses.push_back({end, value});
    }
  }
  std::sort(segments.begin(), segments.end(),
            [](const LiveSegment& a, const LiveSegment& b) { return a.start < b.start; });
  size_t kept = 0;
  for (const LiveSegment& segment : segments) {
    if (kept > 0 && segments[kept - 1].value == segment.value && segments[kept - 1].end >= segment.start) {
      segments[kept - 1].end = std::max(segments[kept - 1].end, segment.end);
    } else {
      segments[kept++] = segment;
    }
  }
  segments.resize(kept);
  return segments;
}

bool LiveIntervals::ShrinkToUses(LiveInterval& interval, std::vector<MachineInstr*>* dead) {
  const std::vector<LiveSegment> segments = SegmentsForUses(interval, CollectUses(interval));
  std::vector<SlotIndex> defs;
  for (ValueId value = 0; value < interval.num_values(); ++value) defs.push_back(interval.ValueDef(value));
  interval.Set(segments, defs);
  RemoveDeadValues(interval, dead);
  std::vector<uint32_t> component_of_value;
  return ClassifyComponents(interval, component_of_value) > 1;
}

void LiveIntervals::RemoveDeadValues(LiveInterval& interval, std::vector<MachineInstr*>* dead) {
  for (ValueId value = 0; value < interval.num_values(); ++value) {
    if (interval.IsUnused(value)) continue;
    const SlotIndex def = interval.ValueDef(value);
    if (interval.SegmentAt(def)->end != def.DeadSlot()) continue;
    if (interval.IsPhiDef(value)) {
      interval.RemoveValue(value);
      continue;
    }
    MachineInstr* instr = indexes_.InstrAt(def);
    if (instr == nullptr) {
      // The definition has been removed.
      interval.RemoveValue(value);
    } else {
      MarkDead(interval.reg(), *instr, dead);
    }
  }
}

void LiveIntervals::MarkDead(Register reg, MachineInstr& instr, std::vector<MachineInstr*>* dead) {
  bool all_dead = true;
  bool defines = false;
  for (MachineOperand& operand : instr.operands()) {
    if (!operand.is_def()) continue;
    if (operand.reg() == reg) {
      operand.set_reg_flag(MachineOperand::kDead, true);
      defines = true;
    }
    all_dead &= operand.is_dead();
  }
  if (defines && all_dead && dead != nullptr) dead->push_back(&instr);
}

uint32_t LiveIntervals::ClassifyComponents(const LiveRange& range, std::vector<uint32_t>& component_of_value) const {
  const uint32_t count = range.num_values();
  std::vector<uint32_t> leader(count);
  for (uint32_t i = 0; i < count; ++i) leader[i] = i;
  const auto find = [&leader](uint32_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  // The smaller number becomes the leader.
  const auto join = [&](uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    leader[std::max(a, b)] = std::min(a, b);
  };
  for (ValueId value = 0; value < count; ++value) {
    if (range.IsUnused(value)) continue;
    const SlotIndex def = range.ValueDef(value);
    if (range.IsPhiDef(value)) {
      for (const MachineBasicBlock* predecessor : indexes_.BlockAt(def)->predecessors()) {
        const ValueId before = range.ValueBefore(indexes_.BlockEnd(*predecessor));
        if (before != kNoValue) join(value, before);
      }
      continue;
    }
    const ValueId before = range.ValueBefore(def);
    const MachineInstr* instr = indexes_.InstrAt(def);
    if (before == kNoValue || instr == nullptr) continue;
    const bool has_tie =
        std::any_of(instr->operands().begin(), instr->operands().end(),
                    [](const MachineOperand& operand) { return operand.is_def() && operand.is_tied(); });
    // Inside a bundle, ties are not tracked, so they are assumed.
    if (has_tie || instr->has_flag(MachineInstr::kBundledSucc)) join(value, before);
  }
  component_of_value.assign(count, 0);
  uint32_t components = 0;
  for (ValueId value = 0; value < count; ++value) {
    if (range.IsUnused(value)) continue;
    component_of_value[value] = find(value) == value ? components++ : component_of_value[find(value)];
  }
  return components;
}

ValueId LiveIntervals::ValueOfOperand(const LiveRange& range, const MachineOperand& operand) const {
  const MachineInstr& instr = *operand.parent();
  if (!instr.is_linked()) return kNoValue;
  if (instr.is_phi() && operand.is_use()) {
    return range.ValueBefore(indexes_.BlockEnd(PhiIncoming(operand).predecessor()));
  }
  if (!indexes_.HasIndex(instr)) {
    return instr.is_debug() ? range.Query(indexes_.IndexBefore(instr)).value_out() : kNoValue;
  }
  const LiveQuery query = range.Query(indexes_.InstrIndex(instr));
  if (operand.is_def()) return query.value_out_or_dead();
  // An internal read reads a value that the bundle itself defined.
  return operand.is_internal_read() ? query.value_out_or_dead() : query.value_in;
}

void LiveIntervals::RenameOperands(const LiveInterval& interval, const std::vector<uint32_t>& component_of_value,
                                   absl::Span<const Register> register_of_component) {
  std::vector<std::pair<MachineOperand*, Register>> renamed;
  for (MachineOperand& operand : function_.reg_info().Operands(interval.reg())) {
    const ValueId value = ValueOfOperand(interval, operand);
    if (value == kNoValue || component_of_value[value] == 0) continue;
    renamed.push_back({&operand, register_of_component[component_of_value[value]]});
  }
  for (const auto& [operand, reg] : renamed) operand->SetReg(reg);
}

void LiveIntervals::SplitSeparateComponents(LiveInterval& interval, std::vector<LiveInterval*>& added) {
  std::vector<uint32_t> component_of_value;
  const uint32_t count = ClassifyComponents(interval, component_of_value);
  if (count < 2) return;
  std::vector<Register> registers = {interval.reg()};
  std::vector<LiveInterval*> intervals = {&interval};
  for (uint32_t i = 1; i < count; ++i) {
    intervals.push_back(&CreateIntervalLike(interval.reg()));
    registers.push_back(intervals.back()->reg());
    added.push_back(intervals.back());
  }
  RenameOperands(interval, component_of_value, registers);
  std::vector<std::vector<LiveSegment>> segments(count);
  std::vector<std::vector<SlotIndex>> defs(count);
  std::vector<ValueId> number(interval.num_values(), kNoValue);
  for (ValueId value = 0; value < interval.num_values(); ++value) {
    if (interval.IsUnused(value)) continue;
    std::vector<SlotIndex>& of_component = defs[component_of_value[value]];
    number[value] = static_cast<ValueId>(of_component.size());
    of_component.push_back(interval.ValueDef(value));
  }
  for (const LiveSegment& segment : interval.segments()) {
    segments[component_of_value[segment.value]].push_back({segment.start, segment.end, number[segment.value]});
  }
  for (uint32_t i = 0; i < count; ++i) intervals[i]->Set(segments[i], defs[i]);
}

void LiveIntervals::HandleMove(MachineInstr& instr) {
  std::vector<Register> registers;
  for (const MachineInstr* inner = &instr; inner != nullptr; inner = inner->next()) {
    for (const MachineOperand& operand : inner->operands()) {
      if (!operand.is_reg() || !operand.reg().is_valid() || operand.is_debug()) continue;
      if (std::find(registers.begin(), registers.end(), operand.reg()) == registers.end()) {
        registers.push_back(operand.reg());
      }
    }
    if (!inner->has_flag(MachineInstr::kBundledSucc)) break;
  }
  moved_from_ = indexes_.InstrIndex(instr);
  // Until the ranges are moved, they end at an index without an instruction.
  const size_t num_stale = stale_.size();
  stale_.insert(stale_.end(), registers.begin(), registers.end());
  indexes_.MoveInstr(instr);
  stale_.resize(num_stale);
  for (const Register reg : registers) {
    if (LiveRange* range = RangeOf(reg)) MoveRegister(reg, *range, moved_from_, instr);
  }
  moved_from_ = SlotIndex();
}

void LiveIntervals::MoveRegister(Register reg, LiveRange& range, SlotIndex from, const MachineInstr& instr) {
  const SlotIndex to = indexes_.InstrIndex(instr);
  const auto moved = [&](SlotIndex index) { return SlotIndex::FromBits(to.bits() + (index.bits() - from.bits())); };
  const LiveQuery query = range.Query(from);
  // Look up both before either is moved.
  const LiveSegment* in = query.value_in != kNoValue ? range.SegmentAt(from) : nullptr;
  const ValueId defined = query.value_defined();
  const LiveSegment* out = defined != kNoValue ? range.SegmentAt(range.ValueDef(defined)) : nullptr;
  bool reads = false;
  SlotIndex last_use = to;
  for (const MachineOperand& operand : function_.reg_info().NonDebugUses(reg)) {
    const MachineInstr& user = *operand.parent();
    if (!LiveRangeCalc::ReadsValue(operand) || user.is_phi() || user.parent() != instr.parent()) continue;
    const SlotIndex index = indexes_.InstrIndex(user);
    if (index == to) {
      reads = true;
    } else if (range.Query(index).value_in != query.value_in) {
      continue;
    }
    last_use = std::max(last_use, LiveRangeCalc::UseIndex(user, operand.operand_number(), index));
  }
  if (in != nullptr && reads) {
    const bool ended_here = SlotIndex::IsSameInstr(in->end, from);
    // If the instruction also defines the register, the value ends where the definition begins.
    const SlotIndex end = ended_here ? (out != nullptr ? moved(in->end) : last_use) : std::max(in->end, last_use);
    range.SetSegmentBounds(in, in->start, end);
  }
  if (out != nullptr) {
    const SlotIndex start = moved(out->start);
    range.SetValueDef(defined, start);
    range.SetSegmentBounds(out, start, query.is_dead_def() ? start.DeadSlot() : out->end);
  }
}

}  // namespace ptxmir
