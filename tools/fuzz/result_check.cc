// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/result_check.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/generated_run.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/module_subtarget.h"

namespace ptxmir::fuzz {
namespace {

// The factor by which the result of a pipeline may exceed the step limit of the original. Each pass may add steps.
constexpr uint64_t kStepFactorOfPipeline = 4 * kStepFactorOfChanged;

}  // namespace

ResultCheck::ResultCheck(std::unique_ptr<Module> original, std::unique_ptr<Module> changed, unsigned launches)
    : original_(std::move(original)), changed_(std::move(changed)), launches_(launches), passes_(PassTable().size()) {}

std::string ResultCheck::CheckPasses(const FuzzPipeline& pipeline, bool verifies_each) {
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(*changed_, "", "");
  if (!subtarget.ok()) return std::string(subtarget.status().message());
  RunOptions options;
  options.verify_each = verifies_each;
  options.opt_level = pipeline.opt_level;
  options.inputs.knobs = &pipeline.knobs;
  options.inputs.subtarget = &*subtarget;
  for (const auto& function : changed_->machine_functions()) {
    std::string error = RunPassesOn(*function, pipeline.steps, options, passes_);
    if (error.empty()) VerifyMachineFunction(*function, error);
    if (!error.empty()) return error;
  }
  std::string error, ptx;
  if (pipeline.is_printed) PrintPtx(*changed_, ptx, error);
  return error;
}

std::string ResultCheck::CompareRun(const IrFunction& kernel, uint64_t seed) {
  GeneratedRunSettings settings = {.style = ptx::LaunchStyle{.is_long = true}, .is_strict = true};
  const GeneratedRun before = RunOnGeneratedInput(*original_, FunctionsOf(*original_), kernel, seed, settings);
  if (!before.ended_well()) {
    is_defined_ = false;
    return before.result.ok() ? before.result->fault.ToString() : std::string(before.result.status().message());
  }
  settings.step_factor = kStepFactorOfPipeline;
  settings.is_strict = false;
  const IrFunction& changed = *changed_->FindFunction(kernel.name);
  const GeneratedRun after = RunOnGeneratedInput(*changed_, FunctionsOf(*changed_), changed, seed, settings);
  return DifferenceOf(before, after, ptx::FloatTolerance::kNone);
}

std::string ResultCheck::CompareRuns() {
  for (const auto& function : original_->machine_functions()) {
    const IrFunction& kernel = *original_->FindFunction(function->name());
    if (!IsKernel(*original_, kernel)) continue;
    for (uint64_t seed = 0; seed < launches_; ++seed) {
      const std::string difference = CompareRun(kernel, seed);
      if (!difference.empty()) return StrCat("kernel '", kernel.name, "' on input ", seed, ": ", difference);
    }
  }
  return {};
}

}  // namespace ptxmir::fuzz
