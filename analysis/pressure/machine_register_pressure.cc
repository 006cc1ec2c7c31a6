// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/machine_register_pressure.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "analysis/register_name.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

std::vector<Register> ToRegisters(const PressureSegments::Row& row) {
  std::vector<Register> registers;
  registers.reserve(row.size());
  for (const uint32_t reg : row) registers.push_back(Register::Virtual(reg));
  return registers;
}

std::string RegisterList(const MachineFunction& function, absl::Span<const uint32_t> registers) {
  std::string text;
  for (const uint32_t reg : registers) StrAppend(&text, " ", RegisterName(function, Register::Virtual(reg)));
  return text;
}

std::string PeakText(const PeakPressure& peak) { return StrCat(ToString(peak.classes), "; units ", peak.units); }

std::string PointText(const RegisterPressure& pressure) { return PeakText(PeakPressure(pressure)); }

}  // namespace

std::string ToString(const RegisterPressure& pressure) {
  std::string text;
  for (size_t c = 0; c < kNumPressureClasses; ++c) {
    StrAppend(&text, c == 0 ? "" : ", ", kPressureClassNames[c], " ", pressure.counts[c]);
  }
  return text;
}

void MachineRegisterPressure::Maxima::Reset(size_t size) {
  size_ = size;
  leaves_ = std::bit_ceil(std::max<size_t>(size, 1));
  nodes_.assign(2 * leaves_, PeakPressure());
}

void MachineRegisterPressure::Maxima::Set(size_t i, const PeakPressure& peak) {
  i += leaves_;
  nodes_[i] = peak;
  for (i /= 2; i > 0; i /= 2) {
    PeakPressure both = nodes_[2 * i];
    both.Include(nodes_[2 * i + 1]);
    if (nodes_[i] == both) return;
    nodes_[i] = both;
  }
}

MachineRegisterPressure::MachineRegisterPressure(MachineFunction& function, uint32_t segment_length)
    : function_(function), segments_(function), update_(segments_, segment_length) {
  Recompute();
}

MachineRegisterPressure::~MachineRegisterPressure() = default;

void MachineRegisterPressure::Recompute() {
  segments_.Compute();
  update_.Reset();
  knows_maxima_ = false;
}

void MachineRegisterPressure::ComputeMaxima() const {
  // Reserves room for splits of segments, so that not every split needs another computation.
  maxima_.Reset(segments_.num_segments() + segments_.num_segments() / 4);
  for (uint32_t id = 0; id < segments_.num_segments(); ++id) {
    segments_.ScanIfNeeded(id);
    maxima_.Set(id, segments_.segment(id).peak);
  }
  knows_maxima_ = true;
}

void MachineRegisterPressure::Update() const {
  if (!update_.is_pending()) return;
  changed_.clear();
  update_.Flush(changed_);
  UpdateMaxima();
}

void MachineRegisterPressure::UpdateMaxima() const {
  if (!knows_maxima_) return;
  if (segments_.num_segments() > maxima_.size()) {
    ComputeMaxima();
    return;
  }
  for (const PressureSegments::SegmentId id : changed_) maxima_.Set(id, segments_.segment(id).peak);
}

PeakPressure MachineRegisterPressure::MaxPressure() const {
  Update();
  if (!knows_maxima_) ComputeMaxima();
  return maxima_.maximum();
}
uint32_t MachineRegisterPressure::MaxUnits() const { return MaxPressure().units; }
uint32_t MachineRegisterPressure::MaxPredicates() const { return MaxPressure().predicates(); }

BlockPressure MachineRegisterPressure::Block(const MachineBasicBlock& block) const {
  Update();
  PressureSegments::SegmentId id = segments_.first_segment(block.number());
  BlockPressure pressure;
  segments_.ScanIfNeeded(id);
  pressure.entry = segments_.segment(id).entry();
  for (; id != PressureSegments::kNone; id = segments_.segment(id).next) {
    segments_.ScanIfNeeded(id);
    pressure.peak.Include(segments_.segment(id).peak);
    pressure.exit = segments_.segment(id).out;
  }
  return pressure;
}

std::vector<MachineBasicBlock*> MachineRegisterPressure::BlocksWhere(bool (*over)(const PeakPressure&, uint32_t),
                                                                     uint32_t limit) const {
  std::vector<MachineBasicBlock*> blocks;
  if (!over(MaxPressure(), limit)) return blocks;
  for (MachineBasicBlock& block : function_) {
    PressureSegments::SegmentId id = segments_.first_segment(block.number());
    while (id != PressureSegments::kNone && !over(segments_.segment(id).peak, limit)) id = segments_.segment(id).next;
    if (id != PressureSegments::kNone) blocks.push_back(&block);
  }
  return blocks;
}

std::vector<MachineBasicBlock*> MachineRegisterPressure::BlocksOver(uint32_t units) const {
  return BlocksWhere([](const PeakPressure& peak, uint32_t limit) { return peak.units > limit; }, units);
}

std::vector<MachineBasicBlock*> MachineRegisterPressure::BlocksOverPredicates(uint32_t predicates) const {
  return BlocksWhere([](const PeakPressure& peak, uint32_t limit) { return peak.predicates() > limit; }, predicates);
}

InstrPressure MachineRegisterPressure::Instr(const MachineInstr& instr) const {
  Update();
  return segments_.ScanOne(segments_.SegmentOf(instr), instr);
}

std::vector<InstrPressure> MachineRegisterPressure::Instrs(const MachineBasicBlock& block) const {
  Update();
  std::vector<InstrPressure> instrs;
  for (PressureSegments::SegmentId id = segments_.last_segment(block.number()); id != PressureSegments::kNone;
       id = segments_.segment(id).previous) {
    segments_.ScanInstrs(id, instrs);
  }
  std::reverse(instrs.begin(), instrs.end());
  return instrs;
}

void MachineRegisterPressure::UnitsAtInstrs(const MachineBasicBlock& block, std::vector<uint32_t>& units) const {
  Update();
  units.clear();
  for (PressureSegments::SegmentId id = segments_.last_segment(block.number()); id != PressureSegments::kNone;
       id = segments_.segment(id).previous) {
    segments_.ScanUnits(id, units);
  }
  std::reverse(units.begin(), units.end());
}

absl::Span<const uint32_t> MachineRegisterPressure::LiveIns(const MachineBasicBlock& block) const {
  Update();
  return segments_.live_in(segments_.first_segment(block.number()));
}

absl::Span<const uint32_t> MachineRegisterPressure::LiveOuts(const MachineBasicBlock& block) const {
  Update();
  return segments_.live_out(segments_.last_segment(block.number()));
}

void MachineRegisterPressure::UpdateLiveness(uint32_t reg) const {
  // A search through more edits costs as much as processing all of them.
  constexpr size_t kMaxTouches = 256;
  if (update_.num_touches() > kMaxTouches) {
    Update();
  } else {
    update_.UpdateLiveness(reg);
  }
}

bool MachineRegisterPressure::IsLiveIn(const MachineBasicBlock& block, Register reg) const {
  if (!reg.is_virtual()) return false;
  UpdateLiveness(reg.virtual_index());
  return segments_.IsLiveIn(segments_.first_segment(block.number()), reg.virtual_index());
}

bool MachineRegisterPressure::IsLiveOut(const MachineBasicBlock& block, Register reg) const {
  if (!reg.is_virtual()) return false;
  UpdateLiveness(reg.virtual_index());
  return segments_.IsLiveOut(segments_.last_segment(block.number()), reg.virtual_index());
}

std::vector<Register> MachineRegisterPressure::LiveBefore(const MachineInstr& instr) const {
  Update();
  return ToRegisters(segments_.LiveAt(segments_.SegmentOf(instr), instr, /*after=*/false));
}

std::vector<Register> MachineRegisterPressure::LiveAfter(const MachineInstr& instr) const {
  Update();
  return ToRegisters(segments_.LiveAt(segments_.SegmentOf(instr), instr, /*after=*/true));
}

bool MachineRegisterPressure::Survives(Register reg, const MachineInstr& instr) const {
  const bool is_result = std::any_of(instr.operands().begin(), instr.operands().end(),
                                     [&](const MachineOperand& o) { return o.is_def() && o.reg() == reg; });
  if (is_result) return false;
  const std::vector<Register> live = LiveAfter(instr);
  return std::find(live.begin(), live.end(), reg) != live.end();
}

void MachineRegisterPressure::AppendResults(const MachineInstr& instr, bool early_clobber,
                                            std::vector<Register>& registers) const {
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_def() || segments_.CountedRegister(operand) == PressureSegments::kNone) continue;
    if (early_clobber) {
      if (!operand.is_early_clobber()) continue;
      // A result that takes over the register of an operand which ends here.
      const MachineOperand* tied = operand.is_tied() ? &instr.operand(instr.FindTiedOperand(i)) : nullptr;
      if (tied != nullptr && tied->reads_reg() && segments_.CountedRegister(*tied) != PressureSegments::kNone &&
          !Survives(tied->reg(), instr)) {
        continue;
      }
    }
    registers.push_back(operand.reg());
  }
}

MachineRegisterPressure::PeakPoint MachineRegisterPressure::LiveAtPeak(const MachineBasicBlock& block) const {
  const uint32_t units = Block(block).peak.units;
  PressureSegments::SegmentId id = segments_.first_segment(block.number());
  while (segments_.segment(id).peak.units != units) id = segments_.segment(id).next;
  if (const MachineInstr* const instr = segments_.FirstPeak(id)) return LiveAtPeakOf(*instr);
  PeakPoint point;
  point.live = ToRegisters(segments_.live_out(segments_.last_segment(block.number())));
  return point;
}

MachineRegisterPressure::PeakPoint MachineRegisterPressure::LiveAtPeakOf(const MachineInstr& instr) const {
  Update();
  PeakPoint point;
  point.instr = &instr;
  if (instr.is_phi()) {
    const InstrPressure pressure = Instr(instr);
    point.at_writes = pressure.at_reads.units() < pressure.at_writes.units();
    point.live = point.at_writes ? LiveAfter(instr) : LiveBefore(instr);
    return point;
  }
  point.live = ToRegisters(segments_.LiveAtMost(segments_.SegmentOf(instr), instr, point.at_writes));
  // Adds what it defines at this point: all results, or, while it reads, the early-clobber results that need a
  // register of their own.
  AppendResults(instr, !point.at_writes, point.live);
  std::sort(point.live.begin(), point.live.end());
  point.live.erase(std::unique(point.live.begin(), point.live.end()), point.live.end());
  return point;
}

void MachineRegisterPressure::WillReplaceRegister(Register from, Register to) {
  if (from == to || !from.is_virtual() || !to.is_virtual()) return;
  update_.WillReplaceRegister(from.virtual_index(), to.virtual_index());
}

void MachineRegisterPressure::DidSplitEdge(const MachineBasicBlock& predecessor, const MachineBasicBlock& middle,
                                           const MachineBasicBlock& successor) {
  assert(!update_.is_pending() && "call Update() before the control flow changes");
  changed_.assign(1, segments_.AddBlockOnEdge(predecessor, middle, successor));
  UpdateMaxima();
}

void MachineRegisterPressure::WillSplitBlock(MachineInstr& at) {
  Update();
  split_ = segments_.SegmentOf(at);
  if (segments_.SegmentBeginningAt(at) == split_) return;
  const PressureSegments::SegmentId head = split_;
  split_ = segments_.Split(head, at);
  segments_.Scan(head);
  segments_.Scan(split_);
  changed_.assign({head, split_});
  UpdateMaxima();
}

void MachineRegisterPressure::DidSplitBlock(const MachineBasicBlock& tail) { segments_.MoveToNewBlock(split_, tail); }

RaisedPressure MachineRegisterPressure::WhatIfReplaced(Register from, Register to) const {
  Update();
  const MachineInstr* def = function_.reg_info().UniqueDef(from);
  if (def == nullptr || from == to) return {};
  // The maxima that the trial changes must be known before it.
  if (!knows_maxima_) ComputeMaxima();
  changed_.clear();
  const RaisedPressure raised = update_.Try(from.virtual_index(), to.virtual_index(), *def, changed_);
  UpdateMaxima();
  return raised;
}

void MachineRegisterPressure::Print(std::string& out) const {
  const PeakPressure max = MaxPressure();
  StrAppend(&out, "Register pressure of '", function_.name(), "': ", max.units, " units, ", max.predicates(),
            " predicates\n");
  for (const MachineBasicBlock& block : function_) {
    const BlockPressure pressure = Block(block);
    StrAppend(&out, "%bb.", block.number(), ":\n  live-in:", RegisterList(function_, LiveIns(block)),
              "\n  live-out:", RegisterList(function_, LiveOuts(block)), "\n");
    StrAppend(&out, "  entry: ", PointText(pressure.entry), "\n  peak:  ", PeakText(pressure.peak),
              "\n  exit:  ", PointText(pressure.exit), "\n");
  }
}

std::string MachineRegisterPressure::BlockDifference(const MachineBasicBlock& block,
                                                     const MachineRegisterPressure& fresh) const {
  const auto differs = [&](std::string_view what) { return StrCat("%bb.", block.number(), ": ", what, " differs"); };
  const BlockPressure mine = Block(block);
  const BlockPressure theirs = fresh.Block(block);
  if (LiveIns(block) != fresh.LiveIns(block)) return differs("live-in");
  if (LiveOuts(block) != fresh.LiveOuts(block)) return differs("live-out");
  if (!(mine.entry == theirs.entry)) return differs("pressure at the entry");
  if (!(mine.peak == theirs.peak)) return differs("peak pressure");
  if (!(mine.exit == theirs.exit)) return differs("pressure at the exit");
  return "";
}

std::string MachineRegisterPressure::DifferenceFrom(const Analysis& fresh) const {
  const MachineRegisterPressure& other = static_cast<const MachineRegisterPressure&>(fresh);
  for (const MachineBasicBlock& block : function_) {
    if (!segments_.KnowsBlock(block.number())) {
      return StrCat("%bb.", block.number(), " is unknown");
    }
    const std::string difference = BlockDifference(block, other);
    if (!difference.empty()) return difference;
  }
  if (!(MaxPressure() == other.MaxPressure())) return "maximum of the function differs";
  return "";
}

void MachineRegisterPressure::PrintBlockDetails(const MachineBasicBlock& block, const MachineRegisterPressure& fresh,
                                                std::string& out) const {
  const BlockPressure mine = Block(block);
  const BlockPressure theirs = fresh.Block(block);
  const auto line = [&](std::string_view what, const std::string& is, const std::string& should_be) {
    if (is == should_be) return;
    StrAppend(&out, "\n  %bb.", block.number(), " ", what, ":", is, " (recomputed:", should_be, ")");
  };
  line("live-in", RegisterList(function_, LiveIns(block)), RegisterList(function_, fresh.LiveIns(block)));
  line("live-out", RegisterList(function_, LiveOuts(block)), RegisterList(function_, fresh.LiveOuts(block)));
  line("entry", StrCat(" ", PointText(mine.entry)), StrCat(" ", PointText(theirs.entry)));
  line("peak", StrCat(" ", PeakText(mine.peak)), StrCat(" ", PeakText(theirs.peak)));
  line("exit", StrCat(" ", PointText(mine.exit)), StrCat(" ", PointText(theirs.exit)));
}

bool MachineRegisterPressure::VerifyUpdate(bool print_verify, DiagnosticEngine& diagnostics) const {
  const MachineRegisterPressure fresh(function_);
  const std::string difference = DifferenceFrom(fresh);
  if (difference.empty()) return true;
  std::string message =
      StrCat("Incorrect RP info from incremental MRPA update in function '", function_.name(), "': ", difference);
  if (print_verify) {
    for (const MachineBasicBlock& block : function_) {
      if (segments_.KnowsBlock(block.number())) PrintBlockDetails(block, fresh, message);
    }
  }
  diagnostics.Error(message);
  return false;
}

}  // namespace ptxmir
