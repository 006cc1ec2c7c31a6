// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/last_chance_recoloring.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ptxmir {
namespace {

uint32_t BoundOf(const Knobs& knobs, int32_t value) {
  return knobs.exhaustive_register_search() ? std::numeric_limits<uint32_t>::max() : static_cast<uint32_t>(value);
}

}  // namespace

LastChanceRecoloring::LastChanceRecoloring(const AllocationState& state, InlineSpiller& spiller,
                                           const SpillOptions& options, const Knobs& knobs, uint64_t effort)
    : state_(state),
      spiller_(spiller),
      options_(options),
      max_depth_(BoundOf(knobs, knobs.lcr_max_depth())),
      max_registers_(BoundOf(knobs, knobs.lcr_max_interf())),
      effort_left_(effort) {}

void LastChanceRecoloring::SetDepth(Register reg, uint32_t depth) {
  if (reg.virtual_index() >= depths_.size()) {
    if (depth == 0) return;
    depths_.resize(reg.virtual_index() + 1);
  }
  depths_[reg.virtual_index()] = depth;
}

void LastChanceRecoloring::MarkLeaving(Register reg, bool is_leaving) {
  if (reg.virtual_index() >= is_leaving_.size()) is_leaving_.resize(reg.virtual_index() + 1);
  is_leaving_[reg.virtual_index()] = is_leaving;
}

void LastChanceRecoloring::TakeBack(size_t size, std::vector<Register>& leaving) {
  for (size_t i = size; i < leaving.size(); ++i) MarkLeaving(leaving[i], false);
  leaving.resize(size);
}

int32_t LastChanceRecoloring::UnitsOf(PressureKind kind, Register reg) const {
  if (!kind.is_total()) return 1;
  return state_.function.target().reg_classes[state_.function.reg_info().reg_class(reg)].pressure_units;
}

// Collects the registers that stay live at the point even if they leave: at the slot where an instruction reads, those
// that it reads, and at the slot where it writes, those that it writes. What terminators read is reloaded before the
// first of them.
void LastChanceRecoloring::CollectNamed(SlotIndex at) {
  named_.clear();
  const MachineInstr* first = state_.intervals.indexes().InstrAt(at.Base());
  const bool writes = at.is_register() || at.is_dead();
  for (const MachineInstr* instr = first; instr != nullptr; instr = instr->next()) {
    effort_left_ -= std::min<uint64_t>(effort_left_, instr->num_operands());
    for (const MachineOperand& operand : instr->operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const bool is_written = instr == first && operand.is_def() && (writes || operand.is_early_clobber());
      const bool is_read = operand.reads_reg() && (instr != first || !writes);
      if (is_written || is_read) named_.push_back(operand.reg());
    }
    if (!instr->is_terminator()) break;
  }
  std::sort(named_.begin(), named_.end());
}

bool LastChanceRecoloring::IsNamed(Register reg) const { return std::binary_search(named_.begin(), named_.end(), reg); }

bool LastChanceRecoloring::MayLeave(Register reg) {
  if (!state_.intervals.Interval(reg).is_spillable() || Depth(reg) >= max_depth_) return false;
  if (options_.use_memory) return true;
  // Where its operands have their values may change, but then it is rematerialized in the usual way or not at all.
  if (reg.virtual_index() < needs_memory_.size() && needs_memory_[reg.virtual_index()]) return false;
  if (!spiller_.NeedsMemory(reg, options_)) return true;
  needs_memory_.resize(std::max<size_t>(needs_memory_.size(), reg.virtual_index() + 1));
  needs_memory_[reg.virtual_index()] = true;
  return false;
}

// Appends the cheapest candidates, by weight for each unit that is missing. Among equals, the longer interval makes
// room elsewhere too. Appends none if they are not worth enough.
bool LastChanceRecoloring::TakeCheapest(int32_t missing, std::vector<Register>& leaving) {
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::make_tuple(a.price, ~a.size, a.reg.virtual_index()) <
           std::make_tuple(b.price, ~b.size, b.reg.virtual_index());
  });
  const size_t before = leaving.size();
  for (const Candidate& candidate : candidates_) {
    if (leaving.size() - before >= max_registers_) break;
    if (!MayLeave(candidate.reg)) continue;
    leaving.push_back(candidate.reg);
    MarkLeaving(candidate.reg, true);
    missing -= candidate.units;
    if (missing <= 0) return true;
  }
  TakeBack(before, leaving);
  return false;
}

// Finds registers that are worth what is missing at the point, together with those that leave already. Returns false,
// and adds none, if there are not enough.
bool LastChanceRecoloring::RelieveAt(PressureKind kind, SlotIndex at, int32_t missing, std::vector<Register>& leaving) {
  live_.clear();
  candidates_.clear();
  state_.matrix.CollectLiveAt(at, kind, live_);
  CollectNamed(at);
  effort_left_ -= std::min<uint64_t>(effort_left_, live_.size() + 1);
  for (const Register reg : live_) {
    const LiveInterval& interval = state_.intervals.Interval(reg);
    if (!interval.is_spillable() || IsNamed(reg)) continue;
    const int32_t units = UnitsOf(kind, reg);
    if (IsLeaving(reg)) {
      missing -= units;
      continue;
    }
    const float freed = static_cast<float>(std::max(std::min(units, missing), 1));
    candidates_.push_back({.reg = reg, .units = units, .price = interval.weight() / freed, .size = interval.Size()});
  }
  return missing <= 0 || TakeCheapest(missing, leaving);
}

bool LastChanceRecoloring::MakeRoomFor(const LiveInterval& interval, std::vector<Register>& leaving) {
  const Register reg = interval.reg();
  if (Depth(reg) >= max_depth_ || max_registers_ == 0) return false;
  const PressureKind of_class = PressureKind::Class(state_.function.reg_info().reg_class(reg));
  for (const PressureKind kind : {of_class, PressureKind::Total()}) {
    const int32_t limit = state_.matrix.Limit(kind);
    const int32_t amount = UnitsOf(kind, reg);
    if (limit == LiveRegMatrix::kNoLimit || amount == 0) continue;
    points_.clear();
    state_.matrix.CollectOver(kind, interval, limit - amount, effort_left_, points_);
    // Backwards: what is live before a use may be read by it, and what is live at the use is mostly live before it.
    std::reverse(points_.begin(), points_.end());
    for (const SlotIndex at : points_) {
      const int32_t missing = state_.matrix.PressureAt(kind, at) + amount - limit;
      if (effort_left_ > 0 && RelieveAt(kind, at, missing, leaving)) continue;
      TakeBack(0, leaving);
      return false;
    }
  }
  for (const Register found : leaving) MarkLeaving(found, false);
  return !leaving.empty();
}

bool LastChanceRecoloring::Relieve(std::vector<Register>& leaving) {
  const auto relieve = [&](PressureKind kind) {
    const int32_t limit = state_.matrix.Limit(kind);
    if (limit == LiveRegMatrix::kNoLimit) return;
    points_.clear();
    state_.matrix.CollectOver(kind, limit, effort_left_, points_);
    std::reverse(points_.begin(), points_.end());
    for (const SlotIndex at : points_) {
      if (effort_left_ == 0) return;
      RelieveAt(kind, at, state_.matrix.PressureAt(kind, at) - limit, leaving);
    }
  };
  if (max_registers_ == 0) return false;
  for (size_t i = 0; i < state_.function.target().reg_classes.size(); ++i) {
    relieve(PressureKind::Class(static_cast<RegClassId>(i)));
  }
  relieve(PressureKind::Total());
  for (const Register found : leaving) MarkLeaving(found, false);
  return !leaving.empty();
}

}  // namespace ptxmir
