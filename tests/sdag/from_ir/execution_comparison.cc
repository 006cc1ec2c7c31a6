// SPDX-License-Identifier: Apache-2.0

#include "tests/sdag/from_ir/execution_comparison.h"

#include "base/diagnostics.h"
#include "compiler/ir_input.h"
#include "compiler/select_module.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/generated_run.h"
#include "ptx/target/module_subtarget.h"

namespace ptxmir::testing {

std::unique_ptr<Module> SelectIr(const std::string& name, const std::string& ir, const std::string& cpu,
                                 const std::string& features, unsigned opt_level, std::string* errors) {
  DiagnosticEngine diagnostics;
  DriverOptions options;
  options.pipeline.opt_level = static_cast<int>(opt_level);
  RunReport report;
  const auto select = [&](sdag::DagFunction& function) {
    const Module& module = *function.machine_function().module();
    const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(module, cpu, features);
    return subtarget.ok() && SelectDags(function, options.knobs, opt_level, *subtarget, module.ir_source(),
                                        DagVerification::kBeforeSelection, diagnostics);
  };
  std::unique_ptr<Module> module =
      BuildDagsOfIr(options, std::make_shared<SourceBuffer>(name, ir), diagnostics, report, nullptr, select).module;
  *errors = diagnostics.ToString();
  if (module == nullptr) return nullptr;
  bool is_valid = true;
  for (const auto& function : module->machine_functions()) is_valid &= VerifyMachineFunction(*function, *errors);
  return is_valid ? std::move(module) : nullptr;
}

Comparison CompareKernel(const Module& expected, const Module& actual, const IrFunction& kernel, uint64_t seed,
                         ptx::FloatTolerance tolerance) {
  const IrFunction* other = actual.FindFunction(kernel.name);
  if (other == nullptr) return {true, "there is no such kernel"};
  const GeneratedRun first = RunOnGeneratedInput(expected, FunctionsOf(expected), kernel, seed);
  if (!first.ended_well()) return {};
  const GeneratedRun second = RunOnGeneratedInput(actual, FunctionsOf(actual), *other, seed,
                                                  {.step_factor = kStepFactorOfChanged, .style = first.style});
  return {true, DifferenceOf(first, second, tolerance)};
}

}  // namespace ptxmir::testing
