// SPDX-License-Identifier: Apache-2.0

// What is known of the variables of a function: for each, the debug values in layout order, and where each value
// ends, be it at the next value, where its register is overwritten, or at the end of the block. As LLVM's
// DbgEntityHistoryCalculator finds it.

#ifndef PTXMIR_PTX_DWARF_DWARF_HISTORY_H_
#define PTXMIR_PTX_DWARF_DWARF_HISTORY_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "mir/code/machine_function.h"
#include "ptx/dwarf/debug_info.h"
#include "ptx/dwarf/dwarf_debug_expression.h"
#include "ptx/dwarf/dwarf_scopes.h"

namespace ptxmir::ptx {

// A DILocalVariable or DILabel, and the call that it was inlined through.
using InlinedEntity = std::pair<MetadataId, MetadataId>;

// The operands of a DBG_VALUE or DBG_VALUE_LIST.
struct DebugValueInstr {
  const MachineInstr* instr = nullptr;
  MetadataId variable = kNoMetadata;
  const DebugExpression* expression = nullptr;
  absl::Span<const MachineOperand> locations;
  bool is_list = false;
  bool is_indirect = false;  // the register holds the variable's address

  // Whether a location is unknown, and so the whole value.
  bool is_undefined() const;
  // Whether a location is that of a register (which may be $noreg).
  bool has_register() const;
};

struct HistoryEntry {
  static constexpr uint32_t kOpen = ~uint32_t{0};
  const MachineInstr* instr = nullptr;
  bool is_clobber = false;
  uint32_t end = kOpen;  // of values: number of the entry that ends it
};

struct EntityHistory {
  InlinedEntity entity;
  std::vector<HistoryEntry> entries;
};

class DebugHistory {
 public:
  explicit DebugHistory(DebugInfo& info, const Module& module) : info_(info), module_(module) {}

  void Scan(const MachineFunction& function, LexicalScopes& scopes);
  void Clear();

  // In the order of their first value.
  const std::vector<EntityHistory>& variables() const { return variables_; }
  // Labels with their DBG_LABEL, in order.
  const std::vector<std::pair<InlinedEntity, const MachineInstr*>>& labels() const { return labels_; }
  // Of an instruction that stands in an entry and is no clobber.
  const DebugValueInstr& Value(const MachineInstr& instr) const { return values_.at(&instr); }
  // Places in the order of execution of straight code: instructions without code have that of the one before.
  uint32_t Position(const MachineInstr& instr) const { return positions_.at(&instr); }
  // The expression that a node of the module or of a function's text is; null when it is not well-formed.
  const DebugExpression* Expression(const MachineFunction& function, MetadataId id);
  const DebugExpression* Expression(const MetadataNode* node);

 private:
  class Calculator;
  bool ReadValue(const MachineInstr& instr, DebugValueInstr* value);
  void TrimRanges(LexicalScopes& scopes);
  void TrimVariable(EntityHistory& variable, const std::vector<InstrRange>& ranges);

  DebugInfo& info_;
  const Module& module_;
  std::vector<EntityHistory> variables_;
  std::vector<std::pair<InlinedEntity, const MachineInstr*>> labels_;
  absl::flat_hash_map<const MachineInstr*, DebugValueInstr> values_;
  absl::flat_hash_map<const MachineInstr*, uint32_t> positions_;
  absl::flat_hash_map<MetadataId, const DebugExpression*> expressions_;         // of the module
  absl::flat_hash_map<MetadataId, const DebugExpression*> inline_expressions_;  // of the function
  std::deque<DebugExpression> expression_storage_;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_DWARF_DWARF_HISTORY_H_
