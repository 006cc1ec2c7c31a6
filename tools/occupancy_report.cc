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

// Returns the bytes of the shared variables that a kernel may use. A variable that no kernel mentions counts for all:
// the file does not say who uses it.
uint32_t StaticSharedBytes(const Module& module, std::string_view kernel) {
  uint64_t bytes = 0;
  for (const GlobalVariable& variable : module.variables()) {
    if (variable.address_space != address_space::kShared || variable.name.starts_with("llvm.")) continue;
    const std::vector<const IrFunction*> users = KernelsThatUse(module, variable.name);
    const bool is_used = users.empty() || std::any_of(users.begin(), users.end(),
                                                      [&](const IrFunction* user) { return user->name == kernel; });
    if (!is_used) continue;
    const DataLayout& layout = module.data_layout();
    bytes = AlignTo(bytes, std::max<uint64_t>(layout.GlobalAlign(variable.value_type, variable.align), 1)) +
            layout.AllocSize(variable.value_type);
  }
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, ~uint32_t{0}));
}

std::string Describe(const ptx::SmLimits& limits, const ptx::KernelResources& kernel, std::string_view note) {
  return StrCat("CTAs of ", kernel.threads, " threads", note, ", ", kernel.shared_bytes,
                " bytes of shared memory: ", ptx::DescribeOccupancy(limits, kernel), "\n");
}

}  // namespace

std::string OccupancyReport(const Module& module, absl::Span<const FunctionPressure> functions,
                            const ptx::KernelResources& asked) {
  std::string text;
  for (const FunctionPressure& function : functions) {
    const ptx::SmInfo* const sm = ptx::FindSm(function.sm);
    if (sm == nullptr || !function.is_kernel || function.steps.empty()) continue;
    const RegisterBudget budget = function.budget.value_or(RegisterBudget());
    const uint32_t live = function.steps.back().profile.max_units;
    ptx::KernelResources own = ResourcesOf(budget, live, sm->limits);
    own.shared_bytes = StaticSharedBytes(module, function.function);
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
