// SPDX-License-Identifier: Apache-2.0

#include "passes/allocate/spill/inline_spiller.h"

#include <algorithm>
#include <utility>

#include "mir/code/inline_asm.h"
#include "ptx/target/inline_asm_effects.h"
#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// The maximum depth to which the origin of a value is followed through PHI-defs and copies.
constexpr unsigned kMaxOriginDepth = 8;

// Returns true if the instruction continues to read or write the register after it has been issued, until another
// instruction waits for it. The register must not be copied in between.
bool IsAccessedLater(const MachineInstr& instr, const MachineOperand& operand) {
  if (operand.is_def() && ptx::InstrInfo(instr.opcode()).Has(ptx::Property::kAsync)) return true;
  if (!instr.is_inline_asm() || !instr.operand(0).is_symbol()) return false;
  return ptx::AccessesRegistersAfterIssue(InlineAsmText(instr));
}

}  // namespace

InlineSpiller::InlineSpiller(LiveRangeEdit& edit) : edit_(edit), state_(edit.state()) {
  state_.function.HoldInstrIds();
}
InlineSpiller::~InlineSpiller() { state_.function.ReleaseInstrIds(); }

bool InlineSpiller::CanSpill(const MachineFunction& function, Register reg) {
  if (!CanSpillClass(function.reg_info().reg_class(reg))) return false;
  for (const MachineOperand& operand : function.reg_info().Operands(reg)) {
    const MachineInstr& instr = *operand.parent();
    if (instr.is_debug()) continue;
    // There is no place for a store after a terminator or within a bundle.
    if (operand.is_def() && instr.is_terminator()) return false;
    if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
    if (operand.is_implicit() || IsAccessedLater(instr, operand)) return false;
  }
  return true;
}

void InlineSpiller::Begin(Register reg, const SpillOptions& options) {
  reg_ = reg;
  interval_ = &state_.intervals.Interval(reg);
  options_ = options;
  // The products of spilling are already split up.
  const bool is_product = reg.virtual_index() < is_product_.size() && is_product_[reg.virtual_index()];
  options_.share &= !is_product;
  was_stored_.assign(interval_->num_values(), false);
  CollectTouches(state_, reg, touches_);
}

bool InlineSpiller::HasReloads() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const Group& group) { return group.origin == Origin::kReload; });
}

bool InlineSpiller::NeedsMemory(Register reg, const SpillOptions& options) {
  Begin(reg, options);
  FormGroups();
  return HasReloads();
}

bool InlineSpiller::Spill(Register reg, const SpillOptions& options, std::vector<Register>& created) {
  Begin(reg, options);
  if (!stores_.empty()) DropOwnStores();
  FormGroups();
  const bool reloads = HasReloads();
  if (reloads && !options_.use_memory) return false;
  FindStoredValues();
  FindFoldedCopies();
  const bool stores = std::find(is_stored_.begin(), is_stored_.end(), true) != is_stored_.end();
  if (reloads || stores) slot_ = state_.map.AssignStackSlot(reg);
  temporaries_.clear();
  InsertCode();
  RewriteOperands(created);
  FoldCopies();
  DropDeadDefinitions();
  Finish(created);
  ++counts_.spilled;
  return true;
}

// Erases the stores that an earlier spill inserted after definitions of the register. They will be recreated.
void InlineSpiller::DropOwnStores() {
  std::erase_if(touches_, [this](const RegisterTouch& touch) {
    const auto it = stores_.find(touch.instr->id());
    if (it == stores_.end()) return false;
    const StoreRecord record = std::move(it->second);
    stores_.erase(it);
    const ValueId value = interval_->Query(touch.index).value_in;
    if (value != kNoValue) was_stored_[value] = true;
    for (MachineInstr* instr : record.sequence.instrs) {
      state_.intervals.RemoveInstr(*instr);
      instr->EraseFromParent();
    }
    for (const Register temporary : record.sequence.temporaries) {
      LiveInterval& interval = state_.intervals.Interval(temporary);
      if (state_.matrix.IsAssigned(temporary)) state_.matrix.Unassign(interval);
      interval.Clear();
    }
    --counts_.stores;
    return true;
  });
}

// Determines how a group that begins with the touch gets its value.
void InlineSpiller::FindOrigin(const RegisterTouch& touch, Group& group) const {
  group.origin = touch.writes ? Origin::kDefinition : Origin::kUndefined;
  if (!touch.reads) return;
  group.origin = Origin::kReload;
  group.value_in = interval_->Query(touch.index).value_in;
  if (!options_.rematerialize || touch.writes || group.value_in == kNoValue) return;
  const MachineInstr* def = state_.intervals.DefiningInstr(*interval_, group.value_in);
  if (def == nullptr || !LiveRangeEdit::IsRematerializable(*def)) return;
  if (!edit_.CanRematerializeAt(*def, *touch.instr)) return;
  group.origin = Origin::kRematerialization;
  group.def = def;
}

bool InlineSpiller::CanShare(const RegisterTouch& last, const RegisterTouch& next) const {
  if (last.instr->parent() != next.instr->parent()) return false;
  // A reload for several terminators goes before all of them.
  if (last.instr->is_terminator() && next.instr->is_terminator()) return true;
  if (!options_.share) return false;
  return FitsBetween(state_.matrix, state_.function, state_.function.reg_info().reg_class(reg_), last.index.RegSlot(),
                     next.index.RegSlot());
}

void InlineSpiller::FormGroups() {
  groups_.clear();
  group_of_.assign(touches_.size(), 0);
  for (uint32_t i = 0; i < touches_.size(); ++i) {
    const RegisterTouch& touch = touches_[i];
    const bool is_open = !groups_.empty() && groups_.back().origin != Origin::kUndefined;
    if (touch.reads && is_open && CanShare(touches_[i - 1], touch)) {
      groups_.back().end = i + 1;
    } else {
      Group group;
      group.first = i;
      group.end = i + 1;
      FindOrigin(touch, group);
      groups_.push_back(group);
    }
    group_of_[i] = static_cast<uint32_t>(groups_.size()) - 1;
  }
}

Register InlineSpiller::SiblingOf(const RegisterTouch& touch) const {
  const MachineInstr& instr = *touch.instr;
  if (!instr.is_copy() || touch.reads == touch.writes) return Register();
  const Register other = instr.operand(touch.reads ? 0 : 1).reg();
  if (!other.is_virtual() || instr.operand(1).is_undef() || !IsSibling(other)) return Register();
  return other;
}

// Returns true if the value of a sibling is the one that the slot holds, because it came from there.
bool InlineSpiller::IsInSlot(Register reg, ValueId value, unsigned depth) const {
  if (value == kNoValue || depth >= kMaxOriginDepth || !state_.map.HasStackSlot(state_.map.Original(reg_))) {
    return false;
  }
  const LiveInterval& interval = state_.intervals.Interval(reg);
  const SlotIndexes& indexes = state_.intervals.indexes();
  if (interval.IsPhiDef(value)) {
    const MachineBasicBlock& block = *indexes.BlockAt(interval.ValueDef(value));
    if (block.predecessors().empty()) return false;
    const auto comes_in_slot = [&](const MachineBasicBlock* from) {
      const ValueId incoming = interval.ValueBefore(indexes.BlockEnd(*from));
      return incoming == value || IsInSlot(reg, incoming, depth + 1);
    };
    return std::all_of(block.predecessors().begin(), block.predecessors().end(), comes_in_slot);
  }
  const MachineInstr* def = state_.intervals.DefiningInstr(interval, value);
  if (def == nullptr) return false;
  const auto reload = reloads_.find(def->id());
  if (reload != reloads_.end()) return reload->second == state_.map.StackSlot(state_.map.Original(reg_));
  if (!def->is_copy() || !def->operand(1).reg().is_virtual() || !IsSibling(def->operand(1).reg())) return false;
  const Register source = def->operand(1).reg();
  if (source == reg_) return false;
  return IsInSlot(source, state_.intervals.Interval(source).Query(indexes.InstrIndex(*def)).value_in, depth + 1);
}

// Walks from the reloaded values backwards through PHI-defs to definitions.
void InlineSpiller::FindStoredValues() {
  is_needed_.assign(interval_->num_values(), false);
  is_stored_.assign(touches_.size(), false);
  const SlotIndexes& indexes = state_.intervals.indexes();
  std::vector<ValueId> work;
  const auto need = [&](ValueId value) {
    if (value == kNoValue || is_needed_[value]) return;
    is_needed_[value] = true;
    work.push_back(value);
  };
  for (const Group& group : groups_) {
    if (group.origin == Origin::kReload) need(group.value_in);
  }
  for (ValueId value = 0; value < was_stored_.size(); ++value) {
    if (was_stored_[value]) need(value);
  }
  while (!work.empty()) {
    const ValueId value = work.back();
    work.pop_back();
    const SlotIndex def = interval_->ValueDef(value);
    if (interval_->IsPhiDef(value)) {
      for (const MachineBasicBlock* from : indexes.BlockAt(def)->predecessors()) {
        need(interval_->ValueBefore(indexes.BlockEnd(*from)));
      }
      continue;
    }
    const auto touch = std::lower_bound(touches_.begin(), touches_.end(), def.Base(),
                                        [](const RegisterTouch& a, SlotIndex index) { return a.index < index; });
    if (touch == touches_.end() || touch->index != def.Base() || touch->instr->is_implicit_def()) continue;
    // The definition is a reload of an earlier spill, or was split off one.
    if (reloads_.contains(touch->instr->id())) continue;
    const Register sibling = SiblingOf(*touch);
    if (sibling.is_valid() && IsInSlot(sibling, state_.intervals.Interval(sibling).Query(touch->index).value_in, 0)) {
      ++counts_.stores_avoided;
      continue;
    }
    is_stored_[static_cast<size_t>(touch - touches_.begin())] = true;
  }
}

void InlineSpiller::FindFoldedCopies() {
  for (Group& group : groups_) {
    if (group.end - group.first != 1) continue;
    group.is_folded = SiblingOf(touches_[group.first]).is_valid();
  }
}

void InlineSpiller::Index(const SpillSequence& sequence, const MachineInstr* already_indexed) {
  for (MachineInstr* instr : sequence.instrs) {
    if (instr != already_indexed) state_.intervals.InsertInstr(*instr);
  }
  temporaries_.insert(temporaries_.end(), sequence.temporaries.begin(), sequence.temporaries.end());
}

void InlineSpiller::InsertStore(MachineInstr& behind, Register value) {
  SpillSequence sequence = InsertSpillStore(*behind.parent(), behind.next(), value, slot_, behind.debug_loc());
  Index(sequence, nullptr);
  const ArenaId reader = sequence.instrs.front()->id();
  stores_[reader] = {slot_, std::move(sequence)};
  ++counts_.stores;
}

// Inserts code with registers whose intervals are still empty. The operands that name the spilled register are not
// changed yet.
void InlineSpiller::InsertCode() {
  for (Group& group : groups_) {
    if (group.is_folded) continue;
    group.reg = edit_.CreateFrom(reg_);
    MachineInstr& first = *touches_[group.first].instr;
    MachineInstr& place = LiveRangeEdit::PlaceBefore(first);
    if (group.origin == Origin::kReload) {
      const SpillSequence sequence = InsertSpillLoad(*first.parent(), &place, group.reg, slot_, first.debug_loc());
      Index(sequence, nullptr);
      reloads_[sequence.instrs.back()->id()] = slot_;
      ++counts_.reloads;
    } else if (group.origin == Origin::kRematerialization) {
      edit_.Rematerialize(*group.def, group.reg, place);
      ++counts_.rematerialized;
    }
    for (uint32_t i = group.first; i < group.end; ++i) {
      if (is_stored_[i]) InsertStore(*touches_[i].instr, group.reg);
    }
  }
}

// Makes debug instructions name the register of the preceding group in their block, or else the slot, or else
// nothing.
void InlineSpiller::RewriteDebugUses() {
  const SlotIndexes& indexes = state_.intervals.indexes();
  std::vector<MachineOperand*> debug_uses;
  for (MachineOperand& operand : state_.function.reg_info().Uses(reg_)) {
    if (operand.is_debug()) debug_uses.push_back(&operand);
  }
  const bool is_predicate = state_.function.target().reg_classes[state_.function.reg_info().reg_class(reg_)].bits < 8;
  for (MachineOperand* operand : debug_uses) {
    MachineInstr& instr = *operand->parent();
    const SlotIndex at = indexes.IndexBefore(instr);
    const auto behind = std::upper_bound(touches_.begin(), touches_.end(), at,
                                         [](SlotIndex index, const RegisterTouch& a) { return index < a.index; });
    if (behind != touches_.begin() && (behind - 1)->instr->parent() == instr.parent()) {
      const Group& group = groups_[group_of_[static_cast<size_t>(behind - touches_.begin()) - 1]];
      if (group.reg.is_valid() && group.origin != Origin::kUndefined) {
        operand->SetReg(group.reg);
        continue;
      }
    }
    const ValueId value = interval_->Query(at).value_out();
    const bool is_in_slot = value != kNoValue && is_needed_[value];
    if (is_in_slot && !is_predicate && instr.opcode() == generic::kDbgValue && operand->operand_number() == 0) {
      instr.operand(0).ChangeTo(MachineOperand::CreateFrameIndex(slot_));
      instr.operand(1).ChangeTo(MachineOperand::CreateImm(0));
    } else {
      operand->SetReg(Register());
    }
  }
}

void InlineSpiller::RewriteOperands(std::vector<Register>& created) {
  RewriteDebugUses();
  for (const Group& group : groups_) {
    if (group.is_folded) continue;
    for (uint32_t i = group.first; i < group.end; ++i) {
      for (MachineOperand& operand : touches_[i].instr->operands()) {
        if (!operand.is_reg() || operand.reg() != reg_) continue;
        operand.set_reg_flag(MachineOperand::kKill, false);
        operand.set_reg_flag(MachineOperand::kDead, false);
        operand.SetReg(group.reg);
      }
    }
  }
  state_.intervals.RemoveInterval(reg_);
  for (const Group& group : groups_) {
    if (group.is_folded) continue;
    state_.intervals.ComputeInterval(group.reg);
    created.push_back(group.reg);
    const bool is_single = group.end - group.first == 1 ||
                           (touches_[group.first].instr->is_terminator() && group.origin != Origin::kDefinition);
    state_.progress.SetStage(group.reg, is_single ? LiveRangeStage::kDone : LiveRangeStage::kSpill);
    is_product_.resize(std::max<size_t>(is_product_.size(), group.reg.virtual_index() + 1));
    is_product_[group.reg.virtual_index()] = true;
  }
}

void InlineSpiller::FoldIntoSibling(MachineInstr& copy, const Group& group) {
  const Register sibling = copy.operand(0).reg();
  if (group.origin == Origin::kReload) {
    const SpillSequence sequence = InsertSpillLoad(*copy.parent(), &copy, sibling, slot_, copy.debug_loc());
    Index(sequence, sequence.instrs.back());
    edit_.Replace(copy, *sequence.instrs.back());
    reloads_[sequence.instrs.back()->id()] = slot_;
    ++counts_.reloads;
  } else if (group.origin == Origin::kRematerialization) {
    edit_.RematerializeInPlaceOf(copy, *group.def);
    ++counts_.rematerialized;
  }
}

void InlineSpiller::FoldCopies() {
  for (const Group& group : groups_) {
    if (!group.is_folded) continue;
    MachineInstr& copy = *touches_[group.first].instr;
    if (group.origin != Origin::kDefinition) {
      FoldIntoSibling(copy, group);
      continue;
    }
    const Register sibling = copy.operand(1).reg();
    edit_.NoteFewerUses(sibling);
    if (!is_stored_[group.first]) {
      edit_.Erase(copy);
      continue;
    }
    SpillSequence sequence = InsertSpillStore(*copy.parent(), &copy, sibling, slot_, copy.debug_loc());
    MachineInstr* reader = sequence.instrs.front();
    edit_.Replace(copy, *reader);
    Index(sequence, reader);
    stores_[reader->id()] = {slot_, std::move(sequence)};
    ++counts_.stores;
  }
}

void InlineSpiller::DropDeadDefinitions() {
  for (const Group& group : groups_) {
    if (!group.reg.is_valid() || group.origin != Origin::kDefinition || group.end - group.first != 1) continue;
    if (!is_stored_[group.first]) edit_.NoteFewerUses(group.reg);
  }
}

void InlineSpiller::Finish(std::vector<Register>& created) {
  for (const Register temporary : temporaries_) {
    state_.intervals.ComputeInterval(temporary);
    state_.progress.SetStage(temporary, LiveRangeStage::kDone);
    created.push_back(temporary);
  }
  edit_.Settle(created);
}

}  // namespace ptxmir
