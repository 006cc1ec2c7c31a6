// SPDX-License-Identifier: Apache-2.0

// The history of each variable of a function: its debug values in layout order, and where each value ends. A value
// ends at the next value, where its register is overwritten, or at the end of the block. Follows LLVM's
// DbgEntityHistoryCalculator.

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

// A DILocalVariable or DILabel together with the call that it was inlined through.
using InlinedEntity = std::pair<MetadataId, MetadataId>;

// The operands of a DBG_VALUE or DBG_VALUE_LIST.
struct DebugValueInstr {
  const MachineInstr* instr = nullptr;
  MetadataId variable = kNoMetadata;
  const DebugExpression* expression = nullptr;
  absl::Span<const MachineOperand> locations;
  bool is_list = false;
  bool is_indirect = false;  // the register holds the variable's address

  // Returns true if some location is unknown, which makes the whole value unknown.
  bool is_undefined() const;
  // Returns true if some location is a register, which may be $noreg.
  bool has_register() const;
};

struct HistoryEntry {
  static constexpr uint32_t kOpen = ~uint32_t{0};
  const MachineInstr* instr = nullptr;
  bool is_clobber = false;
  uint32_t end = kOpen;  // of a value: the number of the entry that ends it
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

  // The variables in the order of their first value.
  const std::vector<EntityHistory>& variables() const { return variables_; }
  // The labels with their DBG_LABELs, in order.
  const std::vector<std::pair<InlinedEntity, const MachineInstr*>>& labels() const { return labels_; }
  // Returns the decoded operands of an instruction that is in an entry and is not a clobber.
  const DebugValueInstr& Value(const MachineInstr& instr) const { return values_.at(&instr); }
  // Returns the instruction's position in straight-line execution order. An instruction that emits no code has the
  // position of the instruction before it.
  uint32_t Position(const MachineInstr& instr) const { return positions_.at(&instr); }
  // Return the expression of a metadata node, which `id` finds in the module or in the function's text. Null if the
  // node is not well-formed.
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
