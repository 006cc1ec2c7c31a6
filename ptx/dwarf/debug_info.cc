// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/debug_info.h"

namespace ptxmir::ptx {
namespace {

// Chains of scopes and of inlined calls are short. Longer ones are cycles in broken metadata.
constexpr int kMaxScopeDepth = 1000;

EmissionKind ParseEmissionKind(const MetadataNode& unit) {
  const MetadataOperand* kind = unit.Find("emissionKind");
  if (kind == nullptr) return EmissionKind::kNoDebug;
  if (kind->kind == MetadataOperand::Kind::kInteger) {
    return kind->integer >= 0 && kind->integer <= 3 ? static_cast<EmissionKind>(kind->integer) : EmissionKind::kNoDebug;
  }
  if (kind->text == "FullDebug") return EmissionKind::kFullDebug;
  if (kind->text == "LineTablesOnly") return EmissionKind::kLineTablesOnly;
  if (kind->text == "DebugDirectivesOnly") return EmissionKind::kDirectivesOnly;
  return EmissionKind::kNoDebug;
}

}  // namespace

DebugInfo::DebugInfo(const Module& module) : module_(module) {
  const NamedMetadata* units = module.FindNamedMetadata("llvm.dbg.cu");
  if (units == nullptr) return;
  for (MetadataId unit : units->nodes) {
    const EmissionKind kind = EmissionKindOf(unit);
    if (kind == EmissionKind::kNoDebug) continue;
    is_present_ = true;
    if (kind != EmissionKind::kDirectivesOnly) wants_dwarf_ = true;
  }
}

MetadataId DebugInfo::SubprogramOf(const IrFunction& function) {
  const MetadataAttachment* attachment = function.FindMetadata("dbg");
  if (attachment == nullptr || !attachment->text.empty()) return kNoMetadata;
  const DebugScope& scope = Scope(attachment->node);
  if (scope.kind != DebugScope::Kind::kSubprogram || EmissionKindOf(scope.unit) == EmissionKind::kNoDebug) {
    return kNoMetadata;
  }
  return attachment->node;
}

DebugLocation DebugInfo::ReadLocation(const MetadataNode* node) {
  DebugLocation location;
  if (node == nullptr || node->kind != "DILocation") return location;
  location.line = static_cast<uint32_t>(node->Integer("line"));
  location.column = static_cast<uint32_t>(node->Integer("column"));
  location.scope = node->Node("scope").value_or(kNoMetadata);
  if (const MetadataOperand* call = node->Find("inlinedAt")) {
    if (call->kind == MetadataOperand::Kind::kNode) location.inlined_at = call->node;
    if (call->kind == MetadataOperand::Kind::kInlineNode) location.inlined_at = InternNestedLocation(call->inline_node);
  }
  return location;
}

MetadataId DebugInfo::InternNestedLocation(const MetadataNode* node) {
  const DebugLocation location = ReadLocation(node);
  if (!location.is_valid()) return kNoMetadata;
  const auto [found, is_new] =
      nested_location_ids_.emplace(std::make_tuple(location.line, location.column, location.scope, location.inlined_at),
                                   kNestedLocation + static_cast<MetadataId>(nested_locations_.size()));
  if (is_new) nested_locations_.push_back(location);
  return found->second;
}

const DebugLocation& DebugInfo::LocationOf(const MachineInstr& instr) {
  static const DebugLocation kNone;
  const MetadataId id = instr.debug_loc();
  if (id == MachineInstr::kNoDebugLoc) return kNone;
  if (!MachineFunction::IsInlineMetadata(id)) return Location(id);
  const DebugLocation*& found = inline_locations_[id];
  if (found == nullptr) {
    found = &location_storage_.emplace_back(
        ReadLocation(module_.ParseInlineMetadata(instr.function().inline_metadata(id))));
  }
  return *found;
}

const DebugLocation& DebugInfo::Location(MetadataId id) {
  const auto [found, is_new] = locations_.emplace(id, nullptr);
  if (is_new) {
    const size_t nested = id - kNestedLocation;
    found->second = &location_storage_.emplace_back(id >= kNestedLocation && nested < nested_locations_.size()
                                                        ? nested_locations_[nested]
                                                        : ReadLocation(module_.metadata(id)));
  }
  return *found->second;
}

const DebugScope& DebugInfo::Scope(MetadataId id) {
  const DebugScope*& found = scopes_[id];
  if (found != nullptr) return *found;
  DebugScope& scope = scope_storage_.emplace_back();
  found = &scope;
  const MetadataNode* node = module_.metadata(id);
  if (node == nullptr) return scope;
  if (node->kind == "DISubprogram") {
    scope.kind = DebugScope::Kind::kSubprogram;
    scope.unit = node->Node("unit").value_or(kNoMetadata);
    scope.scope_line = static_cast<uint32_t>(node->Integer("scopeLine"));
  } else if (node->kind == "DILexicalBlock") {
    scope.kind = DebugScope::Kind::kBlock;
  } else if (node->kind == "DILexicalBlockFile") {
    scope.kind = DebugScope::Kind::kBlockFile;
  }
  if (scope.kind != DebugScope::Kind::kSubprogram) {
    scope.parent = node->Node("scope").value_or(kNoMetadata);
  }
  scope.file = node->Node("file").value_or(kNoMetadata);
  return scope;
}

MetadataId DebugInfo::SkipBlockFiles(MetadataId scope) {
  for (int depth = 0; depth < kMaxScopeDepth && scope != kNoMetadata; ++depth) {
    if (Scope(scope).kind != DebugScope::Kind::kBlockFile) break;
    scope = Scope(scope).parent;
  }
  return scope;
}

EmissionKind DebugInfo::EmissionKindOf(MetadataId unit) const {
  if (unit == kNoMetadata) return EmissionKind::kNoDebug;
  const MetadataNode* node = module_.metadata(unit);
  return node == nullptr ? EmissionKind::kNoDebug : ParseEmissionKind(*node);
}

EmissionKind DebugInfo::EmissionKindOfScope(MetadataId scope) {
  for (int depth = 0; depth < kMaxScopeDepth && scope != kNoMetadata; ++depth) {
    const DebugScope& found = Scope(scope);
    if (found.kind == DebugScope::Kind::kSubprogram) return EmissionKindOf(found.unit);
    scope = found.parent;
  }
  return EmissionKind::kNoDebug;
}

uint32_t DebugInfo::FileNumber(MetadataId file) {
  const auto [found, is_new] = file_numbers_.emplace(file, 0);
  if (!is_new) return found->second;
  std::string path = "<stdin>";
  const MetadataNode* node = file == kNoMetadata ? nullptr : module_.metadata(file);
  if (node != nullptr && !node->Text("filename").empty()) {
    path.clear();
    const std::string_view name = node->Text("filename");
    const std::string_view directory = node->Text("directory");
    if (!directory.empty() && !name.starts_with('/')) {
      path = directory;
      if (!path.ends_with('/')) path += '/';
    }
    path += name;
  }
  const auto [by_path, is_new_path] = file_numbers_by_path_.emplace(path, static_cast<uint32_t>(files_.size() + 1));
  if (is_new_path) files_.push_back(std::move(path));
  found->second = by_path->second;
  return found->second;
}

}  // namespace ptxmir::ptx
