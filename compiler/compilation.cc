// SPDX-License-Identifier: Apache-2.0

#include "compiler/compilation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/str_cat.h"
#include "compiler/dag_steps.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "passes/equivalence/generated_run.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/standard_pipeline.h"
#include "ptx/interpreter/values/fault.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

CompilationPlan::CompilationPlan(const DriverOptions& options, Pipeline pipeline)
    : options(options),
      pipeline(std::move(pipeline)),
      pass_options(MakeNvvmPassOptions(*options.pass_options)),
      gates(this->pipeline, &pass_options) {}

Compilation::Compilation(const CompilationPlan& plan)
    : plan_(plan),
      options_(plan.options),
      remark_filter_(plan.options.remarks),
      time_trace_(plan.options.time_trace ? std::make_unique<TimeTrace>(plan.options.time_trace_granularity) : nullptr),
      progress_(plan.options.shows_progress ? ProgressLine() : ProgressLine(nullptr, &Clock::now)),
      run_options_(plan.options.run),
      history_(plan.options.explores() ? std::make_unique<HistoryBook>() : nullptr),
      input_(plan.options, diagnostics_, report_, time_trace(), history_.get()) {
  const DriverOptions& options = options_;
  run_options_.inputs.time_trace = time_trace();
  if (remark_filter_.listens()) run_options_.remark_filter = &remark_filter_;
  run_options_.inputs.knobs = &options.knobs;
  run_options_.gates = &plan.gates;
  run_options_.history = history_.get();
  if (options.bisect.has_value()) opt_bisect_.emplace(*options.bisect, options.bisect_is_verbose);
  run_options_.report_budgets = options.print_stats;
  run_options_.report_pressure = !options.pressure_report_file.empty() || options.explain_registers ||
                                 options.count_executed_launches != 0 || options.fail_on_spill ||
                                 options.max_registers_expected != 0;
}

bool Compilation::Run() {
  const TimeTraceScope traced(time_trace(), "Compilation", options_.input);
  const Clock::time_point start = Clock::now();
  if (!input_.Open()) return false;
  if (StopsOnIr(options_.pipeline)) {
    const bool is_translated = input_.Translate(&text_);
    report_.timings = input_.ir_timings();
    return is_translated;
  }
  if (!input_.Prepare() || !PrepareExecution()) return false;
  reading_ = SecondsSince(start);
  const bool is_read = RunFunctionPasses();
  if (is_read) RunModulePasses();
  progress_.Wipe();
  if (!is_read) return false;
  if (runner_ == nullptr) Begin();
  input_.module().machine_functions() = std::move(functions_);

  diagnostics_.Append(pass_diagnostics_);
  AddExecutionStatistics();
  NotePassesNotPrinted();
  CountExecutedInstructions();
  CheckExpectations();
  if (diagnostics_.has_errors()) return false;
  const bool is_written = FinishOutput();
  diagnostics_.Append(write_diagnostics_);
  AddTimings();
  return is_written;
}

bool Compilation::RunFunctionPasses() {
  FunctionPool pool(
      NumThreads(), [this](FunctionPool::Job& job) { Compile(job); },
      [this](FunctionPool::Job& job) { HoldOrCommit(job, first_stop_); });
  const Clock::time_point start = Clock::now();
  double adding = 0;
  const bool is_read = input_.TakeFunctions([&](FunctionPool::Job job) {
    const Clock::time_point arrival = Clock::now();
    if (runner_ == nullptr) Begin();
    progress_.FunctionFound();
    pool.Add(std::move(job));
    adding += SecondsSince(arrival);
  });
  reading_ += SecondsSince(start) - adding;
  pool.Finish();
  return is_read;
}

void Compilation::Compile(FunctionPool::Job& job) {
  if (job.ir != nullptr && !input_.Select(job)) return;
  if (version_chooser_ != nullptr) {
    version_chooser_->Run(*runner_, job);
  } else {
    runner_->RunUntil(job, first_stop_);
  }
}

void Compilation::AddTimings() {
  std::vector<PassTiming> timings = input_.ir_timings();
  for (const PassTiming& pass : timings) reading_ = std::max(0.0, reading_ - pass.seconds);
  timings.insert(timings.begin(), {"read input", reading_});
  if (input_.is_selected_by_function()) timings.push_back({"select instructions", selecting_});
  timings.insert(timings.end(), report_.timings.begin(), report_.timings.end());
  timings.push_back({"write output", writing_});
  report_.timings = std::move(timings);
}

bool Compilation::PrepareExecution() {
  if (options_.count_executed_launches != 0) {
    input_copy_ = ReadMir(input_.text(), ptx::PtxTargetInfo(), diagnostics_);
    if (input_copy_ == nullptr) return false;
  }
  if (options_.verify_exec_inputs == 0) return true;
  // The checker needs its own copy of the input.
  std::unique_ptr<Module> copy = ReadMir(input_.text(), ptx::PtxTargetInfo(), diagnostics_);
  if (copy == nullptr) return false;
  execution_checker_ = std::make_unique<ExecutionChecker>(std::move(copy), options_.verify_exec_inputs);
  run_options_.execution_checker = execution_checker_.get();
  return true;
}

void Compilation::Begin() {
  absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(input_.module(), options_.cpu, options_.attributes);
  // The PTX writer reports an unknown subtarget. MIR output does not need one.
  if (subtarget.ok()) {
    subtarget_ = *std::move(subtarget);
    run_options_.inputs.subtarget = &*subtarget_;
  }
  if (opt_bisect_.has_value()) run_options_.opt_bisect = &*opt_bisect_;
  if (progress_.is_on()) run_options_.poll = [this] { progress_.Poll(); };
  run_options_.is_printed = !options_.pipeline.stops_early();
  runner_ = std::make_unique<PipelineRunner>(plan_.pipeline, run_options_);
  // The writer needs a module to which nothing is added any more.
  first_stop_ = runner_->NextModuleStep(input_.module(), 0);
  if (first_stop_ != runner_->num_steps()) return;
  BeginWriting();
  // Versions are compared as they are printed. Runs of passes that are numbered must be the same in each compilation,
  // and a client's pass expects to see each function once.
  const bool chooses = options_.autotuner() == DriverOptions::Autotune::kModel && !options_.pipeline.stops_early() &&
                       !opt_bisect_.has_value() && !HasClientPass(plan_.pipeline);
  if (chooses) version_chooser_ = std::make_unique<VersionChooser>(plan_.pipeline, run_options_);
}

void Compilation::BeginWriting() {
  if (options_.pipeline.stops_early()) return;
  ptx::PtxWriteOptions write_options;
  write_options.cpu = options_.cpu;
  write_options.features = options_.attributes;
  write_options.is_verbose = options_.asm_verbose;
  ptx_writer_ = std::make_unique<ptx::PtxWriter>(input_.module(), write_options, write_diagnostics_);
}

int Compilation::NumThreads() const {
  // The interpreter's checker can only follow one function at a time.
  if (execution_checker_ != nullptr) return 1;
  // The observer of SelectionDAGs sees one function after the other.
  if (input_.NeedsOneThread()) return 1;
  // Runs of passes are numbered in the order of functions. Printing the module must not meet a pass that adds to it.
  if (opt_bisect_.has_value() || options_.run.print.module_scope) return 1;
  return ResolveThreadCount(RequestedThreads(options_));
}

void Compilation::HoldOrCommit(FunctionPool::Job& job, size_t stopped_at) {
  if (stopped_at < runner_->num_steps()) {
    held_.push_back(std::move(job));
  } else {
    Commit(job);
  }
}

void Compilation::RunModulePasses() {
  if (runner_ == nullptr) Begin();
  size_t step = first_stop_;
  while (step < runner_->num_steps()) {
    const bool ok = std::all_of(held_.begin(), held_.end(), [](const RunUnit& unit) { return unit.ok; });
    if (ok) runner_->RunModulePass(step, input_.module(), held_);
    // After errors, the functions only hand over what they have to report.
    step = ok ? runner_->NextModuleStep(input_.module(), step + 1) : runner_->num_steps();
    if (step == runner_->num_steps()) BeginWriting();
    FunctionPool pool(
        NumThreads(),
        [&](FunctionPool::Job& job) {
          if (ok) runner_->RunUntil(job, step);
        },
        [&](FunctionPool::Job& job) { HoldOrCommit(job, step); });
    for (RunUnit& unit : std::exchange(held_, {})) pool.Add(std::move(unit));
    pool.Finish();
  }
}

void Compilation::Commit(FunctionPool::Job& job) {
  if (history_ != nullptr) history_->NoteEnd(job.function->name());
  pass_diagnostics_.Append(job.report->diagnostics);
  selecting_ += job.report->selection_seconds;
  report_.Add(plan_.pipeline, *job.report);
  if (ptx_writer_ == nullptr) {
    functions_.push_back(std::move(job.function));
  } else if (!pass_diagnostics_.has_errors()) {
    const TimeTraceScope traced(time_trace(), "WriteFunction", job.function->name());
    const Clock::time_point start = Clock::now();
    std::vector<ptx::TextRange> instr_texts;
    const std::string_view ptx = ptx_writer_->Write(*job.function, history_ != nullptr ? &instr_texts : nullptr);
    writing_ += SecondsSince(start);
    if (history_ != nullptr) history_->Of(job.function->name()).AddPtx(ptx, instr_texts);
    if (keeps_functions_ || input_copy_ != nullptr) functions_.push_back(std::move(job.function));
  }
  progress_.FunctionDone();
}

void Compilation::AddExecutionStatistics() {
  if (execution_checker_ == nullptr) return;
  report_.statistics.Add("verify-exec", "runs of kernels compared", execution_checker_->num_compared());
  report_.statistics.Add("verify-exec", "runs of kernels that decided nothing", execution_checker_->num_undecided());
  const std::vector<uint64_t>& by_kind = execution_checker_->undecided_by_kind();
  for (size_t i = 0; i < by_kind.size(); ++i) {
    if (by_kind[i] == 0) continue;
    report_.statistics.Add("verify-exec: nothing decided because of",
                           ptx::FaultKindName(static_cast<ptx::FaultKind>(i)), by_kind[i]);
  }
}

void Compilation::NotePassesNotPrinted() {
  const auto note = [&](std::string_view option, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (const std::optional<unsigned> step = FindDagStep(name); step.has_value()) {
        if (input_.dag_printer().has_seen(*step)) continue;
        diagnostics_.Report(Severity::kNote,
                            StrCat("-", option, "=", name, ": no SelectionDAG went through this step"));
        continue;
      }
      const std::string reason = WhyNotRun(name, plan_.pipeline, report_.steps_run);
      if (!reason.empty()) diagnostics_.Report(Severity::kNote, StrCat("-", option, "=", name, ": ", reason));
    }
  };
  note("print-before", options_.run.print.before);
  note("print-after", options_.run.print.after);
}

void Compilation::CountExecutedInstructions() {
  if (input_copy_ == nullptr || diagnostics_.has_errors()) return;
  ptx::ExecutedByInstr executed;
  for (FunctionPressure& function : report_.pressure) {
    if (!function.is_kernel) continue;
    const ExecutedCounts counts =
        CountExecuted(*input_copy_, input_.module(), function.function, options_.count_executed_launches,
                      history_ == nullptr ? nullptr : &executed);
    function.executed = FunctionPressure::Executed{counts.before, counts.after, counts.launches, counts.undecided};
  }
  if (history_ == nullptr) return;
  for (const OwnedMachineFunction& function : input_.module().machine_functions()) {
    history_->Of(function->name()).SetExecuted(*function, executed);
  }
}

void Compilation::CheckExpectations() {
  for (const FunctionPressure& function : report_.pressure) {
    const uint32_t registers = function.steps.back().profile.max_units;
    if (options_.fail_on_spill && function.spills.stores + function.spills.loads != 0) {
      diagnostics_.Error(StrCat("function '", function.function, "' spills: ", function.spills.stores, " stores and ",
                                function.spills.loads, " loads of spill slots (-fail-on-spill)"));
    }
    if (options_.max_registers_expected != 0 && registers > options_.max_registers_expected) {
      diagnostics_.Error(StrCat("function '", function.function, "' has ", registers,
                                " registers live at once; expected are at most ", options_.max_registers_expected,
                                " (-max-registers-expected). -explain-registers says why"));
    }
  }
}

bool Compilation::FinishOutput() {
  const TimeTraceScope traced(time_trace(), "WriteOutput", options_.output);
  const Clock::time_point start = Clock::now();
  bool is_written = true;
  if (ptx_writer_ == nullptr) {
    MirWriteOptions write_options;
    write_options.simplify = options_.simplify_mir;
    write_options.stable_names = options_.run.print.stable_names;
    WriteMir(input_.module(), write_options, text_);
  } else {
    is_written = ptx_writer_->Finish();
  }
  writing_ += SecondsSince(start);
  return is_written;
}

std::vector<std::string_view> Compilation::output() const {
  if (ptx_writer_ == nullptr) return {text_};
  const auto parts = ptx_writer_->text();
  return {parts.begin(), parts.end()};
}

}  // namespace ptxmir
