// SPDX-License-Identifier: Apache-2.0

// Runs a pipeline over functions, with everything that surrounds a pass: analyses, verification, dumps, timing.

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

// What decides whether each step of a pipeline runs, for all functions. It follows from the pipeline and the pass
// options alone, so that who runs a pipeline many times makes it once.
class PipelineGates {
 public:
  // `pass_options`: the slots that gate passes of the standard pipeline; null: none does.
  PipelineGates(const Pipeline& pipeline, const NvvmPassOptions* pass_options);

  // Whether a step runs with a function's knobs.
  bool IsOpen(size_t step, const Knobs& knobs) const;

 private:
  struct Gate {
    bool is_open = true;                   // for the pass options, which are the same for all functions
    const KnobInfo* enabled_by = nullptr;  // null: no such knob
    bool is_on_unless_set = true;
    const KnobInfo* disabled_by = nullptr;
  };
  std::vector<Gate> gates_;  // by step
};

// What to print to the log (stderr) around passes.
struct PrintOptions {
  bool before_all = false;
  bool after_all = false;
  bool changed = false;             // after passes that changed something
  std::vector<std::string> before;  // pass names
  std::vector<std::string> after;
  std::vector<std::string> functions;  // only these; empty: all
  bool stable_names = false;
};

struct RunOptions {
  int opt_level = 2;
  PrintOptions print;
  // What functions are compiled with, but for what their attributes say otherwise.
  AnalysisInputs inputs;
  // The knobs that a function begins with, in the place of those of `inputs`; null: all begin with the same.
  std::function<const Knobs*(const MachineFunction&)> knobs_of;
  // Which remarks are collected. Null: none.
  const RemarkFilter* remark_filter = nullptr;
  // Whether what the pipeline ends with is printed as PTX, of which asm-printer's remarks speak.
  bool is_printed = false;
  // Those of the pipeline that is run; null: made when it is, with nothing that pass options gate.
  const PipelineGates* gates = nullptr;
  // Called after every step, on the thread that runs it, if there is anything to call.
  std::function<void()> poll;
  // If not null, it executes functions before and after every pass.
  ExecutionChecker* execution_checker = nullptr;
  // Run the machine verifier after every pass, compare preserved analyses with fresh ones, and functions that a
  // pass says it did not change with what they were. The input is always verified.
  bool verify_each = false;
  bool time_passes = false;
  // Collect what every pass does to register pressure.
  bool report_pressure = false;
  // Note each function's register budget, for -stats.
  bool report_budgets = false;
};

struct StepReport {
  bool ran = false;
  bool changed = false;
  double seconds = 0;  // 0 unless time_passes
};

// What came of running a pipeline over one function. Functions that are compiled in parallel have one each.
struct FunctionReport {
  DiagnosticEngine diagnostics;
  Statistics statistics;
  std::string log;  // what PrintOptions and passes print
  std::vector<Remark> remarks;
  std::vector<StepReport> steps;  // by step of the pipeline
  std::optional<FunctionPressure> pressure;
  std::string budget;  // "k: 72 registers: ...\n"; empty where no subtarget is known
};

struct PassTiming {
  std::string name;
  double seconds = 0;
};

// The same of all functions, in their order.
struct RunReport {
  Statistics statistics;
  std::vector<PassTiming> timings;  // by step, in pipeline order; filled if time_passes
  std::string log;
  std::vector<Remark> remarks;
  std::vector<FunctionPressure> pressure;  // if report_pressure
  std::string budgets;                     // if report_budgets: a line each

  void Add(const Pipeline& pipeline, const FunctionReport& function);
};

class PipelineRunner {
 public:
  // Both must outlive the runner, and so must the options' gates.
  PipelineRunner(const Pipeline& pipeline, const RunOptions& options);

  // Verifies the function as input and runs the steps over it. False when an error was reported; the function is
  // then in no state to be printed. Several threads may run functions at once, unless there is an execution
  // checker.
  bool Run(MachineFunction& function, FunctionReport& report) const;

 private:
  class FunctionRun;

  const Pipeline& pipeline_;
  const RunOptions& options_;
  const std::optional<PipelineGates> own_gates_;  // none when the options have them
  const PipelineGates& gates_;
};

// Runs the pipeline over every function of the module, one after the other, also behind one that has errors.
// False when an error was reported; the module is then in no state to be printed.
bool RunPipeline(Module& module, const Pipeline& pipeline, const RunOptions& options, DiagnosticEngine& diagnostics,
                 RunReport& report);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PIPELINE_RUNNER_H_
