// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/globals/global_array_alignment.h"

#include "base/str_cat.h"
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
    if (!variable.value_type->is_array() || variable.name.starts_with("llvm.") ||
        !IsSpaceOfArrays(variable.address_space)) {
      continue;
    }
    const DataLayout& layout = module.data_layout();
    const uint64_t known = layout.GlobalAlign(variable.value_type, variable.align);
    if (layout.AllocSize(variable.value_type) < kWidestAccess || known >= kWidestAccess) continue;
    if (!IsFinalDefinition(variable)) {
      context.reporter.AddGlobalRemark(IrPassReporter::Kind::kMissed, "NotAligned", variable, [&] {
        return StrCat("stays aligned to ", known, " bytes: it may be defined elsewhere");
      });
      continue;
    }
    context.reporter.AddGlobalRemark(IrPassReporter::Kind::kPassed, "Aligned", variable, [&] {
      return StrCat("is aligned to ", kWidestAccess, " bytes instead of ", known);
    });
    variable.align = kWidestAccess;
    variable.MarkChanged();
    ++num_aligned;
  }
  context.AddStatistic("arrays aligned", num_aligned);
  return {.changed = num_aligned != 0};
}

}  // namespace ptxmir
