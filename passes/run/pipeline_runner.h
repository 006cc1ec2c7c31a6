// SPDX-License-Identifier: Apache-2.0

// Runs a pipeline over functions. Everything around the passes, such as dumps, verification and timing, is done by
// observers (pipeline_observer.h), of which only those exist that the options ask for.

#ifndef PTXMIR_PASSES_RUN_PIPELINE_RUNNER_H_
#define PTXMIR_PASSES_RUN_PIPELINE_RUNNER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "ir/code/function.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "options/knobs.h"
#include "options/nvvm_pass_options.h"
#include "passes/pipeline/pipeline.h"
#include "passes/ptxas_model/ptxas_features.h"
#include "passes/run/run_options.h"
#include "passes/run/run_report.h"

namespace ptxmir {

// Decides for each step of a pipeline whether it runs. The gates depend only on the pipeline and the pass options,
// so a caller that runs a pipeline many times needs to build them only once.
class PipelineGates {
 public:
  // `pass_options` are the slots that gate passes of the standard pipeline. If null, no pass option gates a pass.
  PipelineGates(const Pipeline& pipeline, const NvvmPassOptions* pass_options);

  // Returns true if a step runs for a function with these knobs.
  bool IsOpen(size_t step, const Knobs& knobs) const;

 private:
  struct Gate {
    bool is_open = true;                   // according to the pass options, which are the same for all functions
    const KnobInfo* enabled_by = nullptr;  // null if no knob enables the step
    bool is_on_unless_set = true;
    const KnobInfo* disabled_by = nullptr;
    bool is_off_unless_set = false;
  };
  std::vector<Gate> gates_;  // indexed by step
};

// One run of the pipeline over a function, which may stop between two steps.
class FunctionRun;
struct FunctionRunDeleter {
  void operator()(FunctionRun* run) const;
};

// Returns true if a program's own pass is part of the pipeline.
bool HasClientPass(const Pipeline& pipeline);

// A function on its way through the pipeline.
struct RunUnit {
  OwnedMachineFunction function;
  std::unique_ptr<ir::Function> ir =
      nullptr;  // not null: instructions are still to be selected for this into `function`
  std::unique_ptr<FunctionReport> report = std::make_unique<FunctionReport>();
  std::unique_ptr<FunctionRun, FunctionRunDeleter> run = nullptr;  // null before the first step and after the last
  bool ok = true;                                                  // no error was reported
  const Knobs* knobs = nullptr;  // not null: instead of those of the options; must outlive the run
  bool wants_ptxas_features = false;
  PtxasFeatures ptxas_features = {};  // of the function after the last step, if they are wanted and there was no error
};

class PipelineRunner {
 public:
  // The pipeline, the options and the options' gates must outlive the runner.
  PipelineRunner(const Pipeline& pipeline, const RunOptions& options);

  // Verifies the input function and runs the steps over it, except those of module passes. Returns false if an error
  // was reported; the function must then not be printed. Several threads may run functions at once, unless there is
  // an execution checker.
  bool Run(MachineFunction& function, FunctionReport& report) const;

  // A pipeline with module passes is run in parts: each function up to the first module pass, this pass over all
  // functions, each function up to the next one, and so on. Functions may be run in parallel within a part.
  //
  // Returns the first step at or after `from` that is a module pass and runs, or the number of steps if there is none.
  // Linear in the module's variables.
  size_t NextModuleStep(const Module& module, size_t from) const;
  size_t num_steps() const { return pipeline_.size(); }
  // Runs the steps of a function from where it stopped to before `end`.
  void RunUntil(RunUnit& unit, size_t end) const;
  // Runs the module pass `step` over functions that have all stopped there without errors. Functions that it makes are
  // appended. Errors are in the reports of the functions.
  void RunModulePass(size_t step, Module& module, std::vector<RunUnit>& units) const;

 private:
  friend class FunctionRun;

  const Pipeline& pipeline_;
  const RunOptions& options_;
  const std::optional<PipelineGates> own_gates_;  // empty if the options provide gates
  const PipelineGates& gates_;
};

// Runs the pipeline over every function of the module in order, and continues after functions with errors. Returns
// false if an error was reported; the module must then not be printed.
bool RunPipeline(Module& module, const Pipeline& pipeline, const RunOptions& options, DiagnosticEngine& diagnostics,
                 RunReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PIPELINE_RUNNER_H_
