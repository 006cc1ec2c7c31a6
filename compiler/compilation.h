// SPDX-License-Identifier: Apache-2.0

// One run of the compiler on one input: takes the functions of the input, runs the pipeline over them and prints the
// output. The command line tool and the library's interface (include/ptxmir) are both thin layers around this.
//
// A function is compiled as soon as it was read, and printed and released in order, on as many threads as
// requested (function_pool.h). Its code is then still in the caches, and its memory is reused for the next
// function.

#ifndef PTXMIR_COMPILER_COMPILATION_H_
#define PTXMIR_COMPILER_COMPILATION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/time_trace.h"
#include "compiler/compilation_input.h"
#include "compiler/driver_options.h"
#include "compiler/progress.h"
#include "compiler/version_chooser.h"
#include "ir/module.h"
#include "options/nvvm_pass_options.h"
#include "options/remark_options.h"
#include "passes/equivalence/execution_check.h"
#include "passes/report/function_history.h"
#include "passes/run/function_pool.h"
#include "passes/run/opt_bisect.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/subtarget.h"
#include "ptx/writer/ptx_writer.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir {

// The results that depend only on the options, for any number of compilations.
struct CompilationPlan {
  // The options must outlive the plan.
  CompilationPlan(const DriverOptions& options, Pipeline pipeline);

  const DriverOptions& options;
  const Pipeline pipeline;
  const NvvmPassOptions pass_options;
  const PipelineGates gates;
};

class Compilation {
 public:
  // The plan must outlive the compilation.
  explicit Compilation(const CompilationPlan& plan);

  // These functions must be called before Run. UseInput: the input, if its file was already read. UseModule: a
  // module with machine functions that is the input. KeepFunctions: module() keeps the functions after Run even
  // though they were printed. Options that execute the input as well as the output (-verify-exec, -count-executed)
  // need a text input.
  void UseInput(std::shared_ptr<const SourceBuffer> input) { input_.UseText(std::move(input)); }
  void UseModule(std::unique_ptr<Module> module) { input_.UseModule(std::move(module)); }
  // Like UseModule, for a module in which all or some functions are SelectionDAGs.
  void UseDags(sdag::DagModule dags) { input_.UseDags(std::move(dags)); }
  void KeepFunctions() { keeps_functions_ = true; }
  // Executes only some runs of passes, regardless of the options, and says nothing about it.
  void Bisect(BisectIntervals intervals) { opt_bisect_.emplace(std::move(intervals), /*is_verbose=*/false); }
  // Returns the numbered runs of passes. Null if no runs were numbered.
  const OptBisect* opt_bisect() const { return opt_bisect_.has_value() ? &*opt_bisect_ : nullptr; }
  // Adds register pressure to the report, regardless of the options.
  void ReportPressure() { run_options_.report_pressure = true; }

  // Compiles the input. Returns false if there were errors.
  bool Run();

  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  const RunReport& report() const { return report_; }
  // Returns the versions of the code of all functions; null unless the options ask for them.
  const HistoryBook* history() const { return history_.get(); }
  // Returns the filter that decides where the report's remarks go.
  const RemarkFilter& remark_filter() const { return remark_filter_; }
  // Returns the trace as JSON; empty unless requested.
  std::string TimeTraceText() const { return time_trace_ != nullptr ? time_trace_->ToJson("ptxmir") : ""; }
  const Module& module() const { return input_.module(); }
  // Returns null if the module requests an unknown target.
  const ptx::Subtarget* subtarget() const { return subtarget_.has_value() ? &*subtarget_ : nullptr; }
  // Returns null if the output is not PTX.
  const ptx::PtxWriter* ptx_writer() const { return ptx_writer_.get(); }
  // Returns the parts of the output, which live as long as the compilation.
  std::vector<std::string_view> output() const;

 private:
  // Reads the copies of the input that are executed. Returns false after errors.
  bool PrepareExecution();
  // Takes the functions of the input and runs the pipeline over them, up to the first module pass. Returns false after
  // errors in the input.
  bool RunFunctionPasses();
  // Runs the pipeline over one function, up to the first module pass. Called on several threads at once.
  void Compile(FunctionPool::Job& job);
  // Makes the choices that depend on the module that contains the functions.
  void Begin();
  void BeginWriting();
  int NumThreads() const;
  // Keeps a function that has stopped at a module pass; commits one that has stopped at the end.
  void HoldOrCommit(FunctionPool::Job& job, size_t stopped_at);
  // Runs the module passes over the functions that have stopped at the first one, and all that follows them.
  void RunModulePasses();
  // Takes the results of one function. Called in the order of the functions.
  void Commit(FunctionPool::Job& job);
  bool FinishOutput();
  void AddExecutionStatistics();
  // Adds notes about passes that -print-before or -print-after name and that did not run.
  void NotePassesNotPrinted();
  // Complete the pressure report and check -fail-on-spill and -max-registers-expected.
  void CountExecutedInstructions();
  void CheckExpectations();
  // Completes the times of passes with those of everything else.
  void AddTimings();

  TimeTrace* time_trace() { return time_trace_.get(); }

  const CompilationPlan& plan_;
  const DriverOptions& options_;  // the options of the plan
  const RemarkFilter remark_filter_;
  const std::unique_ptr<TimeTrace> time_trace_;  // null unless -time-trace asks for it
  ProgressLine progress_;
  RunOptions run_options_;
  bool keeps_functions_ = false;
  const std::unique_ptr<HistoryBook> history_;  // null unless -explore asks for it
  // Errors in the input hide those of the passes, which hide those of the writer.
  DiagnosticEngine diagnostics_;
  DiagnosticEngine pass_diagnostics_;
  DiagnosticEngine write_diagnostics_;
  RunReport report_;
  CompilationInput input_;
  // In seconds. Functions are selected in several threads; the time is that of all.
  double reading_ = 0, selecting_ = 0, writing_ = 0;
  std::optional<ptx::Subtarget> subtarget_;
  std::optional<OptBisect> opt_bisect_;
  std::unique_ptr<ExecutionChecker> execution_checker_;
  std::unique_ptr<Module> input_copy_;                     // for -count-executed
  std::unique_ptr<const VersionChooser> version_chooser_;  // null: all kernels have the same knobs
  std::unique_ptr<PipelineRunner> runner_;
  size_t first_stop_ = 0;                        // the first module pass, or the number of steps
  std::vector<RunUnit> held_;                    // the functions that have stopped at a module pass, in order
  std::vector<OwnedMachineFunction> functions_;  // the functions that are needed after all were compiled
  std::unique_ptr<ptx::PtxWriter> ptx_writer_;
  std::string text_;  // MIR or LLVM IR
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_COMPILATION_H_
