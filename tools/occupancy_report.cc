// SPDX-License-Identifier: Apache-2.0

#include "tools/occupancy_report.h"

#include <algorithm>
#include <vector>

#include "analysis/pressure/register_budget.h"
#include "base/align.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "passes/equivalence/reference_run.h"

namespace ptxmir {
namespace {

std::string Describe(const ptx::SmLimits& limits, const ptx::KernelResources& kernel, std::string_view note) {
  return StrCat("CTAs of ", kernel.threads, " threads", note, ", ", kernel.shared_bytes,
                " bytes of shared memory: ", ptx::DescribeOccupancy(limits, kernel), "\n");
}

}  // namespace

SharedVariables::SharedVariables(const Module& module) {
  const DataLayout& layout = module.data_layout();
  for (const GlobalVariable& variable : module.variables()) {
    if (variable.address_space != address_space::kShared || variable.name.starts_with("llvm.")) continue;
    Variable& known = variables_.emplace_back();
    known.size = layout.AllocSize(variable.value_type);
    known.align = std::max<uint64_t>(layout.GlobalAlign(variable.value_type, variable.align), 1);
    for (const IrFunction* const user : KernelsThatUse(module, variable.name)) known.kernels.insert(user->name);
  }
}

uint32_t SharedVariables::BytesOf(std::string_view kernel) const {
  uint64_t bytes = 0;
  for (const Variable& variable : variables_) {
    if (variable.kernels.empty() || variable.kernels.contains(kernel)) {
      bytes = AlignTo(bytes, variable.align) + variable.size;
    }
  }
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, ~uint32_t{0}));
}

std::string OccupancyReport(const Module& module, absl::Span<const FunctionPressure> functions,
                            const ptx::KernelResources& asked) {
  std::string text;
  const SharedVariables shared(module);
  for (const FunctionPressure& function : functions) {
    const ptx::SmInfo* const sm = ptx::FindSm(function.sm);
    if (sm == nullptr || !function.is_kernel || function.steps.empty()) continue;
    const RegisterBudget budget = function.budget.value_or(RegisterBudget());
    const uint32_t live = function.steps.back().profile.max_units;
    ptx::KernelResources own = ResourcesOf(budget, live, sm->limits);
    own.shared_bytes = shared.BytesOf(function.function);
    ptx::KernelResources changed = own;
    changed.threads = asked.threads;
    if (asked.registers != 0) changed.registers = asked.registers;
    changed.shared_bytes += asked.shared_bytes;
    StrAppend(&text, "kernel '", function.function, "': at most ", live, " registers live at once\n");
    StrAppend(&text, "  by the file: ",
              Describe(sm->limits, own, budget.cta_threads != 0 ? " (its launch bounds)" : " (assumed)"));
    const bool is_too_large = budget.cta_threads != 0 && asked.threads > budget.cta_threads;
    StrAppend(&text, "  as asked for: ",
              Describe(sm->limits, changed, is_too_large ? " (more than its launch bounds allow)" : ""));
    text += ptx::OccupancyTable(*sm, changed);
  }
  return text.empty() ? "the file has no kernels\n" : text;
}

}  // namespace ptxmir
