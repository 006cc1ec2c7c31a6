// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/live_intervals.h"

#include <algorithm>
#include <cassert>
#include <new>

#include "absl/strings/str_format.h"
#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"

namespace ptxmir {

LiveIntervals::LiveIntervals(MachineFunction& function, AnalysisManager& analyses)
    : function_(function), indexes_(analyses.Get<SlotIndexes>()), calc_(function, indexes_) {
  CreateIntervals(function.reg_info().num_virtual_registers());
  ComputeAll();
  indexes_.AddListener(*this);
}

LiveIntervals::LiveIntervals(MachineFunction& function, AnalysisManager& analyses, absl::Span<const Register> registers)
    : function_(function), indexes_(analyses.Get<SlotIndexes>()), calc_(function, indexes_) {
  // How many times as long one register takes as its share of all.
  constexpr size_t kCostOfOne = 2;
  CreateIntervals(function.reg_info().num_virtual_registers());
  if (registers.size() * kCostOfOne > num_intervals_) {
    ComputeAll();
  } else {
    for (const Register reg : registers) {
      if (Interval(reg).num_values() == 0) calc_.Compute(reg, Interval(reg));
    }
  }
  indexes_.AddListener(*this);
}

void LiveIntervals::ComputeAll() {
  physical_.resize(function_.target().phys_regs.size());
  calc_.ComputeAll([this](Register reg) -> LiveRange& {
    if (reg.is_virtual()) return Interval(reg);
    physical_[reg.bits()] = std::make_unique<LiveRange>(pool_);
    return *physical_[reg.bits()];
  });
}

void LiveIntervals::CreateIntervals(uint32_t count) {
  const uint32_t wanted = (count + kChunk - 1) / kChunk;
  if (wanted > chunks_.size()) {
    const size_t added = wanted - chunks_.size();
    chunk_memory_.push_back(AllocateLargeArray<Chunk>(added));
    for (size_t i = 0; i < added; ++i) chunks_.push_back(&chunk_memory_.back()[i]);
  }
  for (; num_intervals_ < count; ++num_intervals_) {
    new (IntervalAt(num_intervals_)) LiveInterval(pool_, Register::Virtual(num_intervals_));
  }
}

const LiveRange* LiveIntervals::PhysicalRange(Register reg) const {
  return reg.bits() < physical_.size() ? physical_[reg.bits()].get() : nullptr;
}

LiveRange* LiveIntervals::RangeOf(Register reg) {
  if (HasInterval(reg)) return &Interval(reg);
  return reg.is_physical() && reg.bits() < physical_.size() ? physical_[reg.bits()].get() : nullptr;
}

MachineBasicBlock* LiveIntervals::OnlyBlock(const LiveRange& range) const {
  if (range.empty()) return nullptr;
  MachineBasicBlock* block = indexes_.BlockAt(range.begin_index());
  // A range up to the very end of the block leaves it.
  return range.begin_index() > indexes_.BlockStart(*block) && range.end_index() < indexes_.BlockEnd(*block) ? block
                                                                                                            : nullptr;
}

LiveInterval& LiveIntervals::CreateEmptyInterval(Register reg) {
  CreateIntervals(reg.virtual_index() + 1);
  return Interval(reg);
}

LiveInterval& LiveIntervals::CreateIntervalLike(Register reg) {
  MachineRegisterInfo& reg_info = function_.reg_info();
  return CreateEmptyInterval(reg_info.CreateVirtualRegister(reg_info.reg_class(reg)));
}

LiveInterval& LiveIntervals::ComputeInterval(Register reg) {
  LiveInterval& interval = CreateEmptyInterval(reg);
  interval.Clear();
  calc_.Compute(reg, interval);
  return interval;
}

void LiveIntervals::RemoveInstr(const MachineInstr& instr) {
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_reg() && operand.reg().is_valid()) stale_.push_back(operand.reg());
  }
  indexes_.RemoveInstr(instr);
}

LiveSegment LiveIntervals::AddSegmentToEndOfBlock(Register reg, const MachineInstr& instr) {
  LiveInterval& interval = CreateEmptyInterval(reg);
  const SlotIndex def = indexes_.InstrIndex(instr).RegSlot();
  const LiveSegment segment{def, indexes_.BlockEnd(*instr.parent()), interval.CreateValue(def)};
  interval.AddSegment(segment);
  return segment;
}

void LiveIntervals::RenumberRegister(Register reg, const SlotRenumbering& renumbering) {
  LiveRange* range = RangeOf(reg);
  if (range == nullptr) return;
  const size_t number = reg.is_virtual() ? reg.virtual_index() + physical_.size() : reg.bits();
  if (renumbered_.size() <= number) renumbered_.resize(std::max(number + 1, physical_.size() + num_intervals_), 0);
  if (std::exchange(renumbered_[number], num_renumberings_) == num_renumberings_) return;
  range->Renumber(renumbering);
}

void LiveIntervals::OnRenumbering(const SlotRenumbering& renumbering) {
  ++num_renumberings_;
  if (moved_from_.is_valid()) moved_from_ = renumbering.Map(moved_from_);
  if (renumbering.begin() == indexes_.begin()) {
    for (uint32_t i = 0; i < num_intervals_; ++i) IntervalAt(i)->Renumber(renumbering);
    for (const std::unique_ptr<LiveRange>& range : physical_) {
      if (range != nullptr) range->Renumber(renumbering);
    }
    return;
  }
  for (const SlotRenumbering::Change& change : renumbering.changes()) {
    for (const MachineInstr* instr = indexes_.InstrAt(change.to); instr != nullptr; instr = instr->next()) {
      for (const MachineOperand& operand : instr->operands()) {
        if (operand.is_reg() && operand.reg().is_valid()) RenumberRegister(operand.reg(), renumbering);
      }
      if (!instr->has_flag(MachineInstr::kBundledSucc)) break;
    }
  }
  for (const Register reg : stale_) RenumberRegister(reg, renumbering);
}

void LiveIntervals::Print(std::string& out) const {
  StrAppend(&out, "Live intervals for machine function: ", function_.name(), ":\n********** INTERVALS **********\n");
  for (size_t i = 0; i < physical_.size(); ++i) {
    if (physical_[i] == nullptr) continue;
    StrAppend(&out, RegisterName(function_, Register::Physical(static_cast<uint32_t>(i))), " ");
    physical_[i]->Print(indexes_, out);
    out += '\n';
  }
  for (uint32_t i = 0; i < num_intervals_; ++i) {
    const LiveInterval& interval = *IntervalAt(i);
    if (!function_.reg_info().IsReferenced(interval.reg()) && interval.empty()) continue;
    StrAppend(&out, RegisterName(function_, interval.reg()), " ");
    interval.Print(indexes_, out);
    StrAppend(&out, FromAbsl(absl::StrFormat("  weight:%e\n", interval.weight())));
  }
  out += "RegMasks:\n********** MACHINEINSTRS **********\n";
  for (const MachineBasicBlock& block : function_) {
    StrAppend(&out, indexes_.ToString(indexes_.BlockStart(block)), "\t");
    WriteBlockName(block, out);
    out += ":\n";
    for (const MachineInstr& instr : block) {
      if (SlotIndexes::IsIndexed(instr)) indexes_.Print(indexes_.InstrIndex(instr), out);
      out += "\t  ";
      WriteInstr(instr, {}, out);
      if (out.back() != '\n') out += '\n';
    }
  }
}

std::string LiveIntervals::Check() const {
  for (uint32_t i = 0; i < num_intervals_; ++i) {
    const std::string flaw = IntervalAt(i)->Check();
    if (!flaw.empty()) return StrCat(RegisterName(function_, Register::Virtual(i)), ": ", flaw);
  }
  return "";
}

namespace {

// Translates a point to the numbering of a later computation. Invalid for a removed instruction.
SlotIndex Translate(SlotIndex index, const SlotIndexes& from, const SlotIndexes& to) {
  if (!index.is_valid()) return index;
  const uint32_t slot = index.bits() - index.Base().bits();
  if (const MachineInstr* instr = from.InstrAt(index)) {
    return SlotIndex::FromBits(to.InstrIndex(*instr).bits() + slot);
  }
  if (index == from.end()) return to.end();
  const MachineBasicBlock* block = from.BlockAt(index);
  return block != nullptr && from.BlockStart(*block) == index ? to.BlockStart(*block) : SlotIndex();
}

}  // namespace

std::string LiveIntervals::RangeDifference(Register reg, const LiveRange& range, const LiveRange& fresh_range,
                                           const SlotIndexes& fresh_indexes) const {
  const auto differs = [&](const char* what) {
    std::string text = StrCat(what, " of ", RegisterName(function_, reg), " differ: ");
    range.Print(indexes_, text);
    text += " should be ";
    fresh_range.Print(fresh_indexes, text);
    return text;
  };
  if (range.segments().size() != fresh_range.segments().size()) return differs("segments");
  std::vector<ValueId> fresh_value(range.num_values(), kNoValue);
  for (size_t i = 0; i < range.segments().size(); ++i) {
    const LiveSegment& segment = range.segments()[i];
    const LiveSegment& fresh = fresh_range.segments()[i];
    if (Translate(segment.start, indexes_, fresh_indexes) != fresh.start ||
        Translate(segment.end, indexes_, fresh_indexes) != fresh.end) {
      return differs("segments");
    }
    ValueId& value = fresh_value[segment.value];
    if (value == kNoValue) value = fresh.value;
    if (value != fresh.value ||
        Translate(range.ValueDef(segment.value), indexes_, fresh_indexes) != fresh_range.ValueDef(fresh.value)) {
      return differs("values");
    }
  }
  return "";
}

std::string LiveIntervals::DifferenceFrom(const Analysis& fresh) const {
  const LiveIntervals& other = static_cast<const LiveIntervals&>(fresh);
  if (num_intervals_ > other.num_intervals_) return "there are intervals of registers that do not exist";
  for (uint32_t i = 0; i < other.num_intervals_; ++i) {
    const Register reg = Register::Virtual(i);
    if (i >= num_intervals_) {
      if (!other.Interval(reg).empty()) return StrCat(RegisterName(function_, reg), " has no interval");
      continue;
    }
    std::string difference = RangeDifference(reg, Interval(reg), other.Interval(reg), other.indexes_);
    if (!difference.empty()) return difference;
  }
  for (size_t i = 0; i < physical_.size(); ++i) {
    const Register reg = Register::Physical(static_cast<uint32_t>(i));
    if (physical_[i] == nullptr || other.physical_[i] == nullptr) {
      if (physical_[i] == nullptr && other.physical_[i] != nullptr)
        return StrCat(RegisterName(function_, reg), " has no range");
      continue;
    }
    std::string difference = RangeDifference(reg, *physical_[i], *other.physical_[i], other.indexes_);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace ptxmir
