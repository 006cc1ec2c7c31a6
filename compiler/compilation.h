// SPDX-License-Identifier: Apache-2.0

// One run of the compiler on one input: read (or take a module that a program has made), select instructions of what
// comes as SelectionDAGs, run the pipeline, print. The command line tool and the library's interface (include/ptxmir)
// are both thin around this.
//
// A function is compiled as soon as it has been read and printed and released in its turn, on as many threads as
// were asked for (function_pool.h): code that is at hand is in the caches, and its memory serves the next function.

#ifndef PTXMIR_COMPILER_COMPILATION_H_
#define PTXMIR_COMPILER_COMPILATION_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/time_trace.h"
#include "compiler/driver_options.h"
#include "compiler/progress.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "options/nvvm_pass_options.h"
#include "options/remark_options.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/function_pool.h"
#include "passes/pipeline/pipeline_runner.h"
#include "ptx/target/subtarget.h"
#include "ptx/writer/ptx_writer.h"
#include "sdag/text/dag_reader.h"

namespace ptxmir {

// What follows from options alone, for any number of compilations with them.
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

  // To be called before Run: the input, where it has been read from its file already, or a module with machine
  // functions, which is then the input; and whether the functions are wanted behind Run (module()) although they are
  // printed. What executes the input beside the output (-verify-exec, -count-executed) needs a text.
  void UseInput(std::shared_ptr<const SourceBuffer> input) { input_ = std::move(input); }
  void UseModule(std::unique_ptr<Module> module) {
    module_ = std::move(module);
    has_functions_ = true;
  }
  // The same of a module whose functions are SelectionDAGs, all or some of them.
  void UseDags(sdag::DagModule dags) {
    dags_ = std::move(dags);
    has_functions_ = true;
  }
  void KeepFunctions() { keeps_functions_ = true; }
  // Whether the report is to have register pressure, options aside.
  void ReportPressure() { run_options_.report_pressure = true; }

  // False when an error was reported.
  bool Run();

  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  const RunReport& report() const { return report_; }
  // Which of the report's remarks go where.
  const RemarkFilter& remark_filter() const { return remark_filter_; }
  // The trace as JSON; empty when none was asked for.
  std::string TimeTraceText() const { return time_trace_.has_value() ? time_trace_->ToJson("ptxmir") : ""; }
  const Module& module() const { return *module_; }
  // Null when the module asks for no target that there is.
  const ptx::Subtarget* subtarget() const { return subtarget_.has_value() ? &*subtarget_ : nullptr; }
  // Null when the output is not PTX.
  const ptx::PtxWriter* ptx_writer() const { return ptx_writer_.get(); }
  // The output, in parts that live as long as the compilation.
  std::vector<std::string_view> output() const;

 private:
  // Hands all functions of the input to the pool.
  bool ReadInput(const MachineFunctionSink& add);
  // Reads the input if it holds DAGs, and makes machine code of them.
  bool SelectInput();
  bool PrepareExecution(const std::shared_ptr<const SourceBuffer>& buffer);
  // What can only be chosen when the module around the functions is known.
  void Begin();
  // Takes what came of a function, in order.
  void Commit(FunctionPool::Job& job);
  bool FinishOutput();
  void AddExecutionStatistics();
  // Completes the pressure report, and checks what -fail-on-spill and -max-registers-expected ask for.
  void CountExecutedInstructions();
  void CheckExpectations();

  TimeTrace* time_trace() { return time_trace_.has_value() ? &*time_trace_ : nullptr; }

  const CompilationPlan& plan_;
  const DriverOptions& options_;  // of the plan
  const RemarkFilter remark_filter_;
  std::optional<TimeTrace> time_trace_;
  ProgressLine progress_;
  RunOptions run_options_;
  std::shared_ptr<const SourceBuffer> input_;
  bool keeps_functions_ = false;
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  bool has_functions_ = false;
  sdag::DagModule dags_;  // without a module: none
  // What is wrong with the input hides what passes say, and that what the writer says.
  DiagnosticEngine diagnostics_;
  DiagnosticEngine pass_diagnostics_;
  DiagnosticEngine write_diagnostics_;
  RunReport report_;
  double writing_ = 0;  // seconds
  std::optional<ptx::Subtarget> subtarget_;
  std::unique_ptr<ExecutionChecker> execution_checker_;
  std::unique_ptr<Module> input_copy_;  // for -count-executed
  std::unique_ptr<PipelineRunner> runner_;
  std::vector<OwnedMachineFunction> functions_;  // those that are still needed when all are compiled
  std::unique_ptr<ptx::PtxWriter> ptx_writer_;
  std::string mir_;
};

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_COMPILATION_H_
