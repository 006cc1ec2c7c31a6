// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/global_array_alignment.h"

#include "ir/address_space.h"

namespace ptxmir {
namespace {

constexpr uint64_t kWidestAccess = 16;

bool IsFinalDefinition(const GlobalVariable& variable) {
  const bool is_external_or_local = variable.linkage == Linkage::kExternal || variable.has_local_linkage();
  return !variable.is_declaration() && is_external_or_local && variable.comdat.empty() && variable.section.empty();
}

// Returns true if arrays lie in the space, and code accesses them there.
bool IsSpaceOfArrays(uint32_t space) {
  return space == address_space::kGeneric || space == address_space::kGlobal || space == address_space::kShared ||
         space == address_space::kConst;
}

}  // namespace

IrPassResult RunSetGlobalArrayAlignment(ir::Program& program, IrPassContext& context) {
  Module& module = program.module();
  uint64_t num_aligned = 0;
  for (GlobalValue* const value : module.global_values()) {
    if (!value->is_variable() || value->is_removed()) continue;
    auto& variable = static_cast<GlobalVariable&>(*value);
    if (!variable.value_type->is_array() || !IsFinalDefinition(variable) || variable.name.starts_with("llvm.") ||
        !IsSpaceOfArrays(variable.address_space)) {
      continue;
    }
    const DataLayout& layout = module.data_layout();
    if (layout.AllocSize(variable.value_type) < kWidestAccess ||
        layout.GlobalAlign(variable.value_type, variable.align) >= kWidestAccess) {
      continue;
    }
    variable.align = kWidestAccess;
    variable.MarkChanged();
    ++num_aligned;
  }
  context.AddStatistic("arrays aligned", num_aligned);
  return {.changed = num_aligned != 0};
}

}  // namespace ptxmir
