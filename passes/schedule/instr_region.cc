// SPDX-License-Identifier: Apache-2.0

#include "passes/schedule/instr_region.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "passes/schedule/dag/schedule_dag.h"

namespace ptxmir {
namespace {

// Collects the region whose last instruction is `last`, and sets `last` to the instruction above the region.
InstrRegion RegionAbove(MachineBasicBlock& block, MachineInstr*& last) {
  InstrRegion region = {.block = block, .below = last->next(), .instrs = {}, .debug_instrs = {}};
  for (; last != nullptr && !last->is_phi(); last = last->previous()) {
    if (last->is_debug()) {
      region.debug_instrs.push_back(last);
    } else if (IsSchedulingBoundary(*last)) {
      break;
    } else {
      region.instrs.push_back(last);
    }
  }
  std::reverse(region.instrs.begin(), region.instrs.end());
  std::reverse(region.debug_instrs.begin(), region.debug_instrs.end());
  return region;
}

// Puts debug instructions after the same values as before.
class DebugInstrPlacement {
 public:
  // To be made before the region is put in the new order, `sequence`.
  DebugInstrPlacement(const InstrRegion& region, const std::vector<uint32_t>& sequence)
      : region_(region), sequence_(sequence), new_position_(sequence.size()) {
    for (uint32_t i = 0; i < region.instrs.size(); ++i) old_position_[region.instrs[i]] = static_cast<int32_t>(i);
    for (uint32_t i = 0; i < sequence.size(); ++i) new_position_[sequence[i]] = static_cast<int32_t>(i);
    for (MachineInstr* const debug : region.debug_instrs) {
      const MachineInstr* before = debug->previous();
      while (before != nullptr && before->is_debug()) before = before->previous();
      const auto found = old_position_.find(before);
      behind_.push_back(found == old_position_.end() ? -1 : found->second);
    }
  }

  // Inserts them into the region, which is in the new order.
  void Insert() const {
    // Last first, so that debug instructions after the same instruction keep their order.
    for (size_t i = behind_.size(); i-- > 0;) Place(*region_.debug_instrs[i], behind_[i]);
  }

 private:
  void Place(MachineInstr& debug, int32_t behind) const {
    int32_t place = behind < 0 ? -1 : new_position_[static_cast<size_t>(behind)];
    for (const MachineOperand& operand : debug.operands()) {
      const int32_t def = operand.is_reg() ? LastDefinition(operand.reg(), behind, /*in_new_order=*/false) : -1;
      if (def >= 0) place = std::max(place, new_position_[static_cast<size_t>(def)]);
    }
    for (MachineOperand& operand : debug.operands()) {
      if (!operand.is_reg() || !operand.reg().is_virtual()) continue;
      const int32_t then = LastDefinition(operand.reg(), behind, /*in_new_order=*/false);
      const int32_t now = LastDefinition(operand.reg(), place, /*in_new_order=*/true);
      if (then != now) operand.SetReg(Register());
    }
    MachineInstr* const next =
        place < 0 ? region_.instrs[sequence_.front()] : region_.instrs[sequence_[static_cast<size_t>(place)]]->next();
    region_.block.Insert(next, &debug);
  }

  // Returns the last definition of the register in the region at or above a position, as its position in the old
  // order, or -1 if there is none.
  int32_t LastDefinition(Register reg, int32_t place, bool in_new_order) const {
    int32_t last = -1, last_place = -1;
    if (!reg.is_virtual()) return last;
    for (const MachineOperand& def : region_.block.function().reg_info().Defs(reg)) {
      const auto found = old_position_.find(def.parent());
      if (found == old_position_.end()) continue;
      const int32_t at = in_new_order ? new_position_[static_cast<size_t>(found->second)] : found->second;
      if (at > place || at <= last_place) continue;
      last = found->second;
      last_place = at;
    }
    return last;
  }

  const InstrRegion& region_;
  const std::vector<uint32_t>& sequence_;
  absl::flat_hash_map<const MachineInstr*, int32_t> old_position_;
  std::vector<int32_t> new_position_;  // by position in the old order
  std::vector<int32_t> behind_;        // by debug instruction: the position that it followed in the old order, or -1
};

}  // namespace

void VisitUpwards(MachineBasicBlock& block, absl::FunctionRef<void(MachineInstr&)> visit_boundary,
                  absl::FunctionRef<void(const InstrRegion&)> visit_region) {
  MachineInstr* instr = block.back();
  while (instr != nullptr && !instr->is_phi()) {
    if (!instr->is_debug() && !IsSchedulingBoundary(*instr)) {
      visit_region(RegionAbove(block, instr));
      continue;
    }
    if (!instr->is_debug()) visit_boundary(*instr);
    instr = instr->previous();
  }
}

uint32_t PeakOf(const InstrRegion& region, LiveUnits& live) {
  uint32_t peak = 0;
  for (size_t i = region.instrs.size(); i-- > 0;) peak = std::max(peak, live.StepUp(*region.instrs[i]));
  return peak;
}

void Reorder(const InstrRegion& region, const std::vector<uint32_t>& sequence) {
  std::optional<DebugInstrPlacement> placement;
  if (!region.debug_instrs.empty()) placement.emplace(region, sequence);
  for (MachineInstr* const debug : region.debug_instrs) region.block.Remove(debug);
  for (MachineInstr* const instr : region.instrs) region.block.Remove(instr);
  for (const uint32_t i : sequence) region.block.Insert(region.below, region.instrs[i]);
  if (placement.has_value()) placement->Insert();
}

}  // namespace ptxmir
