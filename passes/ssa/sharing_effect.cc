// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/sharing_effect.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"

namespace ptxmir {
namespace {

// The uses of a register that are looked at.
constexpr int kMaxUses = 32;

}  // namespace

void SharingEffect::Number(const MachineBasicBlock& block) {
  if (numbered_ == &block) return;
  numbered_ = &block;
  if (positions_.size() < function_.arena().id_bound()) positions_.resize(function_.arena().id_bound());
  // All PHIs write at once.
  uint32_t position = 1;
  for (const MachineInstr& instr : block) {
    if (!instr.is_phi() && IsPressurePoint(instr)) ++position;
    positions_[instr.id()] = position;
  }
}

uint32_t SharingEffect::WeightOf(Register reg, Register like) const {
  const uint32_t units = PressureUnitsOf(function_, reg);
  if (PressureUnitsOf(function_, like) != 0) return units;
  return function_.reg_info().reg_class(reg) == function_.reg_info().reg_class(like);
}

// The reads of a register, as an instruction sees them.
struct SharingEffect::Reads {
  bool are_clear = true;       // false: there are too many, or the register of one may be taken over by a result
  bool are_own = false;        // by the instruction
  bool are_after = false;      // in the block after it
  Point dead_from = 0;         // after the last one in the block before it
  bool are_elsewhere = false;  // in other blocks
  bool are_below = false;      // in blocks that are dominated by the block
};

SharingEffect::Reads SharingEffect::FindReads(Register reg, const MachineInstr& instr) const {
  const MachineBasicBlock& block = *instr.parent();
  const MachineInstr& def = *function_.reg_info().UniqueDef(reg);
  Reads reads;
  // A result that nothing reads is live while it is written.
  if (def.parent() == &block) reads.dead_from = ReadsOf(def) + 2;
  int num_uses = 0;
  for (const MachineOperand& use : function_.reg_info().NonDebugUses(reg)) {
    if (++num_uses > kMaxUses) return {.are_clear = false};
    const MachineInstr& user = *use.parent();
    if (!use.reads_reg()) continue;
    const BlockNumber place = user.is_phi() ? PhiIncoming(use).predecessor() : user.parent()->number();
    if (place != block.number()) {
      reads.are_elsewhere = true;
      const MachineBasicBlock* const other = function_.block(place);
      reads.are_below |= other != nullptr && dominators_.Contains(*other) && dominators_.Dominates(block, *other);
    } else if (user.is_phi() || ReadsOf(user) > ReadsOf(instr)) {
      reads.are_after = true;
    } else if (&user == &instr) {
      reads.are_own = true;
    } else {
      reads.are_clear &= !use.is_tied();
      reads.dead_from = std::max(reads.dead_from, ReadsOf(user) + 1);
    }
  }
  return reads;
}

std::optional<SharingEffect::Life> SharingEffect::LifeOf(Register reg, const MachineInstr& instr,
                                                         const MachineRegisterPressure& pressure) const {
  const Reads reads = FindReads(reg, instr);
  if (reads.are_after || reads.are_own || pressure.IsLiveOut(*instr.parent(), reg)) return Life{.goes_on = true};
  return reads.are_clear ? std::optional(Life{.dead_from = reads.dead_from}) : std::nullopt;
}

std::optional<SharingEffect::Life> SharingEffect::LifeWithout(Register reg, const MachineInstr& instr,
                                                              const MachineRegisterPressure& pressure) const {
  const Reads reads = FindReads(reg, instr);
  if (reads.are_after || reads.are_below) return Life{.goes_on = true};
  if (!reads.are_clear) return std::nullopt;
  if (pressure.IsLiveOut(*instr.parent(), reg)) {
    // In a loop, that may be because the instruction reads it in the next iteration.
    const bool is_in_block = function_.reg_info().UniqueDef(reg)->parent() == instr.parent();
    if (is_in_block || reads.dead_from != 0) return Life{.goes_on = true};
    if (reads.are_elsewhere) return std::nullopt;
  }
  return Life{.dead_from = reads.dead_from};
}

std::optional<bool> SharingEffect::RaisesPressure(Register from, Register to, const MachineRegisterPressure& pressure) {
  const MachineRegisterInfo& reg_info = function_.reg_info();
  const MachineInstr* const later = reg_info.UniqueDef(from);
  const MachineInstr* const earlier = reg_info.UniqueDef(to);
  if (later == nullptr || earlier == nullptr || reg_info.reg_class(from) != reg_info.reg_class(to)) return std::nullopt;
  Number(*later->parent());
  const std::optional<Life> result = LifeOf(to, *later, pressure);
  if (!result.has_value()) return std::nullopt;
  if (result->goes_on) return false;
  if (!IsLiveAround(to, *earlier, *later, pressure)) return std::nullopt;
  if (result->dead_from >= ReadsOf(*later)) return false;
  uint32_t freed = 0;
  for (const MachineOperand& operand : later->operands()) {
    if (!operand.reads_reg() || !operand.reg().is_virtual()) continue;
    const bool is_first = std::none_of(later->operands().begin(), later->operands().end(), [&](const auto& other) {
      return &other < &operand && other.reads_reg() && other.reg() == operand.reg();
    });
    const uint32_t weight = is_first ? WeightOf(operand.reg(), to) : 0;
    if (weight == 0) continue;
    if (reg_info.UniqueDef(operand.reg()) == nullptr) return std::nullopt;
    const std::optional<Life> life = LifeWithout(operand.reg(), *later, pressure);
    if (!life.has_value()) return std::nullopt;
    if (!life->goes_on && life->dead_from <= result->dead_from) freed += weight;
  }
  return freed < WeightOf(to, to);
}

}  // namespace ptxmir
