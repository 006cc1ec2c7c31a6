// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/assignment/live_range_edit.h"

#include <algorithm>

#include "mir/code/operand_ranges.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

// The cycles of a .local load that hits the L1 cache.
constexpr unsigned kReloadCycles = 33;

// Returns true for a load of parameters or constants, which do not change while the function runs.
bool IsConstantLoad(const MachineInstr& instr, const ptx::PtxInstrInfo& info) {
  if (!info.reads_memory() || info.writes_memory() || instr.memoperands().empty()) return false;
  const ptx::MemorySpace space = ptx::MemorySpaceOf(instr);
  if (space != ptx::MemorySpace::kParam && space != ptx::MemorySpace::kConst) return false;
  for (const MachineMemOperand* memoperand : instr.memoperands()) {
    if (!memoperand->Has(MachineMemOperand::kInvariant) || memoperand->is_store() || memoperand->is_volatile() ||
        memoperand->is_atomic()) {
      return false;
    }
  }
  return true;
}

}  // namespace

LiveRangeEdit::LiveRangeEdit(AllocationState& state)
    : state_(state), has_one_def_(state.function.reg_info().num_virtual_registers()) {
  for (uint32_t i = 0; i < has_one_def_.size(); ++i) {
    has_one_def_[i] = state.function.reg_info().UniqueDef(Register::Virtual(i)) != nullptr;
  }
}

Register LiveRangeEdit::CreateFrom(Register reg) {
  const Register created = state_.intervals.CreateIntervalLike(reg).reg();
  state_.map.SetSplitFrom(created, reg);
  return created;
}

void LiveRangeEdit::SplitComponents(Register reg, std::vector<Register>& created) {
  std::vector<LiveInterval*> added;
  state_.intervals.SplitSeparateComponents(state_.intervals.Interval(reg), added);
  for (LiveInterval* interval : added) {
    state_.map.SetSplitFrom(interval->reg(), reg);
    state_.progress.SetStage(interval->reg(), state_.progress.Stage(reg));
    created.push_back(interval->reg());
  }
}

bool LiveRangeEdit::IsRematerializable(const MachineInstr& def) {
  if (def.is_copy() || def.is_inline_asm() || def.is_terminator() || def.num_explicit_defs() != 1) return false;
  if (def.has_flag(MachineInstr::kBundledPred) || def.has_flag(MachineInstr::kBundledSucc)) return false;
  for (unsigned i = 0; i < def.num_operands(); ++i) {
    const MachineOperand& operand = def.operand(i);
    if (operand.is_reg() && (operand.is_tied() || operand.is_implicit())) return false;
  }
  if (def.is_implicit_def()) return true;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(def.opcode());
  constexpr uint32_t kNever = ptx::Property::kSide | ptx::Property::kCarryin | ptx::Property::kCarryout |
                              ptx::Property::kVolatile | ptx::Property::kCollective | ptx::Property::kAsync |
                              ptx::Property::kCall | ptx::Property::kControl;
  if (info.Has(kNever)) return false;
  if (IsConstantLoad(def, info)) return true;
  return info.is_rematerializable() && ptx::MachineModel::Default().CostOf(def).latency < kReloadCycles;
}

bool LiveRangeEdit::ReadsTheSame(const MachineOperand& operand, SlotIndex def, SlotIndex at) const {
  if (operand.is_undef()) return false;
  const Register reg = operand.reg();
  // Physical registers that are never written are constant.
  if (!reg.is_virtual()) return state_.function.reg_info().Defs(reg).empty();
  const uint32_t original = state_.map.Original(reg).virtual_index();
  if (original >= has_one_def_.size() || !has_one_def_[original]) return false;
  const LiveInterval& interval = state_.intervals.Interval(reg);
  const ValueId value = interval.Query(def).value_in;
  return value != kNoValue && interval.Query(at).value_in == value;
}

bool LiveRangeEdit::CanRematerializeAt(const MachineInstr& def, const MachineInstr& at) const {
  const SlotIndexes& indexes = state_.intervals.indexes();
  const SlotIndex def_index = indexes.InstrIndex(def);
  const MachineInstr& place = at.is_terminator() ? *at.parent()->FirstTerminator() : at;
  const SlotIndex at_index = indexes.InstrIndex(place);
  return std::all_of(def.operands().begin(), def.operands().end(), [&](const MachineOperand& operand) {
    return !operand.is_use() || !operand.reg().is_valid() || ReadsTheSame(operand, def_index, at_index);
  });
}

MachineInstr* LiveRangeEdit::CloneBefore(const MachineInstr& def, Register target, MachineInstr& before) {
  MachineInstr* clone = state_.function.CloneInstr(def);
  for (MachineOperand& operand : clone->operands()) {
    if (!operand.is_reg()) continue;
    operand.set_reg_flag(MachineOperand::kKill, false);
    operand.set_reg_flag(MachineOperand::kDead, false);
    if (operand.is_def()) {
      operand.SetReg(target);
    } else {
      // The last use so far may no longer be the last one.
      state_.function.reg_info().ClearKillFlags(operand.reg());
    }
  }
  before.parent()->Insert(&before, clone);
  return clone;
}

MachineInstr* LiveRangeEdit::Rematerialize(const MachineInstr& def, Register target, MachineInstr& before) {
  MachineInstr* clone = CloneBefore(def, target, before);
  state_.intervals.InsertInstr(*clone);
  return clone;
}

void LiveRangeEdit::RematerializeInPlaceOf(MachineInstr& copy, const MachineInstr& def) {
  Replace(copy, *CloneBefore(def, copy.operand(0).reg(), copy));
}

void LiveRangeEdit::Erase(MachineInstr& instr) {
  for (const MachineOperand& read : VirtualReads(instr)) NoteFewerUses(read.reg());
  state_.intervals.RemoveInstr(instr);
  instr.EraseFromParent();
}

void LiveRangeEdit::Replace(MachineInstr& old_instr, MachineInstr& instr) {
  state_.intervals.ReplaceInstr(old_instr, instr);
  old_instr.EraseFromParent();
}

void LiveRangeEdit::Settle(std::vector<Register>& created) {
  LiveRegMatrix& matrix = state_.matrix;
  while (!fewer_uses_.empty()) {
    std::vector<Register> registers = std::move(fewer_uses_);
    fewer_uses_.clear();
    std::sort(registers.begin(), registers.end());
    registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
    for (const Register reg : registers) {
      LiveInterval& interval = state_.intervals.Interval(reg);
      if (interval.empty()) continue;
      const bool was_assigned = matrix.IsAssigned(reg);
      if (was_assigned) matrix.Unassign(interval);
      std::vector<MachineInstr*> dead;
      const bool has_parts = state_.intervals.ShrinkToUses(interval, &dead);
      for (MachineInstr* instr : dead) {
        if (instr->num_explicit_defs() == 0 || !IsDeletableIfUnused(*instr)) continue;
        for (const MachineOperand& def : VirtualDefs(*instr)) NoteFewerUses(def.reg());
        Erase(*instr);
      }
      std::vector<Register> parts;
      if (has_parts) SplitComponents(reg, parts);
      if (was_assigned) {
        matrix.Assign(interval);
        for (const Register part : parts) matrix.Assign(state_.intervals.Interval(part));
      } else {
        created.insert(created.end(), parts.begin(), parts.end());
      }
    }
  }
}

}  // namespace ptxmir
