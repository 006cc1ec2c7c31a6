// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/pressure_segments.h"

#include <utility>

#include "analysis/liveness/backward_reachability.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {

// Walks backwards over the instructions of a segment and tracks what is live.
class BackwardScan {
 public:
  BackwardScan(PressureSegments& segments, PressureSegments::SegmentId id)
      : segments_(segments), row_(segments.live_out(id)), now_(segments.segment(id).out), units_(now_.units()) {
    std::vector<uint32_t>& states = segments.scan_state_;
    const uint32_t num_registers = segments.function().reg_info().num_virtual_registers();
    if (states.size() < num_registers) states.resize(num_registers);
    if (++segments.scan_number_ == uint32_t{1} << 31) {
      std::fill(states.begin(), states.end(), 0);
      segments.scan_number_ = 1;
    }
    states_ = states.data();
    dead_ = segments.scan_number_ << 1;
    peak_ = PeakPressure(now_);
    // Looking up each operand in a row costs more, unless the row is much longer than the segment.
    constexpr uint32_t kLookUpFrom = 8;
    knows_row_ = row_.size() <= size_t{kLookUpFrom} * segments.segment(id).length;
    if (!knows_row_) return;
    for (const uint32_t reg : row_) states_[reg] = dead_ | 1;
  }

  const RegisterPressure& now() const { return now_; }
  const PeakPressure& peak() const { return peak_; }

  // Steps over an instruction that is not a PHI. Returns the most units that are live while it is executed.
  uint32_t StepOver(const MachineInstr& instr) {
    const absl::Span<const MachineOperand> operands = instr.operands();
    unsigned num_defs = 0;
    bool has_early_clobber = false;
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      ++num_defs;
      has_early_clobber |= operand.is_early_clobber();
      Birth(CountedOf(operand));
    }
    const uint32_t units_at_writes = units_;
    for (const MachineOperand* operand = operands.data(); num_defs > 0; ++operand) {
      if (!operand->is_def()) continue;
      Death(CountedOf(*operand));
      --num_defs;
    }
    if (has_early_clobber) CollectEarlyClobbers(instr);
    for (const MachineOperand& operand : operands) {
      if (operand.reads_reg()) Birth(CountedOf(operand));
    }
    return std::max(units_at_writes, has_early_clobber ? CountEarlyClobbers().units() : units_);
  }

  // Does the same, and returns the pressure around the instruction.
  InstrPressure Describe(const MachineInstr& instr) {
    const absl::Span<const MachineOperand> operands = instr.operands();
    InstrPressure details;
    details.instr = &instr;
    details.exit = now_;
    bool has_early_clobber = false;
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      has_early_clobber |= operand.is_early_clobber();
      Birth(CountedOf(operand));
    }
    details.at_writes = now_;
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      const Counted def = CountedOf(operand);
      if (Death(def)) ++details.births.counts[def.pressure_class];
    }
    if (has_early_clobber) CollectEarlyClobbers(instr);
    for (const MachineOperand& operand : operands) {
      if (!operand.reads_reg()) continue;
      const Counted use = CountedOf(operand);
      if (Birth(use)) ++details.last_uses.counts[use.pressure_class];
    }
    details.entry = now_;
    details.at_reads = has_early_clobber ? CountEarlyClobbers() : now_;
    return details;
  }

  // Steps over the PHIs of which `last` is the last one. Returns the pressure of their results.
  RegisterPressure StepOverPhis(const MachineInstr& last, std::vector<InstrPressure>* details) {
    const RegisterPressure exit = now_;
    RegisterPressure defs;
    AddDeadResults(last);
    const RegisterPressure entry = now_;
    for (const MachineInstr* phi = &last; phi != nullptr; phi = phi->previous()) {
      if (!segments_.Counts(*phi)) continue;
      InstrPressure at_phi;
      at_phi.instr = phi;
      at_phi.entry = at_phi.at_reads = at_phi.at_writes = entry;
      at_phi.exit = exit;
      for (const MachineOperand& operand : phi->operands()) {
        if (!operand.is_def()) continue;
        const Counted def = CountedOf(operand);
        if (Death(def)) ++at_phi.births.counts[def.pressure_class];
      }
      defs += at_phi.births;
      if (details != nullptr) details->push_back(at_phi);
    }
    return defs;
  }

  // Makes the PHI results that are never read live, for the PHIs up to `last`.
  void AddDeadResults(const MachineInstr& last) {
    for (const MachineInstr* phi = &last; phi != nullptr; phi = phi->previous()) {
      if (!segments_.Counts(*phi)) continue;
      for (const MachineOperand& operand : phi->operands()) {
        if (operand.is_def()) Birth(CountedOf(operand));
      }
    }
  }

  // Returns the registers that are live here. `seen` holds all registers of the instructions walked over.
  PressureSegments::Row Live(const std::vector<uint32_t>& seen) {
    PressureSegments::Row live;
    for (const uint32_t reg : row_) {
      if (IsLive(reg)) live.push_back(reg);
    }
    const size_t from_row = live.size();
    for (const uint32_t reg : seen) {
      if (IsLive(reg) && !PressureSegments::Contains(row_, reg)) live.push_back(reg);
    }
    std::sort(live.begin() + static_cast<std::ptrdiff_t>(from_row), live.end());
    live.erase(std::unique(live.begin() + static_cast<std::ptrdiff_t>(from_row), live.end()), live.end());
    std::inplace_merge(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(from_row), live.end());
    return live;
  }

 private:
  // A register with its pressure class.
  struct Counted {
    uint32_t reg;
    uint32_t pressure_class;
    bool counts() const { return pressure_class != PressureClassMap::kNotCounted; }
  };

  // Returns the register of a register operand, as the overlay has it.
  Counted CountedOf(const MachineOperand& operand) const {
    if (!operand.reg().is_virtual()) return {0, PressureClassMap::kNotCounted};
    const uint32_t reg = operand.reg().virtual_index();
    const Counted counted = {reg, reg_classes_[reg_info_.reg_class(operand.reg())]};
    if (reg != overlay_.from || !counted.counts()) return counted;
    return {overlay_.to, segments_.ClassOf(overlay_.to)};
  }

  bool IsLive(uint32_t reg) {
    const uint32_t state = states_[reg];
    if (state - dead_ <= 1) return state != dead_;
    if (knows_row_) return false;
    const bool live = PressureSegments::Contains(row_, reg);
    states_[reg] = dead_ | static_cast<uint32_t>(live);
    return live;
  }

  // Makes a register live. Returns false if it is already live or does not count.
  [[gnu::always_inline]] bool Birth(Counted counted) {
    if (!counted.counts() || IsLive(counted.reg)) return false;
    states_[counted.reg] = dead_ | 1;
    const uint32_t c = counted.pressure_class;
    peak_.classes.counts[c] = std::max(peak_.classes.counts[c], ++now_.counts[c]);
    units_ += kPressureUnits[c];
    peak_.units = std::max(peak_.units, units_);
    return true;
  }
  // Makes a register dead. Returns false if it is already dead or does not count.
  [[gnu::always_inline]] bool Death(Counted counted) {
    if (!counted.counts() || !IsLive(counted.reg)) return false;
    states_[counted.reg] = dead_;
    --now_.counts[counted.pressure_class];
    units_ -= kPressureUnits[counted.pressure_class];
    return true;
  }

  // Early-clobber results need a register in addition to those that are read, unless they are tied to an operand
  // that ends here. Called after the results were removed and before the operands become live.
  void CollectEarlyClobbers(const MachineInstr& instr) {
    early_clobbers_.clear();
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      const MachineOperand& operand = instr.operand(i);
      if (!operand.is_def() || !operand.is_early_clobber()) continue;
      const Counted def = CountedOf(operand);
      if (!def.counts()) continue;
      if (operand.is_tied()) {
        const MachineOperand& use = instr.operand(instr.FindTiedOperand(i));
        if (use.reads_reg()) {
          const Counted used = CountedOf(use);
          if (used.counts() && !IsLive(used.reg)) continue;
        }
      }
      early_clobbers_.push_back(def);
    }
  }
  // Returns the pressure with the early-clobber results.
  RegisterPressure CountEarlyClobbers() {
    size_t added = 0;
    for (const Counted& def : early_clobbers_) {
      // One that is also read is already live.
      if (Birth(def)) early_clobbers_[added++] = def;
    }
    const RegisterPressure at_reads = now_;
    for (size_t i = 0; i < added; ++i) Death(early_clobbers_[i]);
    return at_reads;
  }

  PressureSegments& segments_;
  const MachineRegisterInfo& reg_info_ = segments_.function().reg_info();
  const PressureClassMap& reg_classes_ = segments_.class_map_;
  const PressureSegments::Overlay overlay_ = segments_.overlay();
  const PressureSegments::Row& row_;
  // By register: `dead_`, one more if it is live, or anything else if it is as it is in the row.
  uint32_t* states_;
  uint32_t dead_;
  bool knows_row_ = false;  // the state of all registers of the row is set
  RegisterPressure now_;
  uint32_t units_;
  PeakPressure peak_;
  std::vector<Counted> early_clobbers_;
};

// The reads and definitions of the instructions, for the propagation: a list for each register.
struct PressureSegments::UpwardExposed {
  static constexpr uint32_t kMany = kNone - 1;
  struct Event {
    SegmentId segment;
    uint32_t next;  // the next event of the list, or kNone
  };
  struct OfRegister {
    uint32_t def_in = kNone;          // the block that defines it, kNone or kMany
    uint32_t defined = 0;             // 1 + the last block in which it was defined
    uint32_t read = 0;                // 1 + the last block in which it was read before a definition
    uint32_t first_read = kNone;      // exposed at the top of a block
    uint32_t first_phi_read = kNone;  // at the end of a block
    uint32_t first_def = kNone;       // only if it is defined in several blocks
  };

  std::vector<OfRegister> registers;
  std::vector<Event> events;

  void Add(uint32_t& list, SegmentId segment) {
    events.push_back({segment, list});
    list = static_cast<uint32_t>(events.size()) - 1;
  }
  void AddDef(uint32_t reg, BlockNumber block) {
    OfRegister& of_register = registers[reg];
    if (of_register.defined == block + 1) return;
    of_register.defined = block + 1;
    if (of_register.def_in == kNone) {
      of_register.def_in = block;
      return;
    }
    if (of_register.def_in != kMany) Add(of_register.first_def, of_register.def_in);
    of_register.def_in = kMany;
    Add(of_register.first_def, block);
  }
  template <typename Visit>
  void ForEach(uint32_t list, Visit visit) const {
    for (; list != kNone; list = events[list].next) visit(events[list].segment);
  }
};

void PressureSegments::CollectInstr(const MachineInstr& instr, BlockNumber block, UpwardExposed& exposed) {
  const absl::Span<const MachineOperand> operands = instr.operands();
  if (instr.is_phi()) {
    for (const PhiIncoming incoming : PhiIncomings(instr)) {
      if (!incoming.value().reads_reg()) continue;
      const uint32_t reg = CountedRegister(incoming.value());
      if (reg != kNone) exposed.Add(exposed.registers[reg].first_phi_read, incoming.predecessor());
    }
  }
  // It reads all operands before it writes a result.
  uint32_t num_defs = 0;
  uint32_t result = kNone;
  for (const MachineOperand& operand : operands) {
    if (!operand.is_reg()) continue;
    const uint32_t reg = CountedRegister(operand);
    if (reg == kNone) continue;
    if (operand.is_def()) {
      ++num_defs;
      result = reg;
      continue;
    }
    if (instr.is_phi() || operand.is_undef()) continue;
    UpwardExposed::OfRegister& of_register = exposed.registers[reg];
    if (of_register.defined == block + 1 || of_register.read == block + 1) continue;
    of_register.read = block + 1;
    exposed.Add(of_register.first_read, block);
  }
  if (num_defs == 1) {
    exposed.AddDef(result, block);
  } else if (num_defs > 1) {
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      const uint32_t reg = CountedRegister(operand);
      if (reg != kNone) exposed.AddDef(reg, block);
    }
  }
}

void PressureSegments::CollectEvents(UpwardExposed& exposed) {
  exposed.registers.resize(function_.reg_info().num_virtual_registers());
  for (MachineBasicBlock& block : function_) {
    Segment& segment = segments_[block.number()];
    segment.block = block.number();
    segment.needs_scan = true;
    for (const MachineInstr& instr : block) {
      if (!Counts(instr)) continue;
      CollectInstr(instr, block.number(), exposed);
      segment.length += !instr.is_phi();
    }
  }
}

// Blocks of one register after the other, in ascending order of the registers.
class BlocksOfRegisters {
 public:
  explicit BlocksOfRegisters(size_t expected) {
    blocks_.reserve(expected);
    runs_.reserve(expected);
  }
  void Append(uint32_t reg, absl::Span<const BlockNumber> blocks) {
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
    runs_.push_back({reg, static_cast<uint32_t>(blocks_.size())});
  }
  // Calls visit(block, register). The registers of each block come in ascending order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    uint32_t i = 0;
    for (const Run& run : runs_) {
      for (; i < run.end; ++i) visit(blocks_[i], run.reg);
    }
  }
  // Reserves room for the registers of each block.
  void ReserveRows(std::vector<PressureSegments::Row>& rows) const {
    std::vector<uint32_t> counts(rows.size());
    for (const BlockNumber block : blocks_) ++counts[block];
    for (size_t i = 0; i < rows.size(); ++i) rows[i].reserve(counts[i]);
  }

 private:
  struct Run {
    uint32_t reg;
    uint32_t end;
  };
  std::vector<BlockNumber> blocks_;
  std::vector<Run> runs_;
};

void PressureSegments::PropagateRegisters(const UpwardExposed& exposed) {
  BackwardReachability search(function_);
  BlocksOfRegisters live_in(exposed.events.size()), live_out(exposed.events.size());
  for (uint32_t reg = 0; reg < exposed.registers.size(); ++reg) {
    const UpwardExposed::OfRegister& of_register = exposed.registers[reg];
    if (of_register.first_read == kNone && of_register.first_phi_read == kNone) continue;
    search.Begin();
    if (of_register.def_in < UpwardExposed::kMany) search.AddDef(of_register.def_in);
    exposed.ForEach(of_register.first_def, [&](SegmentId id) { search.AddDef(id); });
    exposed.ForEach(of_register.first_read, [&](SegmentId id) { search.ReachTop(id); });
    exposed.ForEach(of_register.first_phi_read, [&](SegmentId id) {
      if (function_.block(id) == nullptr) return;  // left to the verifier
      phi_uses_[id].push_back(reg);
      search.ReachEnd(id);
    });
    search.Search();
    live_in.Append(reg, search.live_in());
    live_out.Append(reg, search.live_out());
  }
  live_in.ReserveRows(live_in_);
  live_out.ReserveRows(live_out_);
  live_in.ForEach([this](SegmentId id, uint32_t reg) {
    live_in_[id].push_back(reg);
    ++segments_[id].in.counts[ClassOf(reg)];
  });
  live_out.ForEach([this](SegmentId id, uint32_t reg) {
    live_out_[id].push_back(reg);
    ++segments_[id].out.counts[ClassOf(reg)];
  });
}

void PressureSegments::Compute() {
  const BlockNumber bound = function_.block_number_bound();
  segments_.assign(bound, Segment());
  first_segment_.assign(bound, kNone);
  for (const MachineBasicBlock& block : function_) first_segment_[block.number()] = block.number();
  last_segment_ = first_segment_;
  for (std::vector<Row>* const rows : {&live_in_, &live_out_, &phi_uses_}) {
    // Rows keep their memory.
    rows->resize(bound);
    for (Row& row : *rows) row.clear();
  }
  by_first_.clear();
  UpwardExposed exposed;
  CollectEvents(exposed);
  PropagateRegisters(exposed);
}

PressureSegments::SegmentId PressureSegments::SegmentOf(const MachineInstr& instr) const {
  const SegmentId first = first_segment(instr.parent()->number());
  if (segments_[first].next == kNone) return first;
  for (const MachineInstr* i = &instr; i != nullptr; i = i->previous()) {
    const SegmentId id = SegmentBeginningAt(*i);
    if (id != kNone) return id;
  }
  return first;
}

PressureSegments::SegmentId PressureSegments::SegmentBeginningAt(const MachineInstr& instr) const {
  if (by_first_.empty()) return kNone;
  const auto found = by_first_.find(&instr);
  return found == by_first_.end() ? kNone : found->second;
}

void PressureSegments::SetFirst(SegmentId id, MachineInstr* first) {
  MachineInstr*& place = segments_[id].first;
  if (place != nullptr) by_first_.erase(place);
  place = first;
  if (first != nullptr) by_first_[first] = id;
}

void PressureSegments::AddPhiUse(SegmentId id, uint32_t reg) {
  Row& row = phi_uses_[id];
  row.insert(std::upper_bound(row.begin(), row.end(), reg), reg);
}

void PressureSegments::RemovePhiUse(SegmentId id, uint32_t reg) {
  Row& row = phi_uses_[id];
  const auto place = std::lower_bound(row.begin(), row.end(), reg);
  if (place != row.end() && *place == reg) row.erase(place);
}

void PressureSegments::InsertLiveIn(SegmentId id, uint32_t reg) {
  Row& row = live_in_[id];
  row.insert(std::lower_bound(row.begin(), row.end(), reg), reg);
  ++segments_[id].in.counts[ClassOf(reg)];
  if (segments_[id].previous != kNone) ++segments_[segments_[id].previous].out.counts[ClassOf(reg)];
}

void PressureSegments::EraseLiveIn(SegmentId id, uint32_t reg) {
  Row& row = live_in_[id];
  row.erase(std::lower_bound(row.begin(), row.end(), reg));
  --segments_[id].in.counts[ClassOf(reg)];
  if (segments_[id].previous != kNone) --segments_[segments_[id].previous].out.counts[ClassOf(reg)];
}

void PressureSegments::InsertLiveOut(SegmentId id, uint32_t reg) {
  Row& row = live_out_[id];
  row.insert(std::lower_bound(row.begin(), row.end(), reg), reg);
  ++segments_[id].out.counts[ClassOf(reg)];
}

void PressureSegments::EraseLiveOut(SegmentId id, uint32_t reg) {
  Row& row = live_out_[id];
  row.erase(std::lower_bound(row.begin(), row.end(), reg));
  --segments_[id].out.counts[ClassOf(reg)];
}

MachineInstr* PressureSegments::LastInstr(SegmentId id) const {
  for (SegmentId next = segments_[id].next; next != kNone; next = segments_[next].next) {
    if (segments_[next].first != nullptr) return segments_[next].first->previous();
  }
  return function_.block(segments_[id].block)->back();
}

MachineInstr* PressureSegments::StopInstr(SegmentId id) const {
  const Segment& segment = segments_[id];
  if (segment.previous == kNone) return nullptr;
  // A segment without instructions ends where it begins.
  return segment.first == nullptr ? LastInstr(id) : segment.first->previous();
}

void PressureSegments::Scan(SegmentId id) {
  BackwardScan scan(*this, id);
  const MachineInstr* stop = StopInstr(id);
  Segment& segment = segments_[id];
  segment.phi_defs = {};
  segment.length = 0;
  for (const MachineInstr* instr = LastInstr(id); instr != stop; instr = instr->previous()) {
    if (!Counts(*instr)) continue;
    if (instr->is_phi()) {
      segment.phi_defs = scan.StepOverPhis(*instr, nullptr);
      break;
    }
    scan.StepOver(*instr);
    ++segment.length;
  }
  segment.peak = scan.peak();
  segment.needs_scan = false;
}

void PressureSegments::ScanUnits(SegmentId id, std::vector<uint32_t>& out) {
  BackwardScan scan(*this, id);
  const MachineInstr* stop = StopInstr(id);
  const MachineInstr* instr = LastInstr(id);
  for (; instr != stop && !instr->is_phi(); instr = instr->previous()) {
    if (Counts(*instr)) out.push_back(scan.StepOver(*instr));
  }
  if (instr == stop) return;
  scan.AddDeadResults(*instr);
  for (; instr != nullptr; instr = instr->previous()) {
    if (Counts(*instr)) out.push_back(scan.now().units());
  }
}

void PressureSegments::ScanInstrs(SegmentId id, std::vector<InstrPressure>& out) {
  BackwardScan scan(*this, id);
  const MachineInstr* stop = StopInstr(id);
  for (const MachineInstr* instr = LastInstr(id); instr != stop; instr = instr->previous()) {
    if (!Counts(*instr)) continue;
    if (instr->is_phi()) {
      scan.StepOverPhis(*instr, &out);
      break;
    }
    out.push_back(scan.Describe(*instr));
  }
}

InstrPressure PressureSegments::ScanOne(SegmentId id, const MachineInstr& at) {
  BackwardScan scan(*this, id);
  const MachineInstr* stop = StopInstr(id);
  for (const MachineInstr* instr = LastInstr(id); instr != stop; instr = instr->previous()) {
    if (!Counts(*instr)) continue;
    if (instr->is_phi()) {
      std::vector<InstrPressure> phis;
      scan.StepOverPhis(*instr, &phis);
      const auto found = std::find_if(phis.begin(), phis.end(), [&](const InstrPressure& p) { return p.instr == &at; });
      return found == phis.end() ? InstrPressure() : *found;
    }
    if (instr == &at) return scan.Describe(*instr);
    scan.StepOver(*instr);
  }
  return InstrPressure();
}

const MachineInstr* PressureSegments::FirstPeak(SegmentId id) {
  std::vector<uint32_t> units;
  ScanUnits(id, units);
  if (units.empty()) return nullptr;
  // The last of the greatest, since the last instruction comes first.
  const auto peak = std::max_element(units.rbegin(), units.rend());
  auto left = static_cast<size_t>(units.rend() - peak) - 1;
  const MachineInstr* instr = LastInstr(id);
  while (!Counts(*instr) || left-- > 0) instr = instr->previous();
  return instr;
}

void PressureSegments::NoteRegisters(const MachineInstr& instr, std::vector<uint32_t>& registers) const {
  for (const MachineOperand& operand : instr.operands()) {
    const uint32_t reg = CountedRegister(operand);
    if (reg != kNone) registers.push_back(reg);
  }
}

PressureSegments::Row PressureSegments::LiveAt(SegmentId id, const MachineInstr& at, bool after) {
  BackwardScan scan(*this, id);
  std::vector<uint32_t> seen;
  const MachineInstr* stop = StopInstr(id);
  for (const MachineInstr* instr = LastInstr(id); instr != stop; instr = instr->previous()) {
    if (after && instr == &at) break;
    if (Counts(*instr)) {
      if (instr->is_phi()) {
        if (!after) scan.AddDeadResults(*instr);
        for (; instr != nullptr; instr = instr->previous()) NoteRegisters(*instr, seen);
        break;
      }
      NoteRegisters(*instr, seen);
      scan.StepOver(*instr);
    }
    if (instr == &at) break;
  }
  return scan.Live(seen);
}

PressureSegments::Row PressureSegments::LiveAtMost(SegmentId id, const MachineInstr& at, bool& after) {
  BackwardScan scan(*this, id);
  std::vector<uint32_t> seen;
  for (const MachineInstr* instr = LastInstr(id); instr != &at; instr = instr->previous()) {
    if (!Counts(*instr)) continue;
    NoteRegisters(*instr, seen);
    scan.StepOver(*instr);
  }
  NoteRegisters(at, seen);
  Row live_after = scan.Live(seen);
  const InstrPressure pressure = scan.Describe(at);
  after = pressure.at_reads.units() < pressure.at_writes.units();
  return after ? live_after : scan.Live(seen);
}

PressureSegments::SegmentId PressureSegments::Split(SegmentId id, MachineInstr& first) {
  return Split(id, first, LiveAt(id, first, /*after=*/false));
}

PressureSegments::SegmentId PressureSegments::SplitTail(SegmentId id, uint32_t length) {
  BackwardScan scan(*this, id);
  std::vector<uint32_t> seen;
  MachineInstr* first = LastInstr(id);
  for (uint32_t passed = 0;; first = first->previous()) {
    if (!Counts(*first)) continue;
    NoteRegisters(*first, seen);
    scan.StepOver(*first);
    if (++passed == length) break;
  }
  const PeakPressure peak = scan.peak();
  const SegmentId tail = Split(id, *first, scan.Live(seen));
  segments_[tail].peak = peak;
  segments_[tail].length = length;
  segments_[id].length -= length;
  return tail;
}

// `row` has the registers that are live before `first`.
PressureSegments::SegmentId PressureSegments::Split(SegmentId id, MachineInstr& first, Row row) {
  const SegmentId tail = static_cast<SegmentId>(segments_.size());
  Segment segment;
  segment.block = segments_[id].block;
  segment.previous = id;
  segment.next = segments_[id].next;
  segment.out = segments_[id].out;
  for (const uint32_t reg : row) ++segment.in.counts[ClassOf(reg)];
  if (segment.next == kNone) {
    last_segment_[segment.block] = tail;
  } else {
    segments_[segment.next].previous = tail;
  }
  segments_[id].next = tail;
  segments_[id].out = segment.in;
  segments_.push_back(segment);
  live_in_.push_back(std::move(row));
  live_out_.push_back(std::move(live_out_[id]));
  phi_uses_.push_back(std::move(phi_uses_[id]));
  live_out_[id].clear();
  phi_uses_[id].clear();
  SetFirst(tail, &first);
  return tail;
}

void PressureSegments::KnowBlock(BlockNumber block, SegmentId first, SegmentId last) {
  if (block >= first_segment_.size()) {
    first_segment_.resize(block + 1, kNone);
    last_segment_.resize(block + 1, kNone);
  }
  first_segment_[block] = first;
  last_segment_[block] = last;
}

PressureSegments::SegmentId PressureSegments::AddBlockOnEdge(const MachineBasicBlock& predecessor,
                                                             const MachineBasicBlock& middle,
                                                             const MachineBasicBlock& successor) {
  const SegmentId id = static_cast<SegmentId>(segments_.size());
  segments_.emplace_back();
  segments_[id].block = middle.number();
  live_in_.emplace_back();
  live_out_.emplace_back();
  phi_uses_.emplace_back();
  KnowBlock(middle.number(), id, id);
  for (const MachineInstr& phi : successor) {
    if (phi.is_debug()) continue;
    if (!phi.is_phi()) break;
    for (const PhiIncoming incoming : PhiIncomings(phi)) {
      const uint32_t reg = CountedRegister(incoming.value());
      if (reg == kNone || !incoming.value().reads_reg() || incoming.predecessor() != middle.number()) continue;
      RemovePhiUse(last_segment(predecessor.number()), reg);
      AddPhiUse(id, reg);
    }
  }
  // The live registers are those that the successor needs. They were live at the end of the predecessor before,
  // and still are.
  Row row = live_in_[first_segment(successor.number())];
  row.insert(row.end(), phi_uses_[id].begin(), phi_uses_[id].end());
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  for (const uint32_t reg : row) ++segments_[id].in.counts[ClassOf(reg)];
  segments_[id].out = segments_[id].in;
  live_in_[id] = row;
  live_out_[id] = std::move(row);
  Scan(id);
  return id;
}

void PressureSegments::MoveToNewBlock(SegmentId first, const MachineBasicBlock& block) {
  const SegmentId before = segments_[first].previous;
  const BlockNumber old_block = segments_[first].block;
  KnowBlock(block.number(), first, last_segment(old_block));
  last_segment_[old_block] = before;
  segments_[before].next = kNone;
  live_out_[before] = live_in_[first];
  segments_[first].previous = kNone;
  SetFirst(first, nullptr);
  for (SegmentId id = first; id != kNone; id = segments_[id].next) segments_[id].block = block.number();
}

}  // namespace ptxmir
