// SPDX-License-Identifier: Apache-2.0

#include "compiler/compilation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/str_cat.h"
#include "compiler/dag_steps.h"
#include "compiler/ir_input.h"
#include "compiler/select_module.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "passes/equivalence/generated_run.h"
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
      progress_(plan.options.shows_progress ? ProgressLine() : ProgressLine(nullptr, &Clock::now)),
      run_options_(plan.options.run),
      history_(plan.options.explores() ? std::make_unique<HistoryBook>() : nullptr),
      dag_printer_(plan.options, report_, history_.get()) {
  const DriverOptions& options = options_;
  if (options.time_trace) time_trace_.emplace(options.time_trace_granularity);
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
  if (has_functions_) {
    if (options_.count_executed_launches != 0 || options_.verify_exec_inputs != 0) {
      diagnostics_.Error("-verify-exec and -count-executed need an input that is text");
      return false;
    }
  } else if (input_ == nullptr) {
    absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options_.input);
    if (!buffer.ok()) {
      diagnostics_.Error(std::string(FromAbsl(buffer.status().message())));
      return false;
    }
    input_ = *std::move(buffer);
  }
  if (const PassPosition* position = FindIrPosition(options_.pipeline); position != nullptr) {
    if (has_functions_ || !IsIrInput(options_, *input_)) {
      diagnostics_.Error(StrCat("pass '", position->name, "' runs on LLVM IR, and the input is machine code"));
      return false;
    }
    if (StopsOnIr(options_.pipeline)) return TranslateInput();
  }
  if (has_functions_ || !IsIrInput(options_, *input_)) {
    for (const std::string& warning : options_.warnings_for_mir) diagnostics_.Report(Severity::kWarning, warning);
  }
  if (!SelectInput() || !PrepareExecution(input_)) return false;

  FunctionPool pool(
      NumThreads(),
      [this](FunctionPool::Job& job) {
        if (version_chooser_ != nullptr) return version_chooser_->Run(*runner_, job);
        runner_->RunUntil(job, first_stop_);
      },
      [this](FunctionPool::Job& job) { HoldOrCommit(job, first_stop_); });
  double adding = 0;
  const auto add = [&](Module&, OwnedMachineFunction function) {
    const Clock::time_point arrival = Clock::now();
    if (runner_ == nullptr) Begin();
    progress_.FunctionFound();
    pool.Add(std::move(function));
    adding += SecondsSince(arrival);
  };
  bool is_read = false;
  {
    const TimeTraceScope traced_reading(time_trace(), "ReadInput", options_.input);
    is_read = ReadInput(add);
  }
  const double reading = SecondsSince(start) - adding;
  pool.Finish();
  if (is_read) RunModulePasses();
  progress_.Wipe();
  if (!is_read) return false;
  if (runner_ == nullptr) Begin();
  module_->machine_functions() = std::move(functions_);

  diagnostics_.Append(pass_diagnostics_);
  AddExecutionStatistics();
  NotePassesNotPrinted();
  CountExecutedInstructions();
  CheckExpectations();
  if (diagnostics_.has_errors()) return false;
  const bool is_written = FinishOutput();
  diagnostics_.Append(write_diagnostics_);
  report_.timings.insert(report_.timings.begin(), ir_timings_.begin(), ir_timings_.end());
  report_.timings.insert(report_.timings.begin(), {"read input", reading});
  report_.timings.push_back({"write output", writing_});
  return is_written;
}

bool Compilation::SelectInput() {
  if (dags_.module == nullptr) {
    if (has_functions_) return true;
    if (IsIrInput(options_, *input_)) {
      if (!SelectIrOfInput()) return false;
    }
  }
  if (dags_.module == nullptr) {
    if (!HoldsDags(input_->text())) return true;
    const TimeTraceScope traced(time_trace(), "ReadDags", options_.input);
    dags_ = sdag::ReadDags(input_, diagnostics_);
    if (dags_.module == nullptr) return false;
  }
  const TimeTraceScope traced(time_trace(), "SelectInstructions", options_.input);
  const absl::StatusOr<ptx::Subtarget> subtarget =
      ptx::ChooseSubtarget(*dags_.module, options_.cpu, options_.attributes);
  if (!subtarget.ok()) {
    diagnostics_.Error(std::string(FromAbsl(subtarget.status().message())));
    return false;
  }
  // The functions of LLVM IR have been selected while they were built.
  if (!SelectModule(dags_, options_.knobs, static_cast<unsigned>(options_.pipeline.opt_level), *subtarget, input_.get(),
                    DagVerification::kBeforeSelection, diagnostics_,
                    dag_printer_.is_needed() ? &dag_printer_ : nullptr)) {
    return false;
  }
  dag_printer_.EndHistory();
  const bool is_executed = options_.count_executed_launches != 0 || options_.verify_exec_inputs != 0;
  if (is_executed && !has_functions_) {
    // The code that executes the input reads it again, so replace it by its machine code.
    std::string text;
    WriteMir(*dags_.module, {}, text);
    input_ = std::make_shared<const SourceBuffer>(input_->name(), text);
  } else {
    UseModule(std::move(dags_.module));
  }
  return true;
}

bool Compilation::SelectIrOfInput() {
  const TimeTraceScope traced(time_trace(), "BuildDags", options_.input);
  RunReport ir_report;
  std::optional<ptx::Subtarget> subtarget;
  const auto select = [&](sdag::DagFunction& function) {
    const TimeTraceScope traced_selection(time_trace(), "SelectInstructions", function.machine_function().name());
    const Module& module = *function.machine_function().module();
    if (!subtarget.has_value()) {
      absl::StatusOr<ptx::Subtarget> chosen = ptx::ChooseSubtarget(module, options_.cpu, options_.attributes);
      if (!chosen.ok()) return true;  // SelectInput reports that
      subtarget = *std::move(chosen);
    }
    // The source is the text after passes if it has been written again. BuildDags makes no wrong DAGs unless it has a
    // bug.
    return SelectDags(function, options_.knobs, static_cast<unsigned>(options_.pipeline.opt_level), *subtarget,
                      module.ir_source(),
                      options_.run.verify_each ? DagVerification::kBeforeSelection : DagVerification::kNone,
                      diagnostics_, dag_printer_.is_needed() ? &dag_printer_ : nullptr);
  };
  dags_ = BuildDagsOfIr(options_, input_, diagnostics_, ir_report, history_.get(), select);
  AddIrReport(ir_report);
  return dags_.module != nullptr;
}

bool Compilation::TranslateInput() {
  const TimeTraceScope traced(time_trace(), "TranslateInput", options_.input);
  RunReport ir_report;
  const bool is_ok = TranslateIr(options_, input_, diagnostics_, ir_report, history_.get(), &text_);
  AddIrReport(ir_report);
  report_.timings = std::move(ir_timings_);
  return is_ok;
}

void Compilation::AddIrReport(RunReport& ir_report) {
  report_.statistics.Append(ir_report.statistics);
  report_.log += ir_report.log;
  report_.remarks.insert(report_.remarks.end(), ir_report.remarks.begin(), ir_report.remarks.end());
  report_.files.insert(report_.files.end(), ir_report.files.begin(), ir_report.files.end());
  ir_timings_ = std::move(ir_report.timings);
}

bool Compilation::ReadInput(const MachineFunctionSink& add) {
  if (!has_functions_) {
    std::optional<ptx::Subtarget> subtarget;
    bool is_chosen = false;
    InstrSupportCheck check = [&](const Module& module, Opcode opcode, int operand, int64_t value) -> std::string {
      if (!std::exchange(is_chosen, true)) {
        subtarget = ptx::NamedSubtarget(module, options_.cpu, options_.attributes);
      }
      if (!subtarget.has_value()) return "";
      if (operand >= 0) return subtarget->WhyUnsupported(opcode, static_cast<unsigned>(operand), value);
      return subtarget->Supports(opcode) ? "" : subtarget->WhyUnsupported(opcode);
    };
    // The user did not choose the instructions that DAGs were selected to.
    if (dags_.module != nullptr) check = nullptr;
    return ReadMir(input_, ptx::PtxTargetInfo(), diagnostics_, *module_, add, check);
  }
  for (OwnedMachineFunction& function : std::exchange(module_->machine_functions(), {})) {
    add(*module_, std::move(function));
  }
  return true;
}

bool Compilation::PrepareExecution(const std::shared_ptr<const SourceBuffer>& buffer) {
  if (options_.count_executed_launches != 0) {
    input_copy_ = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics_);
    if (input_copy_ == nullptr) return false;
  }
  if (options_.verify_exec_inputs == 0) return true;
  // The checker needs its own copy of the input.
  std::unique_ptr<Module> copy = ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics_);
  if (copy == nullptr) return false;
  execution_checker_ = std::make_unique<ExecutionChecker>(std::move(copy), options_.verify_exec_inputs);
  run_options_.execution_checker = execution_checker_.get();
  return true;
}

void Compilation::Begin() {
  absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(*module_, options_.cpu, options_.attributes);
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
  first_stop_ = runner_->NextModuleStep(*module_, 0);
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
  ptx_writer_ = std::make_unique<ptx::PtxWriter>(*module_, write_options, write_diagnostics_);
}

int Compilation::NumThreads() const {
  // The interpreter's checker can only follow one function at a time.
  if (execution_checker_ != nullptr) return 1;
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
    if (ok) runner_->RunModulePass(step, *module_, held_);
    // After errors, the functions only hand over what they have to report.
    step = ok ? runner_->NextModuleStep(*module_, step + 1) : runner_->num_steps();
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
        if (dag_printer_.has_seen(*step)) continue;
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
        CountExecuted(*input_copy_, *module_, function.function, options_.count_executed_launches,
                      history_ == nullptr ? nullptr : &executed);
    function.executed = FunctionPressure::Executed{counts.before, counts.after, counts.launches, counts.undecided};
  }
  if (history_ == nullptr) return;
  for (const OwnedMachineFunction& function : module_->machine_functions()) {
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
    WriteMir(*module_, write_options, text_);
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
