// SPDX-License-Identifier: Apache-2.0

#include "tests/sdag/from_ir/execution_comparison.h"

#include "base/diagnostics.h"
#include "compiler/ir_input.h"
#include "compiler/select_module.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/generated_run.h"
#include "ptx/target/module_subtarget.h"

namespace ptxmir::testing {
namespace {

bool Select(ir::Program& program, const std::string& cpu, const std::string& features, unsigned opt_level,
            DiagnosticEngine& diagnostics) {
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(program.module(), cpu, features);
  if (!subtarget.ok()) return false;
  return SelectProgram(program,
                       {.knobs = Knobs(),
                        .opt_level = opt_level,
                        .subtarget = *subtarget,
                        .source = program.module().ir_source(),
                        .verification = DagVerification::kBeforeSelection},
                       diagnostics);
}

}  // namespace

std::unique_ptr<Module> SelectIr(const std::string& name, const std::string& ir, const std::string& cpu,
                                 const std::string& features, unsigned opt_level, std::string* errors) {
  DiagnosticEngine diagnostics;
  DriverOptions options;
  options.pipeline.opt_level = static_cast<int>(opt_level);
  RunReport report;
  ir::ProgramFile file =
      ReadAndPrepareIr(options, std::make_shared<SourceBuffer>(name, ir), diagnostics, report, nullptr);
  std::unique_ptr<Module> module;
  if (file.program != nullptr && Select(*file.program, cpu, features, opt_level, diagnostics)) {
    module = std::move(file.module);
  }
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
