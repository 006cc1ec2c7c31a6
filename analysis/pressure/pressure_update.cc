// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/pressure_update.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace ptxmir {
namespace {

constexpr uint32_t kNone = PressureSegments::kNone;

// Calls `function` for the segments that precede segment `id`.
template <typename Function>
void ForEachPredecessor(PressureSegments& segments, PressureSegments::SegmentId id, Function function) {
  const PressureSegments::Segment& segment = segments.segment(id);
  if (segment.previous != kNone) {
    function(segment.previous);
    return;
  }
  for (const MachineBasicBlock* block : segments.function().block(segment.block)->predecessors()) {
    function(segments.last_segment(block->number()));
  }
}

// Returns the i-th successor of a segment, or kNone.
PressureSegments::SegmentId Successor(PressureSegments& segments, PressureSegments::SegmentId id, uint32_t i) {
  const PressureSegments::Segment& segment = segments.segment(id);
  if (segment.next != kNone) return i == 0 ? segment.next : kNone;
  const auto successors = segments.function().block(segment.block)->successors();
  return i < successors.size() ? segments.first_segment(successors[i]->number()) : kNone;
}

}  // namespace

void PressureUpdate::Reset() {
  ForgetTouches();
  dirty_.clear();
  shifted_.clear();
  is_dirty_.clear();
  flips_.clear();
  visited_stamp_.clear();
  reaches_stamp_.clear();
  search_ = 0;
  register_stamp_ = 0;
}

void PressureUpdate::NoteDirty(SegmentId segment) {
  if (segment >= is_dirty_.size()) is_dirty_.resize(segments_.num_segments());
  if (is_dirty_[segment]) return;
  is_dirty_[segment] = true;
  dirty_.push_back(segment);
}

void PressureUpdate::MarkTouched(uint32_t reg) {
  if (reg >= states_.size()) states_.resize(segments_.function().reg_info().num_virtual_registers());
  if (states_[reg] == State::kUntouched) touched_registers_.push_back(reg);
  states_[reg] = State::kTouched;
}

void PressureUpdate::NoteTouch(SegmentId segment, uint32_t reg) {
  touches_.push_back({.segment = segment, .reg = reg});
  MarkTouched(reg);
}

void PressureUpdate::NotePhiTouch(SegmentId segment, uint32_t reg) {
  phi_touches_.push_back({.segment = segment, .reg = reg});
  MarkTouched(reg);
}

void PressureUpdate::ForgetTouches() {
  for (const uint32_t reg : touched_registers_) states_[reg] = State::kUntouched;
  touched_registers_.clear();
  touches_.clear();
  phi_touches_.clear();
}

void PressureUpdate::NotePhiUse(const PhiIncoming& incoming, bool added) {
  const uint32_t reg = segments_.CountedRegister(incoming.value());
  const BlockNumber predecessor = incoming.predecessor();
  if (reg == kNone || segments_.function().block(predecessor) == nullptr) return;
  const SegmentId end = segments_.last_segment(predecessor);
  if (added) {
    segments_.AddPhiUse(end, reg);
  } else {
    segments_.RemovePhiUse(end, reg);
  }
  NotePhiTouch(end, reg);
}

void PressureUpdate::NoteInstr(const MachineInstr& instr, SegmentId segment, bool added) {
  if (!segments_.Counts(instr)) return;
  NoteDirty(segment);
  if (instr.is_phi()) {
    for (const PhiIncoming incoming : PhiIncomings(instr)) {
      if (incoming.value().reads_reg()) NotePhiUse(incoming, added);
    }
  } else {
    uint32_t& length = segments_.segment(segment).length;
    if (added) {
      ++length;
    } else if (length > 0) {
      --length;
    }
  }
  const absl::Span<const MachineOperand> operands = instr.is_phi() ? instr.explicit_defs() : instr.operands();
  for (const MachineOperand& operand : operands) {
    if (!operand.is_def() && !operand.reads_reg()) continue;
    const uint32_t reg = segments_.CountedRegister(operand);
    if (reg != kNone) NoteTouch(segment, reg);
  }
}

void PressureUpdate::WillErase(MachineInstr& instr) {
  NoteInstr(instr, segments_.SegmentOf(instr), /*added=*/false);
  const SegmentId begins = segments_.SegmentBeginningAt(instr);
  if (begins == kNone) return;
  // Debug instructions come and go without notice, so no segment begins with one.
  MachineInstr* next = instr.next();
  while (next != nullptr && next->is_debug()) next = next->next();
  if (next != nullptr && segments_.SegmentBeginningAt(*next) != kNone) next = nullptr;
  segments_.SetFirst(begins, next);
}

void PressureUpdate::DidInsert(MachineInstr& instr) { NoteInstr(instr, segments_.SegmentOf(instr), /*added=*/true); }

void PressureUpdate::NoteReplacement(uint32_t from, uint32_t to, const MachineInstr* except) {
  const MachineRegisterInfo& reg_info = segments_.function().reg_info();
  const bool from_counts = segments_.IsCounted(from);
  const bool to_counts = segments_.IsCounted(to);
  for (const MachineOperand& operand : reg_info.Operands(Register::Virtual(from))) {
    if (!operand.is_def() && !operand.reads_reg()) continue;
    const MachineInstr& instr = *operand.parent();
    if (!instr.is_linked() || &instr == except || !segments_.Counts(instr)) continue;
    if (!instr.is_phi() || operand.is_def()) {
      const SegmentId segment = segments_.SegmentOf(instr);
      NoteDirty(segment);
      if (from_counts) NoteTouch(segment, from);
      if (to_counts) NoteTouch(segment, to);
      continue;
    }
    if (operand.operand_number() + 1 == instr.num_operands()) continue;
    const BlockNumber predecessor = PhiIncoming(operand).predecessor();
    if (segments_.function().block(predecessor) == nullptr) continue;
    const SegmentId end = segments_.last_segment(predecessor);
    if (from_counts) {
      segments_.RemovePhiUse(end, from);
      NotePhiTouch(end, from);
    }
    if (to_counts) {
      segments_.AddPhiUse(end, to);
      NotePhiTouch(end, to);
    }
    if (is_trying_) replaced_phi_uses_.push_back(end);
  }
}

void PressureUpdate::WillReplaceRegister(uint32_t from, uint32_t to) { NoteReplacement(from, to, nullptr); }

void PressureUpdate::GrowTables() {
  const size_t num_segments = segments_.num_segments();
  is_dirty_.resize(num_segments);
  flips_.resize(num_segments);
  visited_stamp_.resize(num_segments);
  reaches_stamp_.resize(num_segments);
  const uint32_t num_registers = segments_.function().reg_info().num_virtual_registers();
  if (touch_of_.size() < num_registers) touch_of_.resize(num_registers);
}

void PressureUpdate::SummarizeSegment(absl::Span<Touch> touches) {
  for (uint32_t i = 0; i < touches.size(); ++i) touch_of_[touches[i].reg] = i + 1;
  const auto touch_of = [&](const MachineOperand& operand) -> Touch* {
    const uint32_t reg = segments_.CountedRegister(operand);
    return reg == kNone || touch_of_[reg] == 0 ? nullptr : &touches[touch_of_[reg] - 1];
  };
  segments_.ForEachInstr(touches.front().segment, [&](const MachineInstr& instr) {
    if (!segments_.Counts(instr)) return;
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.reads_reg() || instr.is_phi()) continue;
      if (Touch* touch = touch_of(operand)) touch->is_exposed |= !touch->is_defined;
    }
    for (const MachineOperand& operand : instr.operands()) {
      if (!operand.is_def()) continue;
      if (Touch* touch = touch_of(operand)) touch->is_defined = true;
    }
  });
  for (const Touch& touch : touches) touch_of_[touch.reg] = 0;
}

void PressureUpdate::SummarizeTouches(std::vector<Touch>& touches, std::vector<Touch>& phi_touches) {
  const auto by_segment = [](const Touch& a, const Touch& b) {
    return std::tie(a.segment, a.reg) < std::tie(b.segment, b.reg);
  };
  const auto by_register = [](const Touch& a, const Touch& b) {
    return std::tie(a.reg, a.segment) < std::tie(b.reg, b.segment);
  };
  std::sort(touches.begin(), touches.end(), by_segment);
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
  for (size_t begin = 0; begin < touches.size();) {
    size_t end = begin;
    while (end < touches.size() && touches[end].segment == touches[begin].segment) ++end;
    SummarizeSegment(absl::MakeSpan(touches).subspan(begin, end - begin));
    begin = end;
  }
  std::sort(touches.begin(), touches.end(), by_register);
  std::sort(phi_touches.begin(), phi_touches.end(), by_register);
  phi_touches.erase(std::unique(phi_touches.begin(), phi_touches.end()), phi_touches.end());
}

void PressureUpdate::UpdateRegisters() {
  size_t i = 0;
  size_t j = 0;
  while (i < touches_.size() || j < phi_touches_.size()) {
    const uint32_t reg =
        std::min(i < touches_.size() ? touches_[i].reg : kNone, j < phi_touches_.size() ? phi_touches_[j].reg : kNone);
    const size_t first = i;
    const size_t first_phi = j;
    while (i < touches_.size() && touches_[i].reg == reg) ++i;
    while (j < phi_touches_.size() && phi_touches_[j].reg == reg) ++j;
    UpdateRegister(reg, absl::MakeConstSpan(touches_).subspan(first, i - first),
                   absl::MakeConstSpan(phi_touches_).subspan(first_phi, j - first_phi));
  }
}

void PressureUpdate::UpdateRegister(uint32_t reg, absl::Span<const Touch> touches,
                                    absl::Span<const Touch> phi_touches) {
  reg_ = reg;
  class_ = segments_.ClassOf(reg);
  current_ = touches;
  current_phi_ = phi_touches;
  ++register_stamp_;
  knows_uses_ = false;
  FindDefs(reg);
  Shrink();
  Grow();
  SettlePeaks();
}

void PressureUpdate::FindDefs(uint32_t reg) {
  defs_.clear();
  const PressureSegments::Overlay& overlay = segments_.overlay();
  if (reg == overlay.from) return;
  const auto find = [&](uint32_t named) {
    for (const MachineOperand& operand : segments_.function().reg_info().Defs(Register::Virtual(named))) {
      const MachineInstr& instr = *operand.parent();
      if (instr.is_linked() && segments_.Counts(instr)) defs_.push_back(segments_.SegmentOf(instr));
    }
  };
  find(reg);
  if (reg == overlay.to) find(overlay.from);
  std::sort(defs_.begin(), defs_.end());
}

const PressureUpdate::Touch* PressureUpdate::FindTouch(SegmentId id) const {
  const auto place = std::lower_bound(current_.begin(), current_.end(), id,
                                      [](const Touch& touch, SegmentId segment) { return touch.segment < segment; });
  return place != current_.end() && place->segment == id ? &*place : nullptr;
}

bool PressureUpdate::IsDefined(SegmentId id) const { return std::binary_search(defs_.begin(), defs_.end(), id); }

// Registers with more uses than that have them all over the function, so a scan of a segment finds one quickly.
bool PressureUpdate::FindUses() {
  constexpr size_t kMaxUses = 64;
  uses_.clear();
  const PressureSegments::Overlay& overlay = segments_.overlay();
  const auto find = [&](uint32_t named) {
    for (const MachineOperand& operand : segments_.function().reg_info().NonDebugUses(Register::Virtual(named))) {
      const MachineInstr& instr = *operand.parent();
      if (!operand.reads_reg() || !instr.is_linked() || instr.is_phi() || !segments_.Counts(instr)) continue;
      if (uses_.size() == kMaxUses) return false;
      uses_.push_back(segments_.SegmentOf(instr));
    }
    return true;
  };
  if (!find(reg_) || (reg_ == overlay.to && !find(overlay.from))) return false;
  std::sort(uses_.begin(), uses_.end());
  return true;
}

bool PressureUpdate::HasUse(SegmentId id) {
  if (!knows_uses_) {
    knows_uses_ = true;
    has_few_uses_ = FindUses();
  }
  if (has_few_uses_) return std::binary_search(uses_.begin(), uses_.end(), id);
  const MachineInstr* stop = segments_.StopInstr(id);
  for (const MachineInstr* instr = segments_.LastInstr(id); instr != stop; instr = instr->previous()) {
    if (!segments_.Counts(*instr) || instr->is_phi()) continue;
    for (const MachineOperand& operand : instr->operands()) {
      if (operand.reads_reg() && segments_.CountedRegister(operand) == reg_) return true;
    }
  }
  return false;
}

// Precondition: the register is live at the beginning, or was before the edits.
bool PressureUpdate::IsExposed(SegmentId id) {
  if (const Touch* touch = FindTouch(id)) return touch->is_exposed;
  // Nothing has changed here. If it is live at the beginning despite a definition, it is read before the
  // definition.
  return IsDefined(id) || HasUse(id);
}

void PressureUpdate::PutInDoubt(SegmentId id) { in_doubt_.push_back(id); }

void PressureUpdate::NoteFlip(SegmentId id, bool is_in, int change) {
  Flip& flip = flips_[id];
  if (!flip.noted) {
    flip.noted = true;
    flipped_.push_back(id);
  }
  int8_t& count = is_in ? flip.in : flip.out;
  count = static_cast<int8_t>(count + change);
}

void PressureUpdate::DropIn(SegmentId id) {
  segments_.EraseLiveIn(id, reg_);
  if (is_trying_) row_changes_.push_back({id, reg_, /*is_in=*/true, /*inserted=*/false});
  NoteFlip(id, true, -1);
  if (segments_.segment(id).previous != kNone) NoteFlip(segments_.segment(id).previous, false, -1);
  ForEachPredecessor(segments_, id, [&](SegmentId predecessor) { PutInDoubt(predecessor); });
}

void PressureUpdate::DropOut(SegmentId id) {
  segments_.EraseLiveOut(id, reg_);
  if (is_trying_) row_changes_.push_back({id, reg_, /*is_in=*/false, /*inserted=*/false});
  NoteFlip(id, false, -1);
}

void PressureUpdate::AddIn(SegmentId id) {
  segments_.InsertLiveIn(id, reg_);
  if (is_trying_) row_changes_.push_back({id, reg_, /*is_in=*/true, /*inserted=*/true});
  NoteFlip(id, true, 1);
  if (segments_.segment(id).previous != kNone) NoteFlip(segments_.segment(id).previous, false, 1);
  growing_.push_back(id);
}

void PressureUpdate::AddOut(SegmentId id) {
  segments_.InsertLiveOut(id, reg_);
  if (is_trying_) row_changes_.push_back({id, reg_, /*is_in=*/false, /*inserted=*/true});
  NoteFlip(id, false, 1);
  if (!IsDefined(id) && !segments_.IsLiveIn(id, reg_)) AddIn(id);
}

void PressureUpdate::Shrink() {
  for (const Touch& touch : current_) {
    if (touch.is_exposed || !segments_.IsLiveIn(touch.segment, reg_)) continue;
    if (touch.is_defined) {
      DropIn(touch.segment);
    } else {
      PutInDoubt(touch.segment);
    }
  }
  for (const Touch& touch : current_phi_) PutInDoubt(touch.segment);
  while (!in_doubt_.empty()) {
    const SegmentId id = in_doubt_.back();
    in_doubt_.pop_back();
    CheckEnd(id);
  }
}

// Checks if the register is still live at the end of a segment, and if that decides it, at the beginning.
void PressureUpdate::CheckEnd(SegmentId id) {
  if (segments_.IsLiveOut(id, reg_)) {
    if (ReachesRead(id)) return;
    DropVisited();
    // If the segment does not end its block, its end is the beginning of the next segment, which was visited.
    if (segments_.EndsBlock(id) && segments_.IsLiveOut(id, reg_)) DropOut(id);
  }
  if (segments_.IsLiveIn(id, reg_) && !IsDefined(id) && !IsExposed(id)) DropIn(id);
}

PressureUpdate::Visit PressureUpdate::VisitForwards(SegmentId id) {
  if (!segments_.IsLiveIn(id, reg_)) return Visit::kSkip;
  if (reaches_stamp_[id] == register_stamp_) return Visit::kFound;
  if (visited_stamp_[id] == search_) return Visit::kSkip;
  visited_stamp_[id] = search_;
  if (IsExposed(id)) return Visit::kFound;
  visited_.push_back(id);
  if (segments_.EndsBlock(id) && segments_.HasPhiUse(id, reg_)) return Visit::kFound;
  return Visit::kEnter;
}

void PressureUpdate::MarkPath() {
  for (size_t i = 1; i < path_.size(); ++i) reaches_stamp_[path_[i].segment] = register_stamp_;
}

// Searches depth-first from the end of a segment. If it fails, `visited_` holds the segments that it passed.
bool PressureUpdate::ReachesRead(SegmentId id) {
  visited_.clear();
  if (segments_.EndsBlock(id) && segments_.HasPhiUse(id, reg_)) return true;
  ++search_;
  path_.assign(1, {id, 0});
  while (!path_.empty()) {
    const SegmentId successor = Successor(segments_, path_.back().segment, path_.back().next++);
    if (successor == kNone) {
      path_.pop_back();
      continue;
    }
    const Visit visit = VisitForwards(successor);
    if (visit == Visit::kFound) {
      MarkPath();
      return true;
    }
    if (visit == Visit::kEnter) path_.push_back({successor, 0});
  }
  return false;
}

void PressureUpdate::DropVisited() {
  for (const SegmentId id : visited_) {
    DropIn(id);
    if (segments_.EndsBlock(id) && segments_.IsLiveOut(id, reg_)) DropOut(id);
  }
}

void PressureUpdate::Grow() {
  for (const Touch& touch : current_) {
    if (segments_.IsLiveIn(touch.segment, reg_)) continue;
    if (touch.is_exposed || (!touch.is_defined && segments_.IsLiveOut(touch.segment, reg_))) AddIn(touch.segment);
  }
  for (const Touch& touch : current_phi_) {
    if (segments_.HasPhiUse(touch.segment, reg_) && !segments_.IsLiveOut(touch.segment, reg_)) AddOut(touch.segment);
  }
  while (!growing_.empty()) {
    const SegmentId id = growing_.back();
    growing_.pop_back();
    ForEachPredecessor(segments_, id, [&](SegmentId predecessor) {
      if (!segments_.EndsBlock(predecessor)) {
        if (!IsDefined(predecessor) && !segments_.IsLiveIn(predecessor, reg_)) AddIn(predecessor);
      } else if (!segments_.IsLiveOut(predecessor, reg_)) {
        AddOut(predecessor);
      }
    });
  }
}

// If a segment was not touched and the register became live, or dead, at both of its ends, the register passes
// through it: every point has one more, or one less.
void PressureUpdate::SettlePeaks() {
  for (const SegmentId id : flipped_) {
    const Flip flip = flips_[id];
    flips_[id] = Flip();
    if (is_dirty_[id] || (flip.in == 0 && flip.out == 0)) continue;
    if (flip.in != flip.out) {
      NoteDirty(id);
      continue;
    }
    if (segments_.segment(id).needs_scan) continue;
    PeakPressure& peak = segments_.segment(id).peak;
    if (is_trying_) saved_peaks_.emplace_back(id, peak);
    const uint32_t change = static_cast<uint32_t>(static_cast<int32_t>(flip.in));
    peak.classes.counts[class_] += change;
    peak.units += change * kPressureUnits[class_];
    shifted_.push_back(id);
  }
  flipped_.clear();
}

bool PressureUpdate::SplitIfLong(SegmentId id, std::vector<SegmentId>& changed) {
  if (segments_.segment(id).length <= 2 * segment_length_) return false;
  while (segments_.segment(id).length > 2 * segment_length_) {
    changed.push_back(segments_.SplitTail(id, segment_length_));
  }
  return true;
}

void PressureUpdate::Flush(std::vector<SegmentId>& changed) {
  GrowTables();
  SummarizeTouches(touches_, phi_touches_);
  UpdateRegisters();
  for (const SegmentId id : dirty_) {
    is_dirty_[id] = false;
    SplitIfLong(id, changed);
    segments_.Scan(id);
  }
  changed.insert(changed.end(), dirty_.begin(), dirty_.end());
  changed.insert(changed.end(), shifted_.begin(), shifted_.end());
  ForgetTouches();
  dirty_.clear();
  shifted_.clear();
}

void PressureUpdate::UpdateLiveness(uint32_t reg) {
  if (reg >= states_.size() || states_[reg] != State::kTouched) return;
  states_[reg] = State::kCurrent;
  GrowTables();
  const auto move_to = [reg](std::vector<Touch>& all, std::vector<Touch>& of_register) {
    const auto own = std::partition(all.begin(), all.end(), [reg](const Touch& t) { return t.reg != reg; });
    of_register.assign(own, all.end());
    all.erase(own, all.end());
  };
  move_to(touches_, own_touches_);
  move_to(phi_touches_, own_phi_touches_);
  SummarizeTouches(own_touches_, own_phi_touches_);
  UpdateRegister(reg, own_touches_, own_phi_touches_);
}

std::vector<PressureUpdate::Point> PressureUpdate::Profile(SegmentId id) {
  std::vector<InstrPressure>& instrs = profile_instrs_;
  instrs.clear();
  segments_.ScanInstrs(id, instrs);
  const RegisterPressure out = segments_.segment(id).out;
  const bool has_phis = !instrs.empty() && instrs.back().instr->is_phi();
  const RegisterPressure in = has_phis ? instrs.back().entry : segments_.segment(id).in;
  std::vector<Point> points;
  points.reserve(instrs.size() + 2);
  points.push_back({nullptr, out, out});
  for (const InstrPressure& instr : instrs) points.push_back({instr.instr, instr.at_reads, instr.at_writes});
  points.push_back({nullptr, in, in});
  return points;
}

void PressureUpdate::CompareProfiles(absl::Span<const Point> before, absl::Span<const Point> after,
                                     RaisedPressure& raised) {
  const auto compare = [&raised](const RegisterPressure& was, const RegisterPressure& is) {
    if (is.units() > was.units()) raised.units = std::max(raised.units, is.units());
    if (is.predicates() > was.predicates()) raised.predicates = std::max(raised.predicates, is.predicates());
  };
  size_t i = 0;
  for (const Point& point : after) {
    while (before[i].instr != point.instr) ++i;  // skips the instruction that is no longer there
    compare(before[i].at_reads, point.at_reads);
    compare(before[i].at_writes, point.at_writes);
    ++i;
  }
}

void PressureUpdate::Undo(uint32_t from, uint32_t to, const MachineInstr& erased) {
  for (size_t i = row_changes_.size(); i-- > 0;) {
    const RowChange& change = row_changes_[i];
    if (change.is_in) {
      change.inserted ? segments_.EraseLiveIn(change.segment, change.reg)
                      : segments_.InsertLiveIn(change.segment, change.reg);
    } else {
      change.inserted ? segments_.EraseLiveOut(change.segment, change.reg)
                      : segments_.InsertLiveOut(change.segment, change.reg);
    }
  }
  for (size_t i = saved_peaks_.size(); i-- > 0;) {
    segments_.segment(saved_peaks_[i].first).peak = saved_peaks_[i].second;
  }
  for (const SegmentId id : replaced_phi_uses_) {
    if (segments_.IsCounted(to)) segments_.RemovePhiUse(id, to);
    if (segments_.IsCounted(from)) segments_.AddPhiUse(id, from);
  }
  segments_.set_overlay({});
  if (erased.is_phi()) {
    for (const PhiIncoming incoming : PhiIncomings(erased)) {
      if (incoming.value().reads_reg()) NotePhiUse(incoming, /*added=*/true);
    }
  } else if (segments_.Counts(erased)) {
    ++segments_.segment(segments_.SegmentOf(erased)).length;
  }
  row_changes_.clear();
  saved_peaks_.clear();
  replaced_phi_uses_.clear();
  ForgetTouches();
  shifted_.clear();
  is_trying_ = false;
}

RaisedPressure PressureUpdate::Try(uint32_t from, uint32_t to, const MachineInstr& erased,
                                   std::vector<SegmentId>& changed) {
  assert(!is_pending() && from != to);
  for (const MachineOperand& operand : segments_.function().reg_info().Operands(Register::Virtual(from))) {
    const MachineInstr& instr = *operand.parent();
    if (!instr.is_linked()) continue;
    const SegmentId id = segments_.SegmentOf(instr);
    if (!SplitIfLong(id, changed)) continue;
    segments_.Scan(id);
    changed.push_back(id);
  }
  is_trying_ = true;
  NoteInstr(erased, segments_.SegmentOf(erased), /*added=*/false);
  NoteReplacement(from, to, &erased);
  segments_.set_overlay({.erased = &erased, .from = from, .to = to});
  GrowTables();
  SummarizeTouches(touches_, phi_touches_);
  UpdateRegisters();

  std::vector<std::vector<Point>> after;
  for (const SegmentId id : dirty_) after.push_back(Profile(id));
  std::vector<std::pair<SegmentId, PeakPressure>> shifted;
  for (const SegmentId id : shifted_) {
    if (!is_dirty_[id]) shifted.emplace_back(id, segments_.segment(id).peak);
  }
  Undo(from, to, erased);

  RaisedPressure raised;
  for (size_t i = 0; i < dirty_.size(); ++i) {
    is_dirty_[dirty_[i]] = false;
    CompareProfiles(Profile(dirty_[i]), after[i], raised);
  }
  dirty_.clear();
  for (const auto& [id, peak] : shifted) {
    const PeakPressure& was = segments_.segment(id).peak;
    if (peak.units > was.units) raised.units = std::max(raised.units, peak.units);
    if (peak.predicates() > was.predicates()) raised.predicates = std::max(raised.predicates, peak.predicates());
  }
  return raised;
}

}  // namespace ptxmir
