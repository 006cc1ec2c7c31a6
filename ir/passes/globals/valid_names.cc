// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/valid_names.h"

#include <algorithm>
#include <utility>

#include "ir/passes/support/global_uses.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir {
namespace {

bool IsIllegal(const GlobalValue& value) {
  return value.has_local_linkage() && !value.is_numbered && !value.is_removed() && !value.name.starts_with("llvm.") &&
         !ptx::IsPtxIdentifier(value.name);
}

}  // namespace

bool HasIllegalNames(const Module& module) {
  const auto& values = module.global_values();
  return std::any_of(values.begin(), values.end(), [](const GlobalValue* value) { return IsIllegal(*value); });
}

std::vector<GlobalRename> RenameIllegalGlobals(
    Module& module, absl::FunctionRef<void(const GlobalValue& value, std::string_view name, bool is_renamed)> report) {
  if (!HasIllegalNames(module)) return {};
  const std::vector<bool> in_metadata = ir::GlobalsInMetadata(module);
  const ptx::PtxNames names(module);
  std::vector<GlobalRename> renamed;
  std::vector<std::string> new_names;
  for (GlobalValue* const value : module.global_values()) {
    if (!IsIllegal(*value)) continue;
    const std::string_view name = names[value->id()];
    const bool is_renamed = !in_metadata[value->id()];
    report(*value, name, is_renamed);
    if (!is_renamed) continue;
    renamed.push_back({value, std::string(value->name)});
    new_names.emplace_back(name);
  }
  if (renamed.empty()) return renamed;
  for (size_t i = 0; i < renamed.size(); ++i) module.RenameGlobal(*renamed[i].value, new_names[i]);
  // Initial values and aliases that mention a name are printed from their data now.
  for (GlobalValue* const value : module.global_values()) {
    if (!value->is_function()) value->MarkChanged();
  }
  return renamed;
}

}  // namespace ptxmir
