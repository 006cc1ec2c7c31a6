// SPDX-License-Identifier: Apache-2.0

#include "passes/run/pipeline_runner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "base/time_trace.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_writer.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/run/change_dumps.h"
#include "passes/run/client_pass_call.h"
#include "passes/run/execution_observer.h"
#include "passes/run/opt_bisect.h"
#include "passes/run/pass_claims.h"
#include "passes/run/pass_dumps.h"
#include "passes/run/pass_verification.h"
#include "passes/run/pipeline_observer.h"
#include "passes/run/report_observers.h"
#include "passes/run/schedule_pictures.h"
#include "passes/run/size_remarks.h"
#include "passes/run/step_timing.h"
#include "passes/run/step_trace.h"

namespace ptxmir {
namespace {

using Action = PipelineStep::Action;

constexpr char kAfterReading[] = "After reading the input";

// Returns "in SSA form" or a similar phrase for the first missing property.
std::string_view MissingProperty(uint32_t missing) {
  if ((missing & FunctionProperty::kIsSsa) != 0) return "in SSA form";
  if ((missing & FunctionProperty::kNoPhis) != 0) return "without PHIs";
  return "in the form that it needs";
}

bool IsMarkedOptnone(const MachineFunction& function) {
  const IrFunction* const ir_function = FindIrFunction(function);
  return ir_function != nullptr && function.module()->HasFunctionAttribute(*ir_function, "optnone");
}

}  // namespace

bool HasClientPass(const Pipeline& pipeline) {
  return std::any_of(pipeline.begin(), pipeline.end(), [](const PipelineStep& step) { return step.client != nullptr; });
}

// One run of the pipeline over a function.
class FunctionRun {
 public:
  // `knobs`: see RunUnit.
  FunctionRun(const PipelineRunner& runner, MachineFunction& function, FunctionReport& report, const Knobs* knobs)
      : pipeline_(runner.pipeline_),
        options_(runner.options_),
        function_(function),
        report_(report),
        gates_(runner.gates_),
        analyses_(function, InputsFor(function, report, knobs)),
        is_unoptimized_(analyses_.knobs().honor_optnone() && IsMarkedOptnone(function)),
        context_{analyses_,         analyses_.knobs(), report.diagnostics,
                 report.statistics, report.log,        is_unoptimized_ ? 0 : options_.opt_level} {}

  // Prepares the run. It will begin at step `first`. `banner` says where the function comes from.
  bool Begin(size_t first, const char* banner) {
    next_ = first;
    if (report_.diagnostics.has_errors()) return false;  // in the function's attributes
    if (!Verify(banner)) return false;
    MakeObservers();
    for (const auto& observer : observers_) observer->BeginFunction();
    report_.steps.resize(pipeline_.size());
    return true;
  }

  // Runs the steps from where the run stopped to before `end`, except those of module passes.
  bool RunUntil(size_t end) {
    const TimeTraceScope traced(options_.inputs.time_trace, "CompileFunction", function_.name());
    if (next_ != 0) {
      for (const auto& observer : observers_) observer->ResumeFunction();
    }
    for (; next_ < end; ++next_) {
      const PipelineStep& step = pipeline_[next_];
      const bool is_on_module = step.pass != nullptr && step.pass->run_on_module != nullptr;
      if (step.action == Action::kBanner && !HasPassRun(step.banner_passes)) continue;
      if (is_on_module || !IsOpen(next_) || !PassesBisection(step)) continue;
      if (!RunObserved(step, report_.steps[next_])) return false;
    }
    if (end < pipeline_.size()) {
      analyses_.Invalidate(PreservedAnalyses::None());  // the function may wait for long
      return true;
    }
    for (auto observer = observers_.rbegin(); observer != observers_.rend(); ++observer) (*observer)->EndFunction();
    return true;
  }

  // A module pass runs between these two calls. Begin... returns false if the function takes no part.
  bool BeginModulePass(size_t step) {
    const PipelineStep& pass = pipeline_[step];
    if (!IsOpen(step) || !HasRequiredProperties(*pass.pass)) return false;
    for (const auto& observer : observers_) observer->BeforeStep(pass);
    context_.pass_name = pass.pass->name;
    return true;
  }
  bool EndModulePass(size_t i, const PassResult& result) {
    const PipelineStep& step = pipeline_[i];
    StepReport& report = report_.steps[i];
    if (result.changed) analyses_.Invalidate(result.preserved);
    report.changed = result.changed;
    report.ran = true;
    return ObserveEnd(step, report, !report_.diagnostics.has_errors());
  }

  // Returns the features of the function as it is.
  PtxasFeatures DescribeForPtxas() { return ComputePtxasFeatures(function_, analyses_); }

  PassContext& context() { return context_; }

 private:
  // Returns the inputs of all functions, extended by a sink for this function's remarks and the knobs that its
  // attributes set.
  AnalysisInputs InputsFor(const MachineFunction& function, FunctionReport& report, const Knobs* knobs) {
    AnalysisInputs inputs = options_.inputs;
    if (options_.knobs_of) inputs.knobs = options_.knobs_of(function);
    if (knobs != nullptr) inputs.knobs = knobs;
    if (options_.remark_filter != nullptr) {
      remark_sink_.emplace(RemarkSink{*options_.remark_filter, report.remarks});
      inputs.remarks = &*remark_sink_;
    }
    static const Knobs* const kDefaults = new Knobs();
    own_knobs_ = OwnKnobsOf(function, inputs.knobs == nullptr ? *kDefaults : *inputs.knobs, report.diagnostics);
    if (own_knobs_ == nullptr) return inputs;
    inputs.knobs = own_knobs_.get();
    return inputs;
  }

  template <typename Observer, typename... Arguments>
  void Add(Arguments&&... arguments) {
    observers_.push_back(std::make_unique<Observer>(std::forward<Arguments>(arguments)...));
  }

  // Makes the observers that the options ask for. Their order is that of what they do after a pass, and the reverse
  // of the order of the remarks at the end.
  void MakeObservers() {
    const AnalysisInputs& inputs = options_.inputs;
    const RemarkFilter* const filter = options_.remark_filter;
    const ptx::SmInfo* const sm = inputs.subtarget == nullptr ? nullptr : &inputs.subtarget->sm();
    if (options_.time_passes) Add<StepTiming>();
    if (inputs.time_trace != nullptr) Add<StepTrace>(*inputs.time_trace, function_);
    if (options_.print.dumps_passes() && IsDumped(function_, options_.print)) {
      Add<PassDumps>(function_, options_.print, report_.log);
    }
    if (options_.print.changed != ChangeFormat::kNone) {
      Add<ChangeDumps>(function_, options_.print, report_.log, report_.files);
    }
    if (options_.print.schedule_pictures) {
      Add<SchedulePictures>(function_, analyses_, options_.print, report_.files);
    }
    if (options_.print.dot_cfg) Add<CfgPicture>(function_, options_.print, report_.files);
    if (options_.verify_each || HasClientPass(pipeline_)) {
      Add<PassClaims>(function_, analyses_, options_.verify_each, report_.diagnostics);
      Add<PassVerification>(function_, options_.verify_each, inputs.time_trace, report_.diagnostics);
    }
    if (options_.is_printed && filter != nullptr) Add<AsmPrinterObserver>(function_, analyses_);
    if (options_.execution_checker != nullptr) {
      Add<ExecutionObserver>(function_, analyses_, *options_.execution_checker, report_.diagnostics);
    }
    if (options_.report_budgets && sm != nullptr) {
      Add<BudgetObserver>(function_, context_.knobs, *sm, report_.budget);
    }
    if (options_.report_pressure) Add<PressureObserver>(function_, analyses_, report_.pressure);
    if (options_.history != nullptr) {
      context_.history = &options_.history->Of(function_.name());
      Add<HistoryObserver>(function_, analyses_, *context_.history);
    }
    if (filter != nullptr && filter->AllowsExtraAnalysis(kOccupancyRemarks) && sm != nullptr &&
        IsKernelFunction(function_)) {
      Add<OccupancyObserver>(function_, analyses_, *sm);
    }
    // Last, so that the remark is emitted before the event of the pass and the measurement of its time end.
    if (filter != nullptr && filter->IsShown(RemarkKind::kAnalysis, kSizeInfo)) Add<SizeRemarks>(function_, analyses_);
  }

  // Returns true if one of the passes, separated by commas, has run.
  bool HasPassRun(std::string_view passes) const {
    // Usually it was one of the last.
    for (size_t i = next_; i-- > 0;) {
      if (report_.steps[i].ran && pipeline_[i].pass != nullptr && ListsName(passes, pipeline_[i].pass->name))
        return true;
    }
    return false;
  }

  bool IsOpen(size_t i) const {
    return gates_.IsOpen(i, context_.knobs) && !(is_unoptimized_ && pipeline_[i].gate.IsOfOptimization()) &&
           !NeedsLostSsaForm(pipeline_[i]);
  }

  // Returns true for a step of the standard pipeline that works on SSA form, if the input has left it: the pipeline
  // takes machine code of any stage. A pass that was asked for by name is an error there.
  bool NeedsLostSsaForm(const PipelineStep& step) const {
    return step.is_standard && step.pass != nullptr &&
           (step.pass->required_properties & FunctionProperty::kIsSsa) != 0 &&
           !function_.HasProperty(FunctionProperty::kIsSsa);
  }

  // Returns false if -opt-bisect-limit skips the step.
  bool PassesBisection(const PipelineStep& step) {
    if (options_.opt_bisect == nullptr || step.pass == nullptr || step.client != nullptr) return true;
    return options_.opt_bisect->ShouldRun(*step.pass, StrCat("function (", function_.name(), ")"), report_.log);
  }

  // Runs a step and calls the observers. Returns false if an error was reported.
  bool RunObserved(const PipelineStep& step, StepReport& report) {
    if (step.pass != nullptr && !HasRequiredProperties(*step.pass)) return false;
    for (const auto& observer : observers_) observer->BeforeStep(step);
    const bool ok = RunStep(step, report.changed);
    report.ran = true;
    return ObserveEnd(step, report, ok);
  }

  bool ObserveEnd(const PipelineStep& step, StepReport& report, bool ok) {
    for (auto observer = observers_.rbegin(); observer != observers_.rend(); ++observer) {
      (*observer)->AfterStep(step, report);
    }
    if (options_.poll) options_.poll();
    if (!ok || step.pass == nullptr) return ok;
    return std::all_of(observers_.begin(), observers_.end(),
                       [&](const auto& observer) { return observer->AfterPass(step, report.changed); });
  }

  bool HasRequiredProperties(const PassInfo& pass) {
    const uint32_t missing = pass.required_properties & ~function_.properties();
    if (missing == 0) return true;
    report_.diagnostics.Error(StrCat("pass '", pass.name, "' needs functions ", MissingProperty(missing), ", and '",
                                     function_.name(), "' is not"));
    return false;
  }

  bool RunStep(const PipelineStep& step, bool& changed) {
    switch (step.action) {
      case Action::kPass:
        return RunPass(step, changed);
      case Action::kBanner:
        return true;  // only PassDumps has something to do
      case Action::kPrintAnalysis:
        if (!IsDumped(function_, options_.print)) return true;
        StrAppend(&report_.log, "Printing analysis '", step.analysis->name, "' for machine function '",
                  function_.name(), "':\n");
        step.analysis->get(analyses_).Print(report_.log);
        return true;
      case Action::kRequireAnalysis:
        step.analysis->get(analyses_);
        return true;
      case Action::kInvalidateAnalysis:
        analyses_.Invalidate(step.analysis == nullptr ? PreservedAnalyses::None()
                                                      : PreservedAnalyses::All().Abandon(step.analysis->kind));
        return true;
      case Action::kPrintFunction:
        if (IsDumped(function_, options_.print)) DumpFunction(function_, options_.print, "", report_.log);
        return true;
      case Action::kVerify:
        return Verify("After verify");
    }
    return true;
  }

  bool RunPass(const PipelineStep& step, bool& changed) {
    const PassInfo& pass = *step.pass;
    const size_t errors_before = report_.diagnostics.num_errors();
    context_.pass_name = pass.name;
    const PassResult result = step.client == nullptr
                                  ? pass.run(function_, context_)
                                  : CallClientPass(step.client->name, step.client->run, function_, context_);
    function_.SetProperty(pass.set_properties);
    function_.SetProperty(pass.cleared_properties, false);
    if (result.changed) analyses_.Invalidate(result.preserved);
    changed = result.changed;
    return report_.diagnostics.num_errors() == errors_before;
  }

  bool Verify(const char* banner) {
    return VerifyFunction(function_, banner, options_.inputs.time_trace, report_.diagnostics);
  }

  const Pipeline& pipeline_;
  const RunOptions& options_;
  MachineFunction& function_;
  FunctionReport& report_;
  std::optional<RemarkSink> remark_sink_;
  const PipelineGates& gates_;
  std::unique_ptr<const Knobs> own_knobs_;  // the knobs of this function alone; null if it has those of the module
  AnalysisManager analyses_;
  const bool is_unoptimized_;
  PassContext context_;
  std::vector<std::unique_ptr<PipelineObserver>> observers_;
  size_t next_ = 0;  // the step at which the run goes on
};

void FunctionRunDeleter::operator()(FunctionRun* run) const { delete run; }

PipelineGates::PipelineGates(const Pipeline& pipeline, const NvvmPassOptions* pass_options) : gates_(pipeline.size()) {
  std::vector<std::string_view> gated_off;
  if (pass_options != nullptr) gated_off = GatedOffPasses(*pass_options);
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const StepGate& gate = pipeline[i].gate;
    if (!gate.enabled_by.empty()) gates_[i].enabled_by = FindKnob(gate.enabled_by);
    gates_[i].is_on_unless_set = gate.is_on_unless_set;
    gates_[i].is_off_unless_set = gate.is_off_unless_set;
    if (!gate.disabled_by.empty()) gates_[i].disabled_by = FindKnob(gate.disabled_by);
    // A pass that is named in a textual pipeline was requested explicitly.
    if (!pipeline[i].is_standard || pipeline[i].pass == nullptr) continue;
    for (const std::string_view list : gated_off) {
      if (ListsName(list, pipeline[i].pass->name)) gates_[i].is_open = false;
    }
  }
}

bool PipelineGates::IsOpen(size_t step, const Knobs& knobs) const {
  const Gate& gate = gates_[step];
  return gate.is_open && (gate.enabled_by == nullptr || knobs.IsOn(*gate.enabled_by, gate.is_on_unless_set)) &&
         (gate.disabled_by == nullptr || !knobs.IsOn(*gate.disabled_by, gate.is_off_unless_set));
}

PipelineRunner::PipelineRunner(const Pipeline& pipeline, const RunOptions& options)
    : pipeline_(pipeline),
      options_(options),
      own_gates_(options.gates == nullptr ? std::make_optional<PipelineGates>(pipeline, nullptr) : std::nullopt),
      gates_(options.gates == nullptr ? *own_gates_ : *options.gates) {}

bool PipelineRunner::Run(MachineFunction& function, FunctionReport& report) const {
  FunctionRun run(*this, function, report, nullptr);
  return run.Begin(0, kAfterReading) && run.RunUntil(pipeline_.size());
}

size_t PipelineRunner::NextModuleStep(const Module& module, size_t from) const {
  static const Knobs* const kDefaults = new Knobs();
  const Knobs& knobs = options_.inputs.knobs == nullptr ? *kDefaults : *options_.inputs.knobs;
  for (size_t i = from; i < pipeline_.size(); ++i) {
    const PassInfo* const pass = pipeline_[i].pass;
    if (pass == nullptr || pass->run_on_module == nullptr || !gates_.IsOpen(i, knobs)) continue;
    if (pass->is_needed == nullptr || pass->is_needed(module)) return i;
  }
  return pipeline_.size();
}

void PipelineRunner::RunUntil(RunUnit& unit, size_t end) const {
  if (!unit.ok) return;
  if (unit.run == nullptr) {
    unit.run.reset(new FunctionRun(*this, *unit.function, *unit.report, unit.knobs));
    unit.ok = unit.run->Begin(0, kAfterReading);
  }
  unit.ok = unit.ok && unit.run->RunUntil(end);
  if (unit.ok && end == pipeline_.size() && unit.wants_ptxas_features) {
    unit.ptxas_features = unit.run->DescribeForPtxas();
  }
  if (!unit.ok || end == pipeline_.size()) unit.run = nullptr;
}

void PipelineRunner::RunModulePass(size_t step, Module& module, std::vector<RunUnit>& units) const {
  const PassInfo& pass = *pipeline_[step].pass;
  if (options_.opt_bisect != nullptr && !units.empty() &&
      !options_.opt_bisect->ShouldRun(pass, StrCat("module (", module.source_filename(), ")"),
                                      units.front().report->log)) {
    return;
  }
  const TimeTraceScope traced(options_.inputs.time_trace, "ModulePass", pass.name);
  static const Knobs* const kDefaults = new Knobs();
  ModulePassContext context{
      .module = module, .knobs = options_.inputs.knobs == nullptr ? *kDefaults : *options_.inputs.knobs, .members = {}};
  std::string before;
  std::vector<RunUnit*> members;
  for (RunUnit& unit : units) {
    context.next_function_number = std::max(context.next_function_number, unit.function->number() + 1);
    if (options_.execution_checker != nullptr) WriteMirFunction(*unit.function, {}, before);
    if (!unit.run->BeginModulePass(step)) {
      unit.ok = !unit.report->diagnostics.has_errors();
      continue;
    }
    members.push_back(&unit);
    context.members.push_back({*unit.function, unit.run->context()});
  }
  pass.run_on_module(context);
  for (size_t i = 0; i < members.size(); ++i) {
    members[i]->ok = members[i]->run->EndModulePass(step, context.members[i].result);
    // The time of the pass counts once.
    if (i != 0) members[i]->report->steps[step].seconds = 0;
  }
  for (OwnedMachineFunction& function : context.created) {
    RunUnit& unit = units.emplace_back();
    unit.function = std::move(function);
    unit.run.reset(new FunctionRun(*this, *unit.function, *unit.report, unit.knobs));
    unit.ok = unit.run->Begin(step + 1, "In a function that a pass made");
  }
  if (options_.execution_checker == nullptr || units.empty()) return;
  std::string after;
  for (const RunUnit& unit : units) WriteMirFunction(*unit.function, {}, after);
  RunUnit& first = units.front();
  first.ok &= options_.execution_checker->CheckModulePass(module, before, after, pass, first.report->diagnostics);
}

namespace {

// RunPipeline for pipelines with module passes.
bool RunInParts(Module& module, const PipelineRunner& runner, const Pipeline& pipeline, DiagnosticEngine& diagnostics,
                RunReport& report) {
  std::vector<RunUnit> units;
  for (OwnedMachineFunction& function : std::exchange(module.machine_functions(), {})) {
    units.emplace_back().function = std::move(function);
  }
  const auto all_ok = [&] { return std::all_of(units.begin(), units.end(), [](const RunUnit& u) { return u.ok; }); };
  size_t step = runner.NextModuleStep(module, 0);
  for (RunUnit& unit : units) runner.RunUntil(unit, step);
  while (step < runner.num_steps() && all_ok()) {
    runner.RunModulePass(step, module, units);
    step = runner.NextModuleStep(module, step + 1);
    for (RunUnit& unit : units) runner.RunUntil(unit, step);
  }
  for (RunUnit& unit : units) {
    diagnostics.Append(unit.report->diagnostics);
    report.Add(pipeline, *unit.report);
  }
  const bool ok = all_ok();
  for (RunUnit& unit : units) {
    unit.run = nullptr;
    module.machine_functions().push_back(std::move(unit.function));
  }
  return ok;
}

}  // namespace

bool RunPipeline(Module& module, const Pipeline& pipeline, const RunOptions& options, DiagnosticEngine& diagnostics,
                 RunReport& report) {
  const PipelineRunner runner(pipeline, options);
  if (runner.NextModuleStep(module, 0) < pipeline.size())
    return RunInParts(module, runner, pipeline, diagnostics, report);
  bool ok = true;
  for (const OwnedMachineFunction& function : module.machine_functions()) {
    FunctionReport function_report;
    ok &= runner.Run(*function, function_report);
    diagnostics.Append(function_report.diagnostics);
    report.Add(pipeline, function_report);
  }
  return ok;
}

}  // namespace ptxmir
