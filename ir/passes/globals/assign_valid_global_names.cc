// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/assign_valid_global_names.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/passes/support/global_uses.h"
#include "ptx/target/ptx_names.h"

namespace ptxmir {
namespace {

bool IsIllegal(const GlobalValue& value) {
  return value.has_local_linkage() && !value.is_numbered && !value.is_removed() && !value.name.starts_with("llvm.") &&
         !ptx::IsPtxIdentifier(value.name);
}

}  // namespace

IrPassResult RunAssignValidGlobalNames(ir::Program& program, IrPassContext& context) {
  Module& module = program.module();
  std::vector<GlobalValue*> renamed;
  for (GlobalValue* const value : module.global_values()) {
    if (IsIllegal(*value)) renamed.push_back(value);
  }
  if (renamed.empty()) return {};
  const std::vector<bool> in_metadata = ir::GlobalsInMetadata(module);
  renamed.erase(std::remove_if(renamed.begin(), renamed.end(),
                               [&](const GlobalValue* value) { return in_metadata[value->id()]; }),
                renamed.end());
  if (renamed.empty()) return {};
  const ptx::PtxNames names(module);
  std::vector<std::pair<GlobalValue*, std::string>> with_names;
  for (GlobalValue* const value : renamed) with_names.emplace_back(value, std::string(names[value->id()]));
  for (const auto& [value, name] : with_names) module.RenameGlobal(*value, name);
  // Initial values and aliases that mention a name are printed from their data now.
  for (GlobalValue* const value : module.global_values()) {
    if (!value->is_function()) value->MarkChanged();
  }
  context.AddStatistic("global values renamed", renamed.size());
  return {.changed = true};
}

}  // namespace ptxmir
