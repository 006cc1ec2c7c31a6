// SPDX-License-Identifier: Apache-2.0

#include "ptx/writer/ptx_writer_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ptxmir::ptx {
namespace {

// Finds the instructions that must begin a statement for the debugger: the first one with a line in a block that is
// entered from code of another line.
class StatementFinder {
 public:
  StatementFinder(DebugInfo& info, absl::flat_hash_set<const MachineInstr*>& statements)
      : info_(info), statements_(statements) {}

  void Run(const MachineFunction& function) {
    candidates_.assign(function.block_number_bound(), nullptr);
    std::vector<bool> is_predecessor(function.block_number_bound());
    for (const MachineBasicBlock& block : function) {
      if (block.predecessors().empty()) continue;
      for (const MachineInstr& instr : block) {
        if (LineOf(instr) == 0) continue;
        candidates_[block.number()] = &instr;
        for (const MachineBasicBlock* p : block.predecessors()) is_predecessor[p->number()] = true;
        break;
      }
    }
    for (const MachineBasicBlock& block : function) {
      if (is_predecessor[block.number()]) CheckExits(block);
    }
  }

 private:
  uint32_t LineOf(const MachineInstr& instr) {
    const DebugLocation& location = info_.LocationOf(instr);
    return location.is_valid() ? location.line : 0;
  }

  void CheckEdge(const MachineBasicBlock& target, uint32_t line) {
    const MachineInstr*& candidate = candidates_[target.number()];
    if (candidate == nullptr || LineOf(*candidate) == line) return;
    statements_.insert(candidate);
    candidate = nullptr;
  }

  // Checks the edges out of a block. If a conditional branch precedes an unconditional one with its own line, that
  // line applies to the edge to the second target.
  void CheckExits(const MachineBasicBlock& block) {
    const MachineInstr* last = block.back();
    const MachineBasicBlock* skip = nullptr;
    if (last != nullptr && IsJump(*last) && last->previous() != nullptr && IsConditionalBranch(*last->previous()) &&
        LineOf(*last) != 0 &&
        !(last->previous()->previous() != nullptr && last->previous()->previous()->is_terminator())) {
      const MachineBasicBlock* target = block.function().block(last->operand(0).block());
      if (target != nullptr) CheckEdge(*target, LineOf(*last));
      skip = block.function().block(last->previous()->operand(1).block());
      last = last->previous();
    }
    uint32_t line = 0;
    for (; last != nullptr && line == 0; last = last->previous()) line = LineOf(*last);
    if (skip != nullptr) {
      CheckEdge(*skip, line);
      return;
    }
    for (const MachineBasicBlock* successor : block.successors()) CheckEdge(*successor, line);
  }

  static bool IsJump(const MachineInstr& instr) {
    return instr.is_branch() && instr.is_barrier() && instr.num_operands() == 1 && instr.operand(0).is_block();
  }
  static bool IsConditionalBranch(const MachineInstr& instr) {
    return instr.is_branch() && !instr.is_barrier() && instr.num_operands() == 2 && instr.operand(1).is_block();
  }

  DebugInfo& info_;
  absl::flat_hash_set<const MachineInstr*>& statements_;
  std::vector<const MachineInstr*> candidates_;  // by block number
};

// Returns the next of the instructions that a function certainly executes from its start: the entry block and the
// blocks that it falls through to. Returns null at the end.
const MachineInstr* NextInPrologue(const MachineInstr& instr) {
  if (const MachineInstr* next = instr.next()) return next;
  if (instr.is_terminator() || instr.parent()->predecessors().size() > 1) return nullptr;
  for (const MachineBasicBlock* block = instr.parent()->next(); block != nullptr; block = block->next()) {
    if (!block->empty()) return block->front();
  }
  return nullptr;
}

// Appends the text quoted as a C string. Unprintable characters become octal escapes.
void AppendQuoted(std::string_view text, TextBuffer& out) {
  out.Append('"');
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.Append('\\');
      out.Append(c);
    } else if (byte >= 0x20 && byte < 0x7f) {
      out.Append(c);
    } else {
      out.Append('\\');
      for (int shift = 6; shift >= 0; shift -= 3) {
        out.Append(static_cast<char>('0' + ((byte >> shift) & 7)));
      }
    }
  }
  out.Append('"');
}

void WriteNumberedLabel(std::string_view prefix, uint32_t number, TextBuffer& out) {
  out.Append(prefix);
  out.AppendDecimal(number);
  out.Append(":\n");
}

}  // namespace

LineWriter::LineWriter(const Module& module) : module_(module), info_(module), scopes_(info_), history_(info_, module) {
  if (!info_.wants_dwarf()) return;
  dwarf_ = std::make_unique<DwarfWriter>(module, info_);
  dwarf_->BeginModule();
}

void LineWriter::BeginFunction(const IrFunction& ir_function, const MachineFunction& function, TextBuffer& out) {
  info_.ForgetInlineLocations();
  subprogram_ = info_.SubprogramOf(ir_function);
  // If there is DWARF, LLVM also prints the first line before the label that relocations of the sections refer to.
  if (subprogram_ != kNoMetadata && info_.EmissionKindOfScope(subprogram_) != EmissionKind::kDirectivesOnly) {
    WriteInitialLine(function, out);
  }
  WriteNumberedLabel("$L__func_begin", num_functions_, out);
  scopes_.Clear();
  history_.Clear();
  labels_before_.clear();
  labels_after_.clear();
  statements_.clear();
  prologue_end_ = nullptr;
  relocated_call_ = nullptr;
  previous_block_ = nullptr;
  if (subprogram_ == kNoMetadata) return;
  scopes_.Scan(function, subprogram_);
  // For a function without any location, LLVM continues as if it belonged to the previous function.
  if (scopes_.function_scope() != nullptr) {
    history_.Scan(function, scopes_);
    RequestLabels();
    previous_location_ = {};
    label_ = {DwarfLabel::Kind::kFunctionBegin, num_functions_};
  }
  WriteInitialLine(function, out);
  StatementFinder(info_, statements_).Run(function);
}

void LineWriter::RequestLabels() {
  for (const LexicalScope& scope : scopes_.all()) {
    for (const InstrRange& range : scope.ranges) {
      labels_before_.try_emplace(range.first);
      labels_after_.try_emplace(range.last);
    }
  }
  for (const EntityHistory& variable : history_.variables()) {
    if (!variable.entries.empty()) RequestValueLabels(variable);
  }
  for (const auto& [label, instr] : history_.labels()) labels_before_.try_emplace(instr);
}

// Requests the labels of a variable's values. Parameters that are not in registers are available from the function's
// start, so that they are visible when a debugger stops there.
void LineWriter::RequestValueLabels(const EntityHistory& variable) {
  const DwarfLabel begin{DwarfLabel::Kind::kFunctionBegin, num_functions_};
  const auto is_in_register = [this](const HistoryEntry& entry) {
    for (const MachineOperand& place : history_.Value(*entry.instr).locations) {
      if (place.is_reg() && place.reg().is_valid()) return true;
    }
    return false;
  };
  const std::vector<HistoryEntry>& entries = variable.entries;
  if (!entries[0].is_clobber && IsOwnParameter(variable.entity.first)) {
    if (!is_in_register(entries[0])) labels_before_[entries[0].instr] = begin;
    if (history_.Value(*entries[0].instr).expression->is_fragment()) {
      // The same holds for the first values of its other parts.
      for (size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].is_clobber) continue;
        const DebugExpression& part = *history_.Value(*entries[i].instr).expression;
        const bool is_first = std::none_of(entries.begin(), entries.begin() + i, [&](const HistoryEntry& earlier) {
          return !earlier.is_clobber && part.Overlaps(*history_.Value(*earlier.instr).expression);
        });
        if (!is_first || is_in_register(entries[i])) break;
        labels_before_[entries[i].instr] = begin;
      }
    }
  }
  for (const HistoryEntry& entry : entries) {
    (entry.is_clobber ? labels_after_ : labels_before_).try_emplace(entry.instr);
  }
}

// Returns true if the variable is a parameter of the function that is being printed.
bool LineWriter::IsOwnParameter(MetadataId variable) {
  const MetadataNode* node = module_.metadata(variable);
  if (node == nullptr || node->Integer("arg") == 0) return false;
  constexpr int kMaxScopes = 1000;
  MetadataId scope = node->Node("scope").value_or(kNoMetadata);
  for (int i = 0; i < kMaxScopes && scope != kNoMetadata; ++i) {
    if (info_.Scope(scope).kind == DebugScope::Kind::kSubprogram) return scope == subprogram_;
    scope = info_.Scope(scope).parent;
  }
  return false;
}

void LineWriter::WriteInitialLine(const MachineFunction& function, TextBuffer& out) {
  prologue_end_ = nullptr;
  relocated_call_ = nullptr;
  const MachineInstr* instr = nullptr;
  for (const MachineBasicBlock& block : function) {
    instr = block.front();
    if (instr != nullptr) break;
  }
  if (instr == nullptr) return;
  const MachineInstr* first_working = nullptr;
  bool is_empty_prologue = true;
  for (; instr != nullptr; instr = NextInPrologue(*instr)) {
    const DebugLocation& location = info_.LocationOf(*instr);
    if (!instr->is_meta()) {
      const bool is_setup = instr->has_flag(MachineInstr::kFrameSetup);
      if (!is_setup && location.is_valid() && location.line != 0) {
        prologue_end_ = instr;
        break;
      }
      if (!instr->is_copy() && !is_setup && first_working == nullptr) first_working = instr;
      is_empty_prologue = false;
    }
    if (instr->is_call() && location.is_valid() && location.line == 0) {
      relocated_call_ = instr;
      prologue_end_ = instr;
      is_empty_prologue = false;
      break;
    }
  }
  if (prologue_end_ == nullptr && first_working != nullptr && first_working->parent() == function.front()) {
    prologue_end_ = first_working;
    is_empty_prologue = first_working == function.front()->front();
  }
  if (is_empty_prologue && prologue_end_ != nullptr) {
    const DebugLocation& location = info_.LocationOf(*prologue_end_);
    if (!location.is_valid() || location.line != 0) return;
    prologue_end_ = nullptr;
  }
  WriteLine(info_.Scope(subprogram_).scope_line, 0, subprogram_, out);
}

void LineWriter::BeforeInstr(const MachineInstr& instr, TextBuffer& out) {
  if (subprogram_ == kNoMetadata) return;
  WriteRequested(labels_before_, instr, out);
  if (instr.is_meta()) return;
  if (!instr.has_flag(MachineInstr::kFrameSetup)) WriteLineOf(instr, out);
}

void LineWriter::WriteLineOf(const MachineInstr& instr, TextBuffer& out) {
  DebugLocation location = info_.LocationOf(instr);
  const DebugScope& head = info_.Scope(subprogram_);
  if (&instr == relocated_call_) {
    location = DebugLocation{.line = head.scope_line, .scope = subprogram_};
  }
  if (&instr == prologue_end_ && !location.is_valid()) {
    WriteLine(head.scope_line, 0, subprogram_, out);
    return;
  }
  if (location == previous_location_ && !statements_.contains(&instr)) {
    // The location is the same as before, but an unknown line may be in between.
    if (location.is_valid() && last_line_ == 0 && location.line != 0) {
      WriteLine(location.line, location.column, location.scope, out);
    }
    return;
  }
  if (!location.is_valid()) {
    WriteUnknownLine(instr, out);
    return;
  }
  if (location.line == 0 && last_line_ == 0) return;
  WriteLine(location.line, location.column, location.scope, out);
  if (location.line != 0) previous_location_ = location;
}

// Prints line 0 for an instruction without a line of its own, so that it does not seem to belong to the code before
// it. That matters only after a label and at the top of a block.
void LineWriter::WriteUnknownLine(const MachineInstr& instr, TextBuffer& out) {
  if (last_line_ == 0) return;
  const bool is_block_top = previous_block_ != nullptr && previous_block_ != instr.parent();
  if (!label_.is_valid() && !is_block_top) return;
  WriteLine(0, previous_location_.column, previous_location_.scope, out);
}

void LineWriter::AfterInstr(const MachineInstr& instr, TextBuffer& out) {
  if (!instr.is_meta()) {
    label_ = {};
    previous_block_ = instr.parent();
  }
  if (subprogram_ == kNoMetadata) return;
  WriteRequested(labels_after_, instr, out);
}

void LineWriter::WriteRequested(Labels& labels, const MachineInstr& instr, TextBuffer& out) {
  const auto found = labels.find(&instr);
  if (found == labels.end() || found->second.is_valid()) return;
  if (!label_.is_valid()) {
    label_ = {DwarfLabel::Kind::kTemporary, num_labels_++};
    WriteNumberedLabel("$L__tmp", label_.number, out);
  }
  found->second = label_;
}

void LineWriter::EndFunction(const MachineFunction& function, absl::Span<const PrintedRegister> registers,
                             TextBuffer& out) {
  WriteNumberedLabel("$L__func_end", num_functions_, out);
  if (dwarf_ != nullptr && subprogram_ != kNoMetadata) {
    DwarfFunction printed;
    printed.function = &function;
    printed.subprogram = subprogram_;
    printed.number = num_functions_;
    printed.registers = registers;
    printed.labels_before = &labels_before_;
    printed.labels_after = &labels_after_;
    dwarf_->EndFunction(printed, scopes_, history_);
  }
  ++num_functions_;
}

void LineWriter::WriteEnd(const PtxNames& names, TextBuffer& out) {
  if (dwarf_ != nullptr) dwarf_->EndModule();
  const bool has_sections = dwarf_ != nullptr && dwarf_->has_sections();
  if (has_sections) {
    WriteFiles(out);
    dwarf_->WriteSections(names, out);
  }
  out.Append("\t.section\t.debug_macinfo\t{\t}\n");
  if (!has_sections) WriteFiles(out);
}

void LineWriter::WriteFiles(TextBuffer& out) const {
  for (size_t i = 0; i < info_.files().size(); ++i) {
    out.Append("\t.file\t");
    out.AppendDecimal(i + 1);
    out.Append(' ');
    AppendQuoted(info_.files()[i], out);
    out.Append('\n');
  }
}

void LineWriter::WriteLine(uint32_t line, uint32_t column, MetadataId scope, TextBuffer& out) {
  // Without a scope, LLVM uses file 1.
  const bool has_scope = scope != kNoMetadata && info_.Scope(scope).kind != DebugScope::Kind::kNone;
  out.Append("\t.loc\t");
  out.AppendDecimal(has_scope ? info_.FileNumber(info_.Scope(scope).file) : 1);
  out.Append(' ');
  out.AppendDecimal(line);
  out.Append(' ');
  out.AppendDecimal(column);
  out.Append('\n');
  last_line_ = line;
}

}  // namespace ptxmir::ptx
