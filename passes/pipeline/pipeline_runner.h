// SPDX-License-Identifier: Apache-2.0

// Runs a pipeline over functions, with everything around the passes: analyses, verification, dumps and timing.

#ifndef PTXMIR_PASSES_PIPELINE_PIPELINE_RUNNER_H_
#define PTXMIR_PASSES_PIPELINE_PIPELINE_RUNNER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "mir/text/remark.h"
#include "options/nvvm_pass_options.h"
#include "options/remark_options.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/report/pressure_report.h"

namespace ptxmir {

class ExecutionChecker;

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
  };
  std::vector<Gate> gates_;  // indexed by step
};

// Selects the dumps that are written to the log (stderr) around passes.
struct PrintOptions {
  bool before_all = false;
  bool after_all = false;
  bool changed = false;             // after passes that changed something
  std::vector<std::string> before;  // pass names
  std::vector<std::string> after;
  std::vector<std::string> functions;  // only these functions; if empty, all functions
  bool stable_names = false;
};

struct RunOptions {
  int opt_level = 2;
  PrintOptions print;
  // The inputs that functions are compiled with, unless their attributes override them.
  AnalysisInputs inputs;
  // Returns the knobs that a function starts with, which replace those of `inputs`. If null, all functions start
  // with those of `inputs`.
  std::function<const Knobs*(const MachineFunction&)> knobs_of;
  // Selects the remarks to collect. If null, none are collected.
  const RemarkFilter* remark_filter = nullptr;
  // Whether the result of the pipeline is printed as PTX. The remarks of asm-printer describe that PTX.
  bool is_printed = false;
  // The gates of the pipeline that is run. If null, the runner builds gates that no pass option closes.
  const PipelineGates* gates = nullptr;
  // Called after every step, on the thread that runs the step. May be empty.
  std::function<void()> poll;
  // If not null, executes each function before and after every pass.
  ExecutionChecker* execution_checker = nullptr;
  // Whether to run the machine verifier after every pass, to compare preserved analyses with recomputed ones, and
  // to compare a function that a pass claims not to have changed with its earlier state. The input is always
  // verified.
  bool verify_each = false;
  bool time_passes = false;
  // Whether to record each pass's effect on register pressure.
  bool report_pressure = false;
  // Whether to record each function's register budget, for -stats.
  bool report_budgets = false;
};

struct StepReport {
  bool ran = false;
  bool changed = false;
  double seconds = 0;  // 0 unless time_passes is set
};

// The results of running a pipeline over one function. Functions that are compiled in parallel have one report
// each.
struct FunctionReport {
  DiagnosticEngine diagnostics;
  Statistics statistics;
  std::string log;  // the output of PrintOptions and of passes
  std::vector<Remark> remarks;
  std::vector<StepReport> steps;  // indexed by step of the pipeline
  std::optional<FunctionPressure> pressure;
  std::string budget;  // "k: 72 registers: ...\n"; empty if no subtarget is known
};

struct PassTiming {
  std::string name;
  double seconds = 0;
};

// The combined results of all functions, in the order of the functions.
struct RunReport {
  Statistics statistics;
  std::vector<PassTiming> timings;  // indexed by step, in pipeline order; filled if time_passes is set
  std::string log;
  std::vector<Remark> remarks;
  std::vector<FunctionPressure> pressure;  // filled if report_pressure is set
  std::string budgets;                     // filled if report_budgets is set: one line per function

  void Add(const Pipeline& pipeline, const FunctionReport& function);
};

class PipelineRunner {
 public:
  // The pipeline, the options and the options' gates must outlive the runner.
  PipelineRunner(const Pipeline& pipeline, const RunOptions& options);

  // Verifies the input function and runs the steps over it. Returns false if an error was reported; the function
  // must then not be printed. Several threads may run functions at once, unless there is an execution checker.
  bool Run(MachineFunction& function, FunctionReport& report) const;

 private:
  class FunctionRun;

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

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_RUNNER_H_
