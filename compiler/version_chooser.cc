// SPDX-License-Identifier: Apache-2.0

#include "compiler/version_chooser.h"

#include <utility>

#include "mir/code/clone_function.h"
#include "mir/code/function_ir.h"
#include "passes/ptxas_model/ptxas_model.h"

namespace ptxmir {
namespace {

// Returns the options for versions that nobody sees.
RunOptions OptionsForTrials(const RunOptions& options) {
  RunOptions trial;
  trial.opt_level = options.opt_level;
  trial.inputs = options.inputs;
  trial.gates = options.gates;
  trial.poll = options.poll;
  return trial;
}

// Returns true if something besides the result would be missed in a version that was compiled with OptionsForTrials.
bool HasObservers(const RunOptions& options) {
  const PrintOptions& print = options.print;
  return print.dumps_passes() || print.changed != ChangeFormat::kNone || print.schedule_pictures || print.dot_cfg ||
         options.inputs.time_trace != nullptr || options.remark_filter != nullptr ||
         options.execution_checker != nullptr || options.history != nullptr || options.verify_each ||
         options.time_passes || options.report_pressure || options.report_budgets;
}

// Returns true if fewer registers would be of use to a kernel, and if the model can say which version has fewer.
bool IsWorthTrying(const PtxasFeatures& features) {
  const auto registers = static_cast<int32_t>(PredictRegisters(features));
  return registers > features[PtxasFeature::kFull] && registers < features[PtxasFeature::kLimit];
}

}  // namespace

VersionChooser::VersionChooser(const Pipeline& pipeline, const RunOptions& options)
    : trial_options_(OptionsForTrials(options)),
      trial_runner_(pipeline, trial_options_),
      has_observers_(HasObservers(options)),
      has_history_(options.history != nullptr) {
  for (OptionSet& set : ModelOptionSets()) {
    Knobs knobs = set.Apply(options.inputs.knobs == nullptr ? Knobs() : *options.inputs.knobs);
    alternatives_.push_back({std::move(set), std::move(knobs)});
  }
}

void VersionChooser::Run(const PipelineRunner& runner, RunUnit& unit) const {
  if (!IsKernelFunction(*unit.function)) return runner.RunUntil(unit, runner.num_steps());
  OwnedMachineFunction input = CloneFunction(*unit.function);
  PtxasFeatures features;
  if (has_history_) {
    // A history has the passes of one version only.
    const Version plain = Try(*input, nullptr);
    if (!plain.unit.ok) return runner.RunUntil(unit, runner.num_steps());
    features = plain.unit.ptxas_features;
  } else {
    unit.wants_ptxas_features = true;
    runner.RunUntil(unit, runner.num_steps());
    if (!unit.ok) return;
    features = unit.ptxas_features;
  }
  Version chosen = Choose(*input, features);
  if (chosen.alternative == nullptr) {
    if (has_history_) runner.RunUntil(unit, runner.num_steps());
    return;
  }
  if (has_observers_) {
    chosen.unit = RunUnit();
    chosen.unit.function = std::move(input);
    chosen.unit.knobs = &chosen.alternative->knobs;
    runner.RunUntil(chosen.unit, runner.num_steps());
  }
  chosen.unit.report->statistics.Add("autotune", "kernels compiled under another option set", 1);
  unit = std::move(chosen.unit);
}

VersionChooser::Version VersionChooser::Choose(const MachineFunction& input,
                                               const PtxasFeatures& default_features) const {
  Version best;
  if (!IsWorthTrying(default_features)) return best;
  int32_t best_gain = 0;
  for (const Alternative& alternative : alternatives_) {
    Version version = Try(input, &alternative);
    if (!version.unit.ok) continue;
    const int32_t gain = PredictGain(default_features, version.unit.ptxas_features);
    if (gain <= best_gain) continue;
    best = std::move(version);
    best_gain = gain;
  }
  return best;
}

VersionChooser::Version VersionChooser::Try(const MachineFunction& input, const Alternative* alternative) const {
  Version version = {.alternative = alternative};
  version.unit.function = CloneFunction(input);
  if (alternative != nullptr) version.unit.knobs = &alternative->knobs;
  version.unit.wants_ptxas_features = true;
  trial_runner_.RunUntil(version.unit, trial_runner_.num_steps());
  return version;
}

}  // namespace ptxmir
