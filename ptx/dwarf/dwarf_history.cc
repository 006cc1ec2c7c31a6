// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_history.h"

#include <algorithm>

namespace ptxmir::ptx {

bool DebugValueInstr::is_undefined() const {
  return std::any_of(locations.begin(), locations.end(),
                     [](const MachineOperand& location) { return location.is_reg() && !location.reg().is_valid(); });
}

bool DebugValueInstr::has_register() const {
  return std::any_of(locations.begin(), locations.end(),
                     [](const MachineOperand& location) { return location.is_reg(); });
}

// Walks the function once. For each variable it tracks the values that currently hold, and for each register the
// variables that it describes.
class DebugHistory::Calculator {
 public:
  explicit Calculator(DebugHistory& history) : history_(history) {}

  void Run(const MachineFunction& function) {
    uint32_t position = 0;
    for (const MachineBasicBlock& block : function) {
      for (const MachineInstr& instr : block) {
        history_.positions_[&instr] = instr.is_meta() ? position : ++position;
        Visit(instr);
      }
      if (!block.empty() && &block != function.back()) EndBlock(*block.back());
    }
  }

 private:
  struct Live {
    std::vector<uint32_t> entries;  // ascending
  };

  void Visit(const MachineInstr& instr) {
    if (instr.is_debug()) {
      if (instr.opcode() == generic::kDbgLabel) {
        AddLabel(instr);
      } else {
        AddValue(instr);
      }
    }
    if (instr.is_meta()) return;
    for (const MachineOperand& operand : instr.operands()) {
      if (operand.is_def() && operand.reg().is_valid()) Clobber(operand.reg(), instr);
    }
  }

  void AddLabel(const MachineInstr& instr) {
    if (instr.num_operands() == 0 || !instr.operand(0).is_metadata()) return;
    const InlinedEntity label(instr.operand(0).metadata(), history_.info_.LocationOf(instr).inlined_at);
    for (auto& [entity, place] : history_.labels_) {
      if (entity == label) {
        place = &instr;
        return;
      }
    }
    history_.labels_.emplace_back(label, &instr);
  }

  void AddValue(const MachineInstr& instr) {
    DebugValueInstr value;
    if (!history_.ReadValue(instr, &value)) return;
    const InlinedEntity entity(value.variable, history_.info_.LocationOf(instr).inlined_at);
    const auto [found, is_new] = variable_ids_.emplace(entity, static_cast<uint32_t>(live_.size()));
    const uint32_t id = found->second;
    if (is_new) {
      live_.emplace_back();
      history_.variables_.push_back(EntityHistory{.entity = entity, .entries = {}});
    }
    std::vector<HistoryEntry>& entries = history_.variables_[id].entries;
    if (!entries.empty() && !entries.back().is_clobber && entries.back().end == HistoryEntry::kOpen &&
        IsSame(*entries.back().instr, instr)) {
      return;
    }
    history_.values_.emplace(&instr, value);
    const uint32_t number = static_cast<uint32_t>(entries.size());
    entries.push_back(HistoryEntry{.instr = &instr});
    std::vector<uint32_t>& live = live_[id].entries;
    std::erase_if(live, [&](uint32_t index) {
      if (!value.expression->Overlaps(*history_.Value(*entries[index].instr).expression)) return false;
      entries[index].end = number;
      return true;
    });
    if (live.empty()) live_variables_.push_back(id);
    live.push_back(number);
    for (const MachineOperand& location : value.locations) {
      if (location.is_reg() && location.reg().is_valid()) described_[location.reg()].push_back(id);
    }
  }

  static bool IsSame(const MachineInstr& a, const MachineInstr& b) {
    if (a.opcode() != b.opcode() || a.num_operands() != b.num_operands() || a.debug_loc() != b.debug_loc())
      return false;
    for (unsigned i = 0; i < a.num_operands(); ++i) {
      if (!a.operand(i).IsIdenticalTo(b.operand(i))) return false;
    }
    return true;
  }

  // Ends the values in the register. The register's list may contain variables that have left it since.
  void Clobber(Register reg, const MachineInstr& instr) {
    const auto found = described_.find(reg);
    if (found == described_.end()) return;
    for (uint32_t id : found->second) {
      std::vector<HistoryEntry>& entries = history_.variables_[id].entries;
      std::vector<uint32_t>& live = live_[id].entries;
      if (std::none_of(live.begin(), live.end(), [&](uint32_t index) { return Mentions(entries[index], reg); })) {
        continue;
      }
      const uint32_t number = StartClobber(entries, instr);
      std::erase_if(live, [&](uint32_t index) {
        if (!Mentions(entries[index], reg)) return false;
        entries[index].end = number;
        return true;
      });
    }
    described_.erase(found);
  }

  bool Mentions(const HistoryEntry& entry, Register reg) const {
    for (const MachineOperand& location : history_.Value(*entry.instr).locations) {
      if (location.is_reg() && location.reg() == reg) return true;
    }
    return false;
  }

  static uint32_t StartClobber(std::vector<HistoryEntry>& entries, const MachineInstr& instr) {
    if (!entries.back().is_clobber || entries.back().instr != &instr) {
      entries.push_back(HistoryEntry{.instr = &instr, .is_clobber = true});
    }
    return static_cast<uint32_t>(entries.size() - 1);
  }

  // Values hold to the end of their block.
  void EndBlock(const MachineInstr& last) {
    for (uint32_t id : live_variables_) {
      std::vector<uint32_t>& live = live_[id].entries;
      if (live.empty()) continue;
      std::vector<HistoryEntry>& entries = history_.variables_[id].entries;
      const uint32_t number = StartClobber(entries, last);
      for (uint32_t index : live) entries[index].end = number;
      live.clear();
    }
    live_variables_.clear();
    described_.clear();
  }

  DebugHistory& history_;
  absl::flat_hash_map<InlinedEntity, uint32_t> variable_ids_;
  std::vector<Live> live_;                // by variable
  std::vector<uint32_t> live_variables_;  // the variables that may have live values
  absl::flat_hash_map<Register, std::vector<uint32_t>> described_;
};

void DebugHistory::Clear() {
  variables_.clear();
  labels_.clear();
  values_.clear();
  positions_.clear();
  inline_expressions_.clear();
}

void DebugHistory::Scan(const MachineFunction& function, LexicalScopes& scopes) {
  Clear();
  Calculator(*this).Run(function);
  TrimRanges(scopes);
}

bool DebugHistory::ReadValue(const MachineInstr& instr, DebugValueInstr* value) {
  const bool is_list = instr.opcode() == generic::kDbgValueList;
  if (!is_list && instr.opcode() != generic::kDbgValue) return false;
  if (instr.num_operands() < (is_list ? 2u : 4u)) return false;
  const unsigned first = is_list ? 0 : 2;
  if (!instr.operand(first).is_metadata() || !instr.operand(first + 1).is_metadata()) return false;
  value->instr = &instr;
  value->variable = instr.operand(first).metadata();
  const MetadataNode* variable =
      MachineFunction::IsInlineMetadata(value->variable) ? nullptr : module_.metadata(value->variable);
  if (variable == nullptr || variable->kind != "DILocalVariable") return false;
  value->expression = Expression(instr.function(), instr.operand(first + 1).metadata());
  if (value->expression == nullptr) return false;
  value->is_list = is_list;
  value->locations = is_list ? instr.operands().subspan(2) : instr.operands().first(1);
  value->is_indirect = !is_list && instr.operand(1).is_imm();
  return info_.LocationOf(instr).is_valid();
}

const DebugExpression* DebugHistory::Expression(const MachineFunction& function, MetadataId id) {
  if (MachineFunction::IsInlineMetadata(id)) {
    const auto [found, is_new] = inline_expressions_.emplace(id, nullptr);
    if (is_new) found->second = Expression(module_.ParseInlineMetadata(function.inline_metadata(id)));
    return found->second;
  }
  const auto [found, is_new] = expressions_.emplace(id, nullptr);
  if (is_new) found->second = Expression(module_.metadata(id));
  return found->second;
}

const DebugExpression* DebugHistory::Expression(const MetadataNode* node) {
  if (node == nullptr) return nullptr;
  auto parsed = DebugExpression::Parse(node);
  return parsed.has_value() ? &expression_storage_.emplace_back(*std::move(parsed)) : nullptr;
}

// Drops values that hold only outside the variable's scope. Values of the function's own variables all stay, because
// the ranges of its scope lack the code before the first location.
void DebugHistory::TrimRanges(LexicalScopes& scopes) {
  for (EntityHistory& variable : variables_) {
    const MetadataNode* node = module_.metadata(variable.entity.first);
    const MetadataId scope_node = node->Node("scope").value_or(kNoMetadata);
    const LexicalScope* scope = scopes.Find(scope_node, variable.entity.second);
    if (scope == nullptr || scope == scopes.function_scope()) continue;
    TrimVariable(variable, scope->ranges);
  }
}

void DebugHistory::TrimVariable(EntityHistory& variable, const std::vector<InstrRange>& ranges) {
  std::vector<HistoryEntry>& entries = variable.entries;
  std::vector<int> num_references(entries.size(), 0);
  std::vector<bool> is_removed(entries.size(), false);
  size_t first_range = 0;
  // Returns the first range at or after `first_range` that overlaps the value from `start` to `end` (kOpen: no end).
  const auto meets = [&](const HistoryEntry& value) -> size_t {
    const uint32_t start = Position(*value.instr);
    for (size_t i = first_range; i < ranges.size(); ++i) {
      const uint32_t first = Position(*ranges[i].first), last = Position(*ranges[i].last);
      if (value.end != HistoryEntry::kOpen) {
        const uint32_t end = Position(*entries[value.end].instr);
        if (end < first) break;
        if (last >= end) return i;
      }
      if (start < last) return i;
    }
    return ranges.size();
  };
  bool removes = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    const HistoryEntry& entry = entries[i];
    if (entry.is_clobber) continue;
    if (entry.end != HistoryEntry::kOpen) ++num_references[entry.end];
    if (num_references[i] > 0) continue;  // it ends a value that is needed
    const size_t met = meets(entry);
    if (met < ranges.size()) {
      first_range = met;
      continue;
    }
    removes = is_removed[i] = true;
    if (entry.end != HistoryEntry::kOpen) --num_references[entry.end];
  }
  if (!removes) return;
  std::vector<uint32_t> new_number(entries.size());
  std::vector<HistoryEntry> kept;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_clobber && num_references[i] <= 0) is_removed[i] = true;
    new_number[i] = static_cast<uint32_t>(kept.size());
    if (!is_removed[i]) kept.push_back(entries[i]);
  }
  for (HistoryEntry& entry : kept) {
    if (entry.end != HistoryEntry::kOpen) entry.end = new_number[entry.end];
  }
  entries = std::move(kept);
}

}  // namespace ptxmir::ptx
