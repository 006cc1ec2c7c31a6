// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/pressure_segments.h"

#include <utility>

#include "mir/code/operand_ranges.h"

namespace ptxmir {

// Walks backwards over the instructions of a segment and tracks what is live.
class BackwardScan {
 public:
  BackwardScan(PressureSegments& segments, PressureSegments::SegmentId id)
      : segments_(segments),
        row_(segments.live_out(id)),
        state_(segments.scan_state_),
        now_(segments.segment(id).out),
        units_(now_.units()) {
    const uint32_t num_registers = segments.function().reg_info().num_virtual_registers();
    if (state_.size() < num_registers) state_.resize(num_registers);
    if (++segments.scan_number_ == uint32_t{1} << 31) {
      std::fill(state_.begin(), state_.end(), 0);
      segments.scan_number_ = 1;
    }
    number_ = segments.scan_number_;
    peak_ = PeakPressure(now_);
  }

  const RegisterPressure& now() const { return now_; }
  const PeakPressure& peak() const { return peak_; }

  // Steps over an instruction that is not a PHI. `details` may be null.
  void StepOver(const MachineInstr& instr, InstrPressure* details) {
    const absl::Span<const MachineOperand> operands = instr.operands();
    if (details != nullptr) {
      details->instr = &instr;
      details->exit = now_;
    }
    bool has_early_clobber = false;
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      has_early_clobber |= operand.is_early_clobber();
      Birth(segments_.CountedRegister(operand));
    }
    if (details != nullptr) details->at_writes = now_;
    for (const MachineOperand& operand : operands) {
      if (!operand.is_def()) continue;
      const uint32_t reg = segments_.CountedRegister(operand);
      if (reg == PressureSegments::kNone || !IsLive(reg)) continue;
      SetLive(reg, false);
      Remove(reg);
      if (details != nullptr) ++details->births.counts[segments_.ClassOf(reg)];
    }
    if (has_early_clobber) CollectEarlyClobbers(instr);
    for (const MachineOperand& operand : operands) {
      if (!operand.reads_reg()) continue;
      const uint32_t reg = segments_.CountedRegister(operand);
      if (!Birth(reg)) continue;
      if (details != nullptr) ++details->last_uses.counts[segments_.ClassOf(reg)];
    }
    if (details != nullptr) details->at_reads = details->entry = now_;
    if (has_early_clobber) CountEarlyClobbers(details);
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
        const uint32_t reg = segments_.CountedRegister(operand);
        if (reg == PressureSegments::kNone || !IsLive(reg)) continue;
        SetLive(reg, false);
        Remove(reg);
        ++at_phi.births.counts[segments_.ClassOf(reg)];
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
        if (operand.is_def()) Birth(segments_.CountedRegister(operand));
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
  bool IsLive(uint32_t reg) {
    const uint32_t state = state_[reg];
    if (state >> 1 == number_) return (state & 1) != 0;
    const bool live = PressureSegments::Contains(row_, reg);
    SetLive(reg, live);
    return live;
  }
  void SetLive(uint32_t reg, bool live) { state_[reg] = number_ << 1 | static_cast<uint32_t>(live); }

  // Makes a register live. Returns false if it is already live or does not count.
  bool Birth(uint32_t reg) {
    if (reg == PressureSegments::kNone || IsLive(reg)) return false;
    SetLive(reg, true);
    Add(reg);
    return true;
  }
  void Add(uint32_t reg) {
    const uint32_t c = segments_.ClassOf(reg);
    peak_.classes.counts[c] = std::max(peak_.classes.counts[c], ++now_.counts[c]);
    units_ += kPressureUnits[c];
    peak_.units = std::max(peak_.units, units_);
  }
  void Remove(uint32_t reg) {
    const uint32_t c = segments_.ClassOf(reg);
    --now_.counts[c];
    units_ -= kPressureUnits[c];
  }

  // Early-clobber results need a register in addition to those that are read, unless they are tied to an operand
  // that ends here. Called after the results were removed and before the operands become live.
  void CollectEarlyClobbers(const MachineInstr& instr) {
    early_clobbers_.clear();
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      const MachineOperand& operand = instr.operand(i);
      if (!operand.is_def() || !operand.is_early_clobber()) continue;
      const uint32_t reg = segments_.CountedRegister(operand);
      if (reg == PressureSegments::kNone) continue;
      if (operand.is_tied()) {
        const MachineOperand& use = instr.operand(instr.FindTiedOperand(i));
        const uint32_t used = segments_.CountedRegister(use);
        if (use.reads_reg() && used != PressureSegments::kNone && !IsLive(used)) continue;
      }
      early_clobbers_.push_back(reg);
    }
  }
  void CountEarlyClobbers(InstrPressure* details) {
    size_t added = 0;
    for (const uint32_t reg : early_clobbers_) {
      // One that is also read is already live.
      if (Birth(reg)) early_clobbers_[added++] = reg;
    }
    if (details != nullptr) details->at_reads = now_;
    for (size_t i = 0; i < added; ++i) {
      SetLive(early_clobbers_[i], false);
      Remove(early_clobbers_[i]);
    }
  }

  PressureSegments& segments_;
  const PressureSegments::Row& row_;
  std::vector<uint32_t>& state_;
  uint32_t number_;
  RegisterPressure now_;
  uint32_t units_;
  PeakPressure peak_;
  std::vector<uint32_t> early_clobbers_;
};

// The reads and definitions of the instructions, for the propagation. Grouped by register with a counting sort.
struct PressureSegments::UpwardExposed {
  static constexpr uint32_t kMany = kNone - 1;
  struct Event {
    uint32_t reg;
    uint32_t segment;
  };

  std::vector<Event> reads;      // exposed at the top of the block
  std::vector<Event> phi_reads;  // at the end of the block
  std::vector<Event> defs;       // only for registers with definitions in several blocks
  std::vector<uint32_t> def_in;  // by register: the block that defines it, kNone or kMany
  // By register: 1 + the last block in which it was defined, or read before a definition.
  std::vector<uint32_t> defined;
  std::vector<uint32_t> read;

  // Sorts by register and returns where each register begins.
  static std::vector<uint32_t> SortByRegister(std::vector<Event>& events, uint32_t num_registers) {
    std::vector<uint32_t> begin(num_registers + 1);
    for (const Event& event : events) ++begin[event.reg + 1];
    for (uint32_t r = 0; r < num_registers; ++r) begin[r + 1] += begin[r];
    std::vector<Event> sorted(events.size());
    std::vector<uint32_t> next = begin;
    for (const Event& event : events) sorted[next[event.reg]++] = event;
    events = std::move(sorted);
    return begin;
  }
};

void PressureSegments::CollectInstr(const MachineInstr& instr, BlockNumber block, UpwardExposed& events) {
  const bool is_phi = instr.is_phi();
  for (unsigned i = 0; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.reads_reg()) continue;
    const uint32_t reg = CountedRegister(operand);
    if (reg == kNone) continue;
    if (is_phi) {
      if (i + 1 == instr.num_operands()) continue;  // no block: left to the verifier
      events.phi_reads.push_back({reg, instr.operand(i + 1).block()});
    } else if (events.defined[reg] != block + 1 && events.read[reg] != block + 1) {
      events.read[reg] = block + 1;
      events.reads.push_back({reg, block});
    }
  }
  for (const MachineOperand& operand : instr.operands()) {
    if (!operand.is_def()) continue;
    const uint32_t reg = CountedRegister(operand);
    if (reg == kNone || events.defined[reg] == block + 1) continue;
    events.defined[reg] = block + 1;
    uint32_t& def_in = events.def_in[reg];
    if (def_in == kNone) {
      def_in = block;
      continue;
    }
    if (def_in != UpwardExposed::kMany) events.defs.push_back({reg, def_in});
    def_in = UpwardExposed::kMany;
    events.defs.push_back({reg, block});
  }
}

void PressureSegments::CollectEvents(UpwardExposed& events) {
  const uint32_t num_registers = function_.reg_info().num_virtual_registers();
  events.def_in.assign(num_registers, kNone);
  events.defined.assign(num_registers, 0);
  events.read.assign(num_registers, 0);
  for (MachineBasicBlock& block : function_) {
    segments_[block.number()].block = block.number();
    for (const MachineInstr& instr : block) {
      if (Counts(instr)) CollectInstr(instr, block.number(), events);
    }
  }
}

// Propagates registers upward. Its tables are small enough for the caches; the rows are not.
class UpwardPropagation {
 public:
  explicit UpwardPropagation(const MachineFunction& function)
      : live_in_stamp_(function.block_number_bound(), kNone),
        live_out_stamp_(function.block_number_bound(), kNone),
        defines_(function.block_number_bound(), kNone),
        first_predecessor_(function.block_number_bound() + 1) {
    for (const MachineBasicBlock& block : function) {
      first_predecessor_[block.number() + 1] = static_cast<uint32_t>(block.predecessors().size());
    }
    for (size_t i = 1; i < first_predecessor_.size(); ++i) first_predecessor_[i] += first_predecessor_[i - 1];
    predecessors_.resize(first_predecessor_.back());
    for (const MachineBasicBlock& block : function) {
      uint32_t next = first_predecessor_[block.number()];
      for (const MachineBasicBlock* predecessor : block.predecessors()) predecessors_[next++] = predecessor->number();
    }
  }

  void Begin(uint32_t reg) { reg_ = reg; }
  void AddDef(BlockNumber block) { defines_[block] = reg_; }
  void ReachTop(BlockNumber block) {
    if (live_in_stamp_[block] == reg_) return;
    live_in_stamp_[block] = reg_;
    live_in_.push_back(block);
  }
  void ReachEnd(BlockNumber block) {
    if (live_out_stamp_[block] == reg_) return;
    live_out_stamp_[block] = reg_;
    live_out_.push_back(block);
    if (defines_[block] != reg_) ReachTop(block);
  }
  void Finish() {
    for (; num_done_ < live_in_.size(); ++num_done_) {
      const BlockNumber block = live_in_[num_done_];
      for (uint32_t i = first_predecessor_[block]; i < first_predecessor_[block + 1]; ++i) ReachEnd(predecessors_[i]);
    }
    runs_.push_back({reg_, static_cast<uint32_t>(live_in_.size()), static_cast<uint32_t>(live_out_.size())});
  }

  // Calls `row` with block and register. The registers of each block come in ascending order.
  template <typename Function>
  void ForEachLiveIn(Function function) const {
    uint32_t i = 0;
    for (const Run& run : runs_) {
      for (; i < run.live_in_end; ++i) function(live_in_[i], run.reg);
    }
  }
  template <typename Function>
  void ForEachLiveOut(Function function) const {
    uint32_t i = 0;
    for (const Run& run : runs_) {
      for (; i < run.live_out_end; ++i) function(live_out_[i], run.reg);
    }
  }
  // Return the number of registers of each block.
  std::vector<uint32_t> CountLiveIn() const { return Count(live_in_); }
  std::vector<uint32_t> CountLiveOut() const { return Count(live_out_); }

 private:
  static constexpr uint32_t kNone = PressureSegments::kNone;
  struct Run {
    uint32_t reg;
    uint32_t live_in_end;
    uint32_t live_out_end;
  };

  std::vector<uint32_t> Count(const std::vector<BlockNumber>& blocks) const {
    std::vector<uint32_t> counts(live_in_stamp_.size());
    for (const BlockNumber block : blocks) ++counts[block];
    return counts;
  }

  uint32_t reg_ = 0;
  std::vector<uint32_t> live_in_stamp_;  // by block: the last register that was found live there
  std::vector<uint32_t> live_out_stamp_;
  std::vector<uint32_t> defines_;  // the last register that is defined there
  std::vector<uint32_t> first_predecessor_;
  std::vector<BlockNumber> predecessors_;
  std::vector<BlockNumber> live_in_;  // the blocks of one register after the other; the tail is the worklist
  std::vector<BlockNumber> live_out_;
  size_t num_done_ = 0;
  std::vector<Run> runs_;
};

void PressureSegments::PropagateRegisters(UpwardExposed& events) {
  const uint32_t num_registers = static_cast<uint32_t>(events.def_in.size());
  const std::vector<uint32_t> reads = UpwardExposed::SortByRegister(events.reads, num_registers);
  const std::vector<uint32_t> phi_reads = UpwardExposed::SortByRegister(events.phi_reads, num_registers);
  const std::vector<uint32_t> defs = UpwardExposed::SortByRegister(events.defs, num_registers);
  UpwardPropagation propagation(function_);
  for (uint32_t reg = 0; reg < num_registers; ++reg) {
    if (reads[reg] == reads[reg + 1] && phi_reads[reg] == phi_reads[reg + 1]) continue;
    propagation.Begin(reg);
    if (events.def_in[reg] < UpwardExposed::kMany) propagation.AddDef(events.def_in[reg]);
    for (uint32_t i = defs[reg]; i < defs[reg + 1]; ++i) propagation.AddDef(events.defs[i].segment);
    for (uint32_t i = reads[reg]; i < reads[reg + 1]; ++i) propagation.ReachTop(events.reads[i].segment);
    for (uint32_t i = phi_reads[reg]; i < phi_reads[reg + 1]; ++i) {
      const SegmentId id = events.phi_reads[i].segment;
      if (function_.block(id) == nullptr) continue;  // left to the verifier
      phi_uses_[id].push_back(reg);
      propagation.ReachEnd(id);
    }
    propagation.Finish();
  }
  const std::vector<uint32_t> num_in = propagation.CountLiveIn();
  const std::vector<uint32_t> num_out = propagation.CountLiveOut();
  for (SegmentId id = 0; id < segments_.size(); ++id) {
    live_in_[id].reserve(num_in[id]);
    live_out_[id].reserve(num_out[id]);
  }
  propagation.ForEachLiveIn([this](SegmentId id, uint32_t reg) {
    live_in_[id].push_back(reg);
    ++segments_[id].in.counts[ClassOf(reg)];
  });
  propagation.ForEachLiveOut([this](SegmentId id, uint32_t reg) {
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
  live_in_.assign(bound, Row());
  live_out_.assign(bound, Row());
  phi_uses_.assign(bound, Row());
  by_first_.clear();
  UpwardExposed events;
  CollectEvents(events);
  PropagateRegisters(events);
  for (const MachineBasicBlock& block : function_) Scan(block.number());
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
    scan.StepOver(*instr, nullptr);
    ++segment.length;
  }
  segment.peak = scan.peak();
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
    scan.StepOver(*instr, &out.emplace_back());
  }
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
      scan.StepOver(*instr, nullptr);
    }
    if (instr == &at) break;
  }
  return scan.Live(seen);
}

PressureSegments::SegmentId PressureSegments::Split(SegmentId id, MachineInstr& first) {
  Row row = LiveAt(id, first, /*after=*/false);
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
