// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/assign_valid_global_names.h"

#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
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
  std::vector<GlobalValue*> illegal;
  for (GlobalValue* const value : module.global_values()) {
    if (IsIllegal(*value)) illegal.push_back(value);
  }
  if (illegal.empty()) return {};
  const std::vector<bool> in_metadata = ir::GlobalsInMetadata(module);
  const ptx::PtxNames names(module);
  std::vector<std::pair<GlobalValue*, std::string>> with_names;
  for (GlobalValue* const value : illegal) {
    std::string name(names[value->id()]);
    if (in_metadata[value->id()]) {
      context.reporter.AddGlobalRemark(IrPassReporter::Kind::kMissed, "NotRenamed", *value,
                                       StrCat("keeps its name here, which metadata mentions; PTX has '", name, "'"));
      continue;
    }
    context.reporter.AddGlobalRemark(IrPassReporter::Kind::kPassed, "Renamed", *value,
                                     StrCat("is called '", name, "', which is a name in PTX"));
    with_names.emplace_back(value, std::move(name));
  }
  if (with_names.empty()) return {};
  for (const auto& [value, name] : with_names) module.RenameGlobal(*value, name);
  // Initial values and aliases that mention a name are printed from their data now.
  for (GlobalValue* const value : module.global_values()) {
    if (!value->is_function()) value->MarkChanged();
  }
  context.AddStatistic("global values renamed", with_names.size());
  return {.changed = true};
}

}  // namespace ptxmir
