// SPDX-License-Identifier: Apache-2.0

#include "analysis/liveness/reaching_definitions.h"

#include <algorithm>
#include <utility>

#include "analysis/register_name.h"
#include "base/str_cat.h"
#include "mir/code/operand_ranges.h"

namespace ptxmir {

ReachingDefinitions::ReachingDefinitions(MachineFunction& function, AnalysisManager& analyses)
    : function_(function),
      indexes_(analyses.Get<SlotIndexes>()),
      dominators_(analyses.Get<MachineDominatorTree>()),
      num_virtual_(function.reg_info().num_virtual_registers()) {
  if (NumberDefinitions() == 0) return;
  FindBlocksInNeed();
}

uint32_t ReachingDefinitions::NumberDefinitions() {
  const MachineRegisterInfo& registers = function_.reg_info();
  const size_t num_registers = num_virtual_ + function_.target().phys_regs.size();
  first_def_.assign(num_registers + 1, 1);
  defs_.resize(1);  // kUndefined
  first_entry_.assign(num_registers + 1, 0);
  uint32_t count = 1;
  // In SSA form only physical registers may have several definitions.
  const size_t first = function_.HasProperty(FunctionProperty::kIsSsa) ? num_virtual_ : 0;
  for (size_t i = first; i < num_registers; ++i) {
    first_def_[i] = count;
    const Register reg = RegisterAt(i);
    if (!reg.is_valid() || registers.UniqueDef(reg) != nullptr) continue;
    for ([[maybe_unused]] const MachineOperand& def : registers.Defs(reg)) ++count;
  }
  first_def_[num_registers] = count;
  if (count == 1) return 0;
  defs_.resize(count);
  std::vector<DefId> next(first_def_.begin(), first_def_.end() - 1);
  for (MachineBasicBlock& block : function_) {
    for (MachineInstr& instr : block) {
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_def() || !operand.reg().is_valid()) continue;
        const size_t reg = RegisterIndex(operand.reg());
        if (next[reg] < first_def_[reg + 1]) defs_[next[reg]++] = {&instr, block.number()};
      }
    }
  }
  return count - 1;
}

ReachingDefinitions::DefId ReachingDefinitions::LastDefinition(size_t reg, BlockNumber block, SlotIndex index) const {
  const auto [first, last] = DefinitionsOf(reg);
  const auto end = std::partition_point(defs_.begin() + first, defs_.begin() + last,
                                        [&](const Definition& def) { return indexes_.InstrIndex(*def.instr) < index; });
  const DefId id = static_cast<DefId>(end - defs_.begin());
  return id != first && defs_[id - 1].block == block ? id - 1 : kUndefined;
}

void ReachingDefinitions::FindBlocksInNeed() {
  // The pairs (register, block) with a use that no definition precedes in the block.
  std::vector<std::pair<uint32_t, BlockNumber>> needs;
  std::vector<BlockNumber> needed_in(first_def_.size(), ~BlockNumber{0});  // by register: the last block noted
  std::vector<BlockNumber> defined_in(first_def_.size(), ~BlockNumber{0});
  const auto has_several = [&](size_t reg) { return first_def_[reg] != first_def_[reg + 1]; };
  for (const MachineBasicBlock& block : function_) {
    const MachineInstr* bundle_head = nullptr;
    for (const MachineInstr& instr : block) {
      if (instr.is_debug()) continue;
      if (!instr.has_flag(MachineInstr::kBundledPred)) bundle_head = &instr;
      for (const MachineOperand& operand : instr.operands()) {
        if (!operand.is_reg() || !operand.reads_reg() || !operand.reg().is_valid()) continue;
        const size_t reg = RegisterIndex(operand.reg());
        if (!has_several(reg)) continue;
        if (instr.is_phi()) {
          const BlockNumber from = PhiIncoming(operand).predecessor();
          if (LastDefinition(reg, from, indexes_.BlockEnd(from)) == kUndefined) {
            needs.emplace_back(static_cast<uint32_t>(reg), from);
          }
        } else if (defined_in[reg] != block.number() && needed_in[reg] != block.number()) {
          needed_in[reg] = block.number();
          needs.emplace_back(static_cast<uint32_t>(reg), block.number());
        }
      }
      // The definitions inside a bundle take effect after all of its instructions have read.
      const MachineInstr* next = instr.next();
      if (next != nullptr && next->has_flag(MachineInstr::kBundledPred)) continue;
      for (const MachineInstr* member = bundle_head; member != nullptr; member = member->next()) {
        for (const MachineOperand& operand : member->operands()) {
          if (operand.is_def() && operand.reg().is_valid()) defined_in[RegisterIndex(operand.reg())] = block.number();
        }
        if (member == &instr) break;
      }
    }
  }
  std::sort(needs.begin(), needs.end());
  BackwardReachability search(function_);
  DefsByBlock at_entry(function_.block_number_bound());
  size_t i = 0;
  for (uint32_t reg = 0; reg + 1 < first_def_.size(); ++reg) {
    first_entry_[reg] = static_cast<uint32_t>(entries_.size());
    if (i == needs.size() || needs[i].first != reg) continue;
    search.Begin();
    const auto [first, last] = DefinitionsOf(reg);
    for (DefId def = first; def < last; ++def) search.AddDef(defs_[def].block);
    for (; i < needs.size() && needs[i].first == reg; ++i) search.ReachTop(needs[i].second);
    search.Search();
    SpreadDefinitions(reg, search, at_entry);
    AddEntries(search.live_in(), at_entry);
  }
  first_entry_.back() = static_cast<uint32_t>(entries_.size());
}

// Propagates each definition forward, through blocks that do not define the register.
void ReachingDefinitions::SpreadDefinitions(uint32_t reg, const BackwardReachability& search,
                                            DefsByBlock& at_entry) const {
  std::vector<BlockNumber> stack;
  const auto arrive = [&](BlockNumber block, DefId def) {
    if (!search.IsLiveIn(block)) return;
    // Ids are unique over all registers, except kUndefined, which is the first one to arrive for a register.
    if (!at_entry[block].empty() && at_entry[block].back() == def) return;
    at_entry[block].push_back(def);
    stack.push_back(block);
  };
  const auto spread = [&](DefId def) {
    while (!stack.empty()) {
      const BlockNumber block = stack.back();
      stack.pop_back();
      if (search.IsDefined(block)) continue;
      for (const MachineBasicBlock* successor : function_.block(block)->successors()) {
        arrive(successor->number(), def);
      }
    }
  };
  arrive(function_.front()->number(), kUndefined);
  spread(kUndefined);
  const auto [first, last] = DefinitionsOf(reg);
  for (DefId def = first; def < last; ++def) {
    if (def + 1 < last && defs_[def + 1].block == defs_[def].block) continue;
    for (const MachineBasicBlock* successor : function_.block(defs_[def].block)->successors()) {
      arrive(successor->number(), def);
    }
    spread(def);
  }
}

void ReachingDefinitions::AddEntries(absl::Span<const BlockNumber> blocks, DefsByBlock& at_entry) {
  std::vector<BlockNumber> sorted(blocks.begin(), blocks.end());
  std::sort(sorted.begin(), sorted.end());
  for (const BlockNumber block : sorted) {
    entries_.push_back(
        {block, static_cast<uint32_t>(entry_defs_.size()), static_cast<uint32_t>(at_entry[block].size())});
    entry_defs_.insert(entry_defs_.end(), at_entry[block].begin(), at_entry[block].end());
    at_entry[block].clear();
  }
}

absl::Span<const ReachingDefinitions::DefId> ReachingDefinitions::AtEntry(size_t reg, BlockNumber block) const {
  const auto first = entries_.begin() + first_entry_[reg];
  const auto last = entries_.begin() + first_entry_[reg + 1];
  const auto found = std::partition_point(first, last, [&](const Entry& entry) { return entry.block < block; });
  if (found == last || found->block != block) return {};
  return absl::MakeConstSpan(entry_defs_).subspan(found->first, found->count);
}

std::vector<ReachingDefinitions::DefId> ReachingDefinitions::Find(size_t reg, const MachineBasicBlock& block,
                                                                  const MachineInstr* before) const {
  const SlotIndex index = before == nullptr            ? indexes_.BlockEnd(block)
                          : indexes_.HasIndex(*before) ? indexes_.InstrIndex(*before)
                                                       : indexes_.IndexAfter(*before);
  if (const DefId def = LastDefinition(reg, block.number(), index); def != kUndefined) return {def};
  const absl::Span<const DefId> at_entry = AtEntry(reg, block.number());
  return {at_entry.begin(), at_entry.end()};
}

std::vector<ReachingDefinitions::DefId> ReachingDefinitions::FindForUse(const MachineOperand& use) const {
  const MachineInstr& instr = *use.parent();
  const size_t reg = RegisterIndex(use.reg());
  if (instr.is_phi()) {
    const BlockNumber from = PhiIncoming(use).predecessor();
    return Find(reg, *function_.block(from), nullptr);
  }
  return Find(reg, *instr.parent(), &instr);
}

std::vector<MachineInstr*> ReachingDefinitions::Reaching(const MachineOperand& use) const {
  if (MachineInstr* def = function_.reg_info().UniqueDef(use.reg()); def != nullptr) return {def};
  std::vector<MachineInstr*> result;
  for (const DefId def : FindForUse(use)) {
    if (def != kUndefined) result.push_back(defs_[def].instr);
  }
  return result;
}

bool ReachingDefinitions::MayBeUndefined(const MachineOperand& use) const {
  const MachineInstr& instr = *use.parent();
  if (const MachineInstr* def = function_.reg_info().UniqueDef(use.reg()); def != nullptr) {
    if (!instr.is_phi()) return !dominators_.ProperlyDominates(*def, instr);
    return !dominators_.Dominates(*def->parent(), *function_.block(PhiIncoming(use).predecessor()));
  }
  if (function_.reg_info().Defs(use.reg()).empty()) return true;
  const std::vector<DefId> found = FindForUse(use);
  return !found.empty() && found.front() == kUndefined;
}

MachineInstr* ReachingDefinitions::UniqueReaching(const MachineOperand& use) const {
  const std::vector<MachineInstr*> found = Reaching(use);
  return found.size() == 1 && !MayBeUndefined(use) ? found.front() : nullptr;
}

void ReachingDefinitions::Print(std::string& out) const {
  for (size_t reg = 0; reg + 1 < first_def_.size(); ++reg) {
    if (first_entry_[reg] == first_entry_[reg + 1]) continue;
    StrAppend(&out, RegisterName(function_, RegisterAt(reg)), ":\n");
    for (uint32_t i = first_entry_[reg]; i < first_entry_[reg + 1]; ++i) {
      StrAppend(&out, "  %bb.", entries_[i].block, ":");
      for (const DefId def : absl::MakeConstSpan(entry_defs_).subspan(entries_[i].first, entries_[i].count)) {
        if (def == kUndefined) {
          out += " undefined";
        } else {
          StrAppend(&out, " %bb.", defs_[def].block, ":",
                    indexes_.ToString(indexes_.InstrIndex(*defs_[def].instr).RegSlot()));
        }
      }
      out += "\n";
    }
  }
}

// Compares by instruction: the slot indexes of a fresh computation are new, while those that passes have kept up
// to date may differ.
std::string ReachingDefinitions::DifferenceFrom(const Analysis& fresh) const {
  const auto& computed = static_cast<const ReachingDefinitions&>(fresh);
  const auto reaching = [](const ReachingDefinitions& definitions) {
    std::vector<std::pair<Register, std::pair<BlockNumber, std::vector<const MachineInstr*>>>> list;
    for (size_t reg = 0; reg + 1 < definitions.first_def_.size(); ++reg) {
      for (uint32_t i = definitions.first_entry_[reg]; i < definitions.first_entry_[reg + 1]; ++i) {
        const Entry& entry = definitions.entries_[i];
        std::vector<const MachineInstr*> instrs;
        for (const DefId def : absl::MakeConstSpan(definitions.entry_defs_).subspan(entry.first, entry.count)) {
          instrs.push_back(definitions.defs_[def].instr);
        }
        list.push_back({definitions.RegisterAt(reg), {entry.block, std::move(instrs)}});
      }
    }
    return list;
  };
  return reaching(*this) == reaching(computed) ? "" : "other definitions reach a block";
}

}  // namespace ptxmir
