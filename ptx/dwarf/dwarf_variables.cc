// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_variables.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "ptx/dwarf/dwarf_metadata.h"

namespace ptxmir::ptx {
namespace {

// Parses "!12". Returns kNoMetadata for anything else.
MetadataId ParseReference(std::string_view text) {
  MetadataId id = kNoMetadata;
  if (text.size() < 2 || text[0] != '!') return kNoMetadata;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : kNoMetadata;
}

// Parses an integer of any width, as in "i128 5", into words.
bool ParseWideInteger(std::string_view text, DebugValue::Place* place) {
  if (text.size() < 2 || text[0] != 'i') return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), place->width);
  if (error != std::errc() || place->width == 0 || place->width > (1u << 16)) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  const bool is_negative = !text.empty() && text[0] == '-';
  if (is_negative) text.remove_prefix(1);
  if (text == "true" || text == "false") text = text == "true" ? "1" : "0";
  std::vector<uint64_t> words((place->width + 63) / 64, 0);
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    unsigned __int128 carry = static_cast<unsigned>(c - '0');
    for (uint64_t& word : words) {
      carry += static_cast<unsigned __int128>(word) * 10;
      word = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  if (is_negative) {
    bool borrows = true;
    for (uint64_t& word : words) {
      word = ~word + (borrows ? 1 : 0);
      borrows = borrows && word == 0;
    }
  }
  if (place->width % 64 != 0) words.back() &= (uint64_t{1} << (place->width % 64)) - 1;
  place->kind = DebugValue::Place::Kind::kWide;
  place->words = std::move(words);
  return true;
}

}  // namespace

void VariableCollector::CollectConcrete() {
  AddStackVariables();
  AddDescribedVariables();
  AddLabels();
  AddRetainedNodes();
}

MetadataId VariableCollector::ScopeOf(MetadataId variable) const {
  const MetadataNode* node = module_.metadata(variable);
  return node == nullptr ? kNoMetadata : node->Node("scope").value_or(kNoMetadata);
}

void VariableCollector::AddStackVariables() {
  const MachineFrameInfo& frame = function_.function->frame_info();
  for (size_t i = 0; i < frame.fixed_objects().size(); ++i) {
    AddStackVariable(frame.fixed_objects()[i], -static_cast<int>(i) - 1);
  }
  for (size_t i = 0; i < frame.objects().size(); ++i) AddStackVariable(frame.objects()[i], static_cast<int>(i));
}

void VariableCollector::AddStackVariable(const StackObject& object, int index) {
  const MetadataId variable = ParseReference(object.debug_variable);
  const MetadataNode* node = variable == kNoMetadata ? nullptr : module_.metadata(variable);
  if (node == nullptr || node->kind != "DILocalVariable") return;
  const MetadataId place = ParseReference(object.debug_location);
  const DebugLocation location = place == kNoMetadata ? DebugLocation() : info_.Location(place);
  const MetadataId expression_id = ParseReference(object.debug_expression);
  const DebugExpression* expression =
      history_.Expression(expression_id == kNoMetadata ? module_.ParseInlineMetadata(object.debug_expression)
                                                       : module_.metadata(expression_id));
  if (!location.is_valid() || expression == nullptr) return;
  const InlinedEntity entity(variable, location.inlined_at);
  processed_.insert(entity);
  const LexicalScope* scope = scopes_.FindAt(location);
  if (scope == nullptr) return;
  const std::pair<int, const DebugExpression*> part(index, expression);
  DebugEntity*& known = stack_variables_[entity];
  if (known == nullptr) {
    known = &builder_.AddConcrete(*scope, scopes_, variable, location.inlined_at);
    known->kind = DebugEntity::Kind::kStack;
    known->stack_objects.push_back(part);
    return;
  }
  // Parts of one variable may be in several objects.
  auto& parts = known->stack_objects;
  if (!expression->is_fragment() || !parts[0].second->is_fragment()) return;
  const auto is_before = [](const auto& a, const auto& b) {
    return a.second->fragment()->offset_in_bits < b.second->fragment()->offset_in_bits;
  };
  const auto at = std::lower_bound(parts.begin(), parts.end(), part, is_before);
  if (at == parts.end() || is_before(part, *at)) parts.insert(at, part);
}

bool VariableCollector::HasLocation(const EntityHistory& variable) const {
  return std::any_of(variable.entries.begin(), variable.entries.end(), [&](const HistoryEntry& entry) {
    return !entry.is_clobber && !history_.Value(*entry.instr).is_undefined();
  });
}

void VariableCollector::AddDescribedVariables() {
  for (const EntityHistory& variable : history_.variables()) {
    if (!processed_.contains(variable.entity) && HasLocation(variable)) AddDescribedVariable(variable);
  }
}

void VariableCollector::AddDescribedVariable(const EntityHistory& variable) {
  const auto [node, inlined_at] = variable.entity;
  const LexicalScope* scope = scopes_.Find(ScopeOf(node), inlined_at);
  if (scope == nullptr) return;
  processed_.insert(variable.entity);
  DebugEntity& entity = builder_.AddConcrete(*scope, scopes_, node, inlined_at);
  const std::vector<HistoryEntry>& entries = variable.entries;
  const bool is_clobbered_once = entries.size() == 2 && entries[1].is_clobber;
  if (entries.size() == 1 || is_clobbered_once) {
    if (IsValidThroughout(*entries[0].instr, is_clobbered_once ? entries[1].instr : nullptr)) {
      entity.kind = DebugEntity::Kind::kSingle;
      entity.value = ValueOf(*entries[0].instr);
      return;
    }
  }
  std::vector<Span> spans;
  if (BuildSpans(variable, spans)) {
    entity.kind = DebugEntity::Kind::kSingle;
    entity.value = spans[0].values[0];
    return;
  }
  LocationList list = BuildList(variable, spans);
  if (list.empty()) return;
  entity.kind = DebugEntity::Kind::kList;
  entity.list = static_cast<uint32_t>(lists_.size());
  lists_.push_back(std::move(list));
}

DebugValue VariableCollector::ValueOf(const MachineInstr& instr) const {
  const DebugValueInstr& read = history_.Value(instr);
  DebugValue value;
  const auto single = read.expression->AsNonVariadic();
  value.is_variadic = !single.has_value();
  value.expression = read.is_list && single.has_value() ? *single : *read.expression;
  for (const MachineOperand& operand : read.locations) {
    DebugValue::Place& place = value.places.emplace_back();
    if (operand.is_reg()) {
      place.kind = DebugValue::Place::Kind::kRegister;
      place.reg = operand.reg();
      place.is_indirect = read.is_indirect;
    } else if (operand.is_imm()) {
      place.bits = static_cast<uint64_t>(operand.imm());
    } else if (operand.is_fp_imm()) {
      place.kind = DebugValue::Place::Kind::kFloat;
      place.bits = operand.fp_bits();
    } else if (operand.kind() != MachineOperand::Kind::kWideImmediate ||
               !ParseWideInteger(function_.function->symbol(operand.symbol()), &place)) {
      place.kind = DebugValue::Place::Kind::kRegister;  // no register: unknown
    }
  }
  return value;
}

// Returns true if the value holds wherever the variable is in scope. `end` is the instruction that ends it, or null
// if there is none.
bool VariableCollector::IsValidThroughout(const MachineInstr& value, const MachineInstr* end) const {
  const DebugLocation& location = info_.LocationOf(value);
  const LexicalScope* scope = scopes_.FindAt(location);
  if (scope == nullptr || scope->ranges.empty()) return false;
  const MachineInstr& scope_begin = *scope->ranges.front().first;
  if (history_.Position(value) >= history_.Position(scope_begin)) {
    // The scope begins before the value, so there must be no code of the scope in between.
    if (scope_begin.parent() != value.parent()) return false;
    for (const MachineInstr* instr = value.previous(); instr != nullptr; instr = instr->previous()) {
      if (instr->has_flag(MachineInstr::kFrameSetup)) break;
      const DebugLocation& other = info_.LocationOf(*instr);
      if (!other.is_valid() || instr->is_meta()) continue;
      if (other.scope == location.scope) return false;
      const LexicalScope* other_scope = scopes_.FindAt(other);
      if (other_scope == nullptr || scope->Contains(*other_scope)) return false;
    }
  }
  if (end == nullptr) return true;
  // Constants from the first block are assumed to hold to the end.
  const DebugValueInstr& read = history_.Value(value);
  const bool is_constant = std::all_of(read.locations.begin(), read.locations.end(),
                                       [](const MachineOperand& operand) { return operand.is_imm(); });
  if (is_constant && value.parent()->predecessors().empty()) return true;
  return history_.Position(*end) >= history_.Position(*scope->ranges.back().last);
}

bool VariableCollector::BuildSpans(const EntityHistory& variable, std::vector<Span>& spans) const {
  struct Open {
    uint32_t end;
    DebugValue value;
  };
  std::vector<Open> open;
  bool may_be_single = true;
  const MachineInstr* first_value = nullptr;
  const MachineInstr* last_clobber = nullptr;
  const std::vector<HistoryEntry>& entries = variable.entries;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const HistoryEntry& entry = entries[i];
    std::erase_if(open, [i](const Open& value) { return value.end <= i; });
    Span span;
    span.begin = entry.is_clobber ? function_.After(*entry.instr) : function_.Before(*entry.instr);
    if (i + 1 == entries.size()) {
      span.end = function_.End();
      if (entry.is_clobber) last_clobber = entry.instr;
    } else {
      const HistoryEntry& next = entries[i + 1];
      span.end = next.is_clobber ? function_.After(*next.instr) : function_.Before(*next.instr);
    }
    if (!entry.is_clobber) {
      const DebugValueInstr& read = history_.Value(*entry.instr);
      may_be_single &= !read.is_undefined() && !read.expression->is_fragment();
      if (!read.is_undefined()) {
        open.push_back(Open{.end = entry.end, .value = ValueOf(*entry.instr)});
        if (first_value == nullptr) first_value = entry.instr;
      }
    }
    if (open.empty() || span.begin == span.end) continue;
    for (const Open& value : open) span.values.push_back(value.value);
    if (span.values.size() > 1) {
      const auto offset_of = [](const DebugValue& value) {
        const auto fragment = value.expression.fragment();
        return fragment.has_value() ? fragment->offset_in_bits : 0;
      };
      std::stable_sort(span.values.begin(), span.values.end(),
                       [&](const DebugValue& a, const DebugValue& b) { return offset_of(a) < offset_of(b); });
      const auto is_same_part = [](const DebugValue& a, const DebugValue& b) { return a.expression == b.expression; };
      span.values.erase(std::unique(span.values.begin(), span.values.end(), is_same_part), span.values.end());
    }
    if (!spans.empty() && spans.back().end == span.begin && spans.back().values == span.values) {
      spans.back().end = span.end;
    } else {
      spans.push_back(std::move(span));
    }
  }
  return may_be_single && first_value != nullptr && spans.size() == 1 && spans[0].values.size() == 1 &&
         IsValidThroughout(*first_value, last_clobber);
}

LocationList VariableCollector::BuildList(const EntityHistory& variable, const std::vector<Span>& spans) const {
  uint64_t encoding = 0;
  if (const MetadataNode* node = module_.metadata(variable.entity.first)) {
    const MetadataNode* type = module_.metadata(node->Node("type").value_or(kNoMetadata));
    if (type != nullptr && type->kind == "DIBasicType") {
      encoding = dwarf::FindEncoding(type->Text("encoding")).value_or(0);
    }
  }
  LocationList list;
  for (const Span& span : spans) {
    LocationListEntry entry{.begin = span.begin, .end = span.end, .location = {}};
    LocationBuilder builder(entry.location, function_.registers, builder_.address_size());
    const bool is_parts = span.values[0].expression.is_fragment();
    for (size_t i = 0; i < (is_parts ? span.values.size() : 1); ++i) {
      AddDebugValue(span.values[i], encoding, builder);
    }
    if (entry.location.Size(builder_.address_size()) != 0) list.push_back(std::move(entry));
  }
  return list;
}

void VariableCollector::AddLabels() {
  for (const auto& [entity, instr] : history_.labels()) {
    const MetadataNode* node = module_.metadata(entity.first);
    if (node == nullptr || node->kind != "DILabel") continue;
    const LexicalScope* scope = scopes_.Find(info_.SkipBlockFiles(ScopeOf(entity.first)), entity.second);
    if (scope == nullptr) continue;
    processed_.insert(entity);
    DebugEntity& label = builder_.AddConcrete(*scope, scopes_, entity.first, entity.second);
    label.kind = DebugEntity::Kind::kLabel;
    label.label = function_.Before(*instr);
  }
}

// Adds the variables that the program declares but that have no known values.
void VariableCollector::AddRetainedNodes() {
  const MetadataNode* subprogram = module_.metadata(function_.subprogram);
  if (subprogram == nullptr) return;
  for (const MetadataOperand& operand : ListOf(module_, *subprogram, "retainedNodes")) {
    const MetadataNode* node = operand.kind == MetadataOperand::Kind::kNode ? module_.metadata(operand.node) : nullptr;
    if (node == nullptr) continue;
    const MetadataId scope_node = info_.SkipBlockFiles(ScopeOf(operand.node));
    if (node->kind != "DILocalVariable" && node->kind != "DILabel") {
      builder_.AddLocalDeclaration(scope_node, operand.node);
      continue;
    }
    if (!processed_.insert(InlinedEntity(operand.node, kNoMetadata)).second) continue;
    const LexicalScope* scope = scopes_.Find(scope_node, kNoMetadata);
    if (scope == nullptr) continue;
    DebugEntity& entity = builder_.AddConcrete(*scope, scopes_, operand.node, kNoMetadata);
    if (node->kind == "DILabel") entity.kind = DebugEntity::Kind::kLabel;
  }
}

void VariableCollector::CollectAbstract() {
  // The list may grow while scopes are created.
  for (size_t i = 0; i < scopes_.abstract_subprograms().size(); ++i) {
    const LexicalScope& scope = *scopes_.abstract_subprograms()[i];
    const MetadataNode* subprogram = module_.metadata(scope.node);
    if (subprogram == nullptr) continue;
    for (const MetadataOperand& operand : ListOf(module_, *subprogram, "retainedNodes")) {
      const MetadataNode* node =
          operand.kind == MetadataOperand::Kind::kNode ? module_.metadata(operand.node) : nullptr;
      if (node == nullptr) continue;
      const MetadataId scope_node = info_.SkipBlockFiles(ScopeOf(operand.node));
      const LexicalScope* node_scope = scopes_.GetOrCreateAbstract(scope_node);
      if (node->kind != "DILocalVariable" && node->kind != "DILabel") {
        builder_.AddLocalDeclaration(scope_node, operand.node);
        continue;
      }
      if (!processed_.insert(InlinedEntity(operand.node, kNoMetadata)).second) continue;
      if (node_scope != nullptr && !builder_.HasAbstract(operand.node)) {
        builder_.AddAbstract(*node_scope, operand.node);
      }
    }
    builder_.BuildAbstractSubprogram(scope);
  }
}

}  // namespace ptxmir::ptx
