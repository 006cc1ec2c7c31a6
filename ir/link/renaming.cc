// SPDX-License-Identifier: Apache-2.0

// The part of LinkState that gives values, structures, attribute groups and metadata nodes names and numbers that are
// unique in the linked module. The modules themselves are changed; what they keep as text (metadata, attributes) is
// rewritten token by token.

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_lexer.h"
#include "ir/ir_text.h"
#include "ir/link/link_state.h"

namespace ptxmir::ir {
namespace {

// A nesting that no compiler writes; deeper nodes are not compared with others.
constexpr int kMaxDepth = 200;

}  // namespace

std::string LinkState::UniqueName(std::string_view base, absl::flat_hash_set<std::string>* taken) {
  std::string name(base);
  for (uint32_t suffix = 1; !taken->insert(name).second; ++suffix) name = StrCat(base, ".", suffix);
  return name;
}

// Returns true if two types of different modules print alike up to the names of structures, which may differ as long as
// the structures have the same bodies.
bool LinkState::SameStructure(const IrType* a, const IrType* b, int depth,
                              absl::flat_hash_set<std::pair<const IrType*, const IrType*>>* assumed) const {
  if (a->kind() != b->kind() || depth > kMaxDepth) return false;
  const auto same = [&](const IrType* x, const IrType* y) { return SameStructure(x, y, depth + 1, assumed); };
  if (a->is_array() || a->is_vector()) {
    return a->num_elements() == b->num_elements() && a->is_scalable() == b->is_scalable() &&
           same(a->element(), b->element());
  }
  if (!a->is_struct()) return a->ToString() == b->ToString();
  if (a->is_named() != b->is_named() || a->is_opaque() != b->is_opaque() || a->is_packed() != b->is_packed() ||
      a->members().size() != b->members().size()) {
    return false;
  }
  if (!assumed->insert({a, b}).second) return true;
  for (size_t i = 0; i < a->members().size(); ++i) {
    if (!same(a->members()[i], b->members()[i])) return false;
  }
  return true;
}

void LinkState::NameTypes() {
  absl::flat_hash_set<std::string> taken;
  std::map<std::string, std::vector<IrType*>> by_name;  // the name in a source: the structures that had it
  for (Input& input : inputs_) {
    IrTypeTable& types = input.module().types();
    const std::vector<IrType*> structs = types.named_structs();
    std::vector<std::pair<IrType*, std::string>> renamed;
    for (IrType* type : structs) {
      const std::string base = type->is_numbered() ? "anon" : std::string(type->name());
      std::vector<IrType*>& known = by_name[base];
      std::string name;
      for (IrType* other : known) {
        absl::flat_hash_set<std::pair<const IrType*, const IrType*>> assumed;
        if (!SameStructure(type, other, 0, &assumed)) continue;
        name = std::string(other->name());
        break;
      }
      if (name.empty()) name = UniqueName(base, &taken);
      known.push_back(type);
      const std::string source = type->is_numbered() ? StrCat("#", type->name()) : std::string(type->name());
      if (name == type->name() && !type->is_numbered()) continue;
      input.renamed_types[source] = name;
      renamed.emplace_back(type, name);
    }
    // First out of the way, because the new name of one may be the old name of another.
    for (size_t i = 0; i < renamed.size(); ++i) types.Rename(renamed[i].first, StrCat("\1", i));
    for (const auto& [type, name] : renamed) types.Rename(type, name);
  }
}

// Values that are known by their name keep it. Others get one that is free.
void LinkState::NameGlobals() {
  absl::flat_hash_set<std::string> taken;
  for (const auto& [name, symbol] : symbols_) taken.insert(name);
  for (const auto& [name, parts] : appending_) taken.insert(name);
  for (Input& input : inputs_) {
    Module& module = input.module();
    std::vector<std::pair<GlobalValue*, std::string>> renamed;
    for (GlobalValue* value : module.global_values()) {
      if (value->is_removed() || !input.is_taken[value->id()]) continue;
      if (!value->has_local_linkage() && !value->is_numbered) continue;
      std::string name = UniqueName(value->is_numbered ? "__unnamed" : std::string(value->name), &taken);
      if (name == value->name && !value->is_numbered) continue;
      input.renamed_globals[value->is_numbered ? StrCat("#", value->name) : std::string(value->name)] = name;
      renamed.emplace_back(value, std::move(name));
    }
    for (size_t i = 0; i < renamed.size(); ++i) module.RenameGlobal(*renamed[i].first, StrCat("\1", i));
    for (const auto& [value, name] : renamed) module.RenameGlobal(*value, name);
  }
}

// Returns a text with the new names of structures and values. With `renumbers`, metadata nodes get their new numbers,
// and values that are not taken become null.
std::string LinkState::Renamed(const Input& input, std::string_view text, bool renumbers) const {
  std::string out;
  IrLexer lexer(text);
  const char* done = text.data();
  for (; lexer.token().kind != IrToken::Kind::kEnd && lexer.token().kind != IrToken::Kind::kError; lexer.Advance()) {
    const IrToken token = lexer.token();
    std::string replacement;
    const std::string name = token.is_number     ? StrCat("#", token.value)
                             : token.has_escapes ? UnescapeIrString(token.value)
                                                 : std::string(token.value);
    if (token.kind == IrToken::Kind::kLocal) {
      const auto found = input.renamed_types.find(name);
      if (found == input.renamed_types.end()) continue;
      AppendIrName('%', found->second, &replacement);
    } else if (token.kind == IrToken::Kind::kGlobal) {
      const auto found = input.renamed_globals.find(name);
      if (found != input.renamed_globals.end()) {
        AppendIrName('@', found->second, &replacement);
      } else {
        const GlobalValue* value =
            input.module().FindGlobal(token.is_number ? token.value : std::string_view(name), token.is_number);
        if (value == nullptr || !renumbers) continue;
        const auto chosen = symbols_.find(name);
        const bool is_by_name = !value->has_local_linkage() && !value->is_numbered && chosen != symbols_.end();
        const Symbol symbol = is_by_name ? chosen->second : Symbol{0, value->id()};
        if ((is_by_name ? inputs_[symbol.input] : input).is_taken[symbol.id]) continue;
        replacement = "null";
      }
    } else if (token.kind == IrToken::Kind::kMetadataNumber && renumbers) {
      uint64_t number;
      if (!ParseIrDecimal(token.value, ~uint32_t{0}, &number) || number >= input.metadata.size()) continue;
      replacement = StrCat("!", input.metadata[number]);
    } else {
      continue;
    }
    out.append(done, token.begin());
    out.append(replacement);
    done = token.end();
  }
  out.append(done, text.data() + text.size());
  return out;
}

// Groups with the same text are one.
void LinkState::NumberGroups() {
  for (Input& input : inputs_) {
    for (const IrAttributeGroup& group : input.module().attribute_groups()) {
      std::string text = AttributesText(group.attributes);
      const auto [place, is_new] = group_numbers_.try_emplace(text, static_cast<uint32_t>(group_texts_.size()));
      if (is_new) group_texts_.push_back(std::move(text));
      input.groups[group.number] = place->second;
    }
  }
}

void LinkState::NumberMetadata() {
  for (uint32_t number = 0; number < inputs_.size(); ++number) {
    Input& input = inputs_[number];
    constexpr MetadataId kNone = ~MetadataId{0};
    input.metadata.assign(input.module().metadata_bound(), kNone);
    for (MetadataId id = 0; id < input.metadata.size(); ++id) {
      if (input.module().HasMetadata(id)) NumberNode(number, id, 0);
    }
  }
  for (const DeepNode& node : deep_nodes_) {
    const Input& input = inputs_[node.input];
    node_texts_[node.number] = Renamed(input, input.module().MetadataText(node.id), /*renumbers=*/true);
  }
}

// Numbers the nodes that a node names first, so that equal nodes have equal texts. Nodes in a cycle keep their own.
MetadataId LinkState::NumberNode(uint32_t number, MetadataId id, int depth) {
  constexpr MetadataId kNone = ~MetadataId{0};
  Input& input = inputs_[number];
  if (id >= input.metadata.size() || input.metadata[id] != kNone)
    return id < input.metadata.size() ? input.metadata[id] : id;
  const std::string_view text = input.module().MetadataText(id);
  const bool is_distinct = text.substr(0, 8) == "distinct";
  // The number is taken before those of its operands, for the case of a cycle.
  const auto own = static_cast<MetadataId>(node_texts_.size());
  input.metadata[id] = own;
  node_texts_.emplace_back();
  const size_t first_operand = node_texts_.size();
  if (text.empty()) {
    // A node mentions one that is not defined.
    node_texts_[own] = "!{}";
    return own;
  }
  if (depth >= kMaxDepth) {
    deep_nodes_.push_back({number, id, own});
    node_texts_[own] = "!{}";
    return own;
  }
  bool is_cyclic = false;
  IrLexer lexer(text);
  for (; lexer.token().kind != IrToken::Kind::kEnd && lexer.token().kind != IrToken::Kind::kError; lexer.Advance()) {
    uint64_t operand;
    const IrToken& token = lexer.token();
    if (token.kind != IrToken::Kind::kMetadataNumber || !ParseIrDecimal(token.value, ~uint32_t{0}, &operand)) continue;
    const bool is_known = operand < input.metadata.size() && input.metadata[operand] != kNone;
    if (is_known && node_texts_[input.metadata[operand]].empty()) is_cyclic = true;  // it is being numbered
    NumberNode(number, static_cast<MetadataId>(operand), depth + 1);
  }
  std::string renamed = Renamed(input, text, /*renumbers=*/true);
  if (!is_distinct && !is_cyclic) {
    const auto [place, is_new] = node_numbers_.try_emplace(renamed, own);
    if (!is_new) {
      input.metadata[id] = place->second;
      // The number stays unused if operands came after it.
      if (node_texts_.size() == first_operand)
        node_texts_.pop_back();
      else
        node_texts_[own] = "!{}";
      return place->second;
    }
  }
  node_texts_[own] = std::move(renamed);
  return own;
}

// Copies the text of a body, with the new numbers of metadata (!7) and attribute groups (#7).
void LinkState::RenumberBody(const Input& input, std::string_view body, std::string* out) const {
  const char* done = body.data();
  const char* const end = body.data() + body.size();
  for (const char* p = body.data(); p < end; ++p) {
    if (*p == '"') {
      do ++p;
      while (p < end && *p != '"');
      continue;
    }
    if ((*p != '!' && *p != '#') || p + 1 == end || !IsIrDigit(p[1])) continue;
    const char* last = p + 1;
    while (last < end && IsIrDigit(*last)) ++last;
    uint64_t number;
    if (!ParseIrDecimal({p + 1, static_cast<size_t>(last - p - 1)}, ~uint32_t{0}, &number)) continue;
    out->append(done, p + 1);
    if (*p == '!') {
      StrAppend(out, number < input.metadata.size() ? input.metadata[number] : static_cast<MetadataId>(number));
    } else {
      const auto found = input.groups.find(static_cast<uint32_t>(number));
      StrAppend(out, found == input.groups.end() ? static_cast<uint32_t>(number) : found->second);
    }
    done = last;
    p = last - 1;
  }
  out->append(done, end);
}

// Gives attributes with a type (byval) the names that structures have now, and so the metadata that bodies write in
// place.
void LinkState::RewriteAttributes(Input& input) {
  if (input.renamed_types.empty() && input.renamed_globals.empty()) return;
  Module& module = input.module();
  Program& program = *input.file.program;
  const auto rewrite = [&](IrAttributes& attributes) {
    bool changed = false;
    for (IrAttribute& attribute : attributes.mutable_all()) {
      if (attribute.type == nullptr) continue;
      attribute.text = module.CopyString(StrCat(attribute.name, "(", attribute.type->ToString(), ")"));
      changed = true;
    }
    return changed;
  };
  for (GlobalValue* value : module.global_values()) {
    if (!value->is_function()) continue;
    auto& function = static_cast<IrFunction&>(*value);
    rewrite(function.attributes);
    rewrite(function.return_attributes);
    for (IrParameter& parameter : function.parameters) rewrite(parameter.attributes);
  }
  for (size_t id = 1; id < program.num_attribute_sets(); ++id) {
    AttributeSet& set = program.attribute_set(static_cast<AttributeSetId>(id));
    if (!rewrite(set.attributes)) continue;
    std::string text = AttributesText(set.attributes);
    for (const uint32_t group : set.groups) StrAppend(&text, " #", group);
    set.text = module.CopyString(text);
  }
  for (size_t i = 0; i < program.num_metadata_texts(); ++i) {
    const auto index = static_cast<uint32_t>(i) | MetadataRef::kInline;
    const std::string_view text = program.metadata_text(MetadataRef{index});
    if (text.find_first_of("@%") == text.npos) continue;
    program.SetMetadataText(i, module.CopyString(Renamed(input, text, /*renumbers=*/false)));
  }
}

}  // namespace ptxmir::ir
