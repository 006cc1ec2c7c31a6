// SPDX-License-Identifier: Apache-2.0

#include "mir/text/source_place.h"

#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "ir/module.h"
#include "mir/code/function_ir.h"

namespace ptxmir {
namespace {

// The maximum length of a chain of scopes or of inlined calls. Longer chains are assumed to be cycles.
constexpr int kMaxScopeDepth = 1000;

// Returns the file of a scope: its own, or that of the nearest enclosing scope that has one.
std::string_view FileOfScope(const Module& module, const MetadataNode* scope) {
  for (int depth = 0; depth < kMaxScopeDepth && scope != nullptr; ++depth) {
    if (const std::optional<MetadataId> id = scope->Node("file")) {
      const MetadataNode* file = module.metadata(*id);
      return file == nullptr ? std::string_view() : file->Text("filename");
    }
    const std::optional<MetadataId> parent = scope->Node("scope");
    scope = parent.has_value() ? module.metadata(*parent) : nullptr;
  }
  return {};
}

std::optional<SourceLocation> LocationOf(const Module& module, const MetadataNode* node) {
  if (node == nullptr || node->kind != "DILocation") return std::nullopt;
  const std::optional<MetadataId> scope = node->Node("scope");
  if (!scope.has_value()) return std::nullopt;
  const std::string_view file = FileOfScope(module, module.metadata(*scope));
  if (file.empty()) return std::nullopt;
  return SourceLocation{std::string(file), static_cast<uint32_t>(node->Integer("line")),
                        static_cast<uint32_t>(node->Integer("column"))};
}

// Returns the location of the call that the code of a DILocation was inlined at; null if it was not inlined.
const MetadataNode* InlinedCall(const Module& module, const MetadataNode& location) {
  const MetadataOperand* call = location.Find("inlinedAt");
  if (call == nullptr) return nullptr;
  if (const std::optional<MetadataId> id = location.Node("inlinedAt")) return module.metadata(*id);
  return call->inline_node;
}

void AppendLocation(const SourceLocation& location, std::string& out) {
  StrAppend(&out, location.file, ":", location.line, ":", location.column);
}

}  // namespace

std::string SourcePlace::ToString() const {
  std::string text;
  AppendLocation(calls.empty() ? code : calls.back(), text);
  if (calls.empty()) return text;
  text += " (inlined from ";
  for (size_t i = calls.size() - 1; i-- > 0;) {
    AppendLocation(calls[i], text);
    text += ", ";
  }
  AppendLocation(code, text);
  return text + ")";
}

std::optional<SourcePlace> ResolveDebugLocation(const MachineFunction& function, MetadataId loc) {
  const Module* module = function.module();
  if (loc == MachineInstr::kNoDebugLoc || module == nullptr) return std::nullopt;
  const MetadataNode* node = MachineFunction::IsInlineMetadata(loc)
                                 ? module->ParseInlineMetadata(function.inline_metadata(loc))
                                 : module->metadata(loc);
  std::optional<SourceLocation> location = LocationOf(*module, node);
  if (!location.has_value()) return std::nullopt;
  SourcePlace place{*std::move(location), {}};
  for (const MetadataNode* call = InlinedCall(*module, *node); call != nullptr && place.calls.size() < kMaxScopeDepth;
       call = InlinedCall(*module, *call)) {
    location = LocationOf(*module, call);
    if (!location.has_value()) break;
    place.calls.push_back(*std::move(location));
  }
  return place;
}

std::string SourcePlaceText(const MachineFunction& function, MetadataId loc) {
  const std::optional<SourcePlace> place = ResolveDebugLocation(function, loc);
  return place.has_value() ? place->ToString() : "";
}

std::optional<SourceLocation> FunctionLocation(const MachineFunction& function) {
  const Module* module = function.module();
  const IrFunction* ir_function = FindIrFunction(function);
  const MetadataAttachment* attachment = ir_function == nullptr ? nullptr : ir_function->FindMetadata("dbg");
  if (attachment == nullptr || !attachment->text.empty()) return std::nullopt;
  const MetadataNode* subprogram = module->metadata(attachment->node);
  if (subprogram == nullptr || subprogram->kind != "DISubprogram") return std::nullopt;
  const std::string_view file = FileOfScope(*module, subprogram);
  if (file.empty()) return std::nullopt;
  return SourceLocation{std::string(file), static_cast<uint32_t>(subprogram->Integer("scopeLine")), 0};
}

}  // namespace ptxmir
