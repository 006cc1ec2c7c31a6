// SPDX-License-Identifier: Apache-2.0

#include "passes/run/pipeline_runner.h"

#include <algorithm>
#include <exception>
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
#include "passes/pipeline/function_knobs.h"
#include "passes/run/execution_observer.h"
#include "passes/run/pass_claims.h"
#include "passes/run/pass_dumps.h"
#include "passes/run/pass_verification.h"
#include "passes/run/pipeline_observer.h"
#include "passes/run/report_observers.h"
#include "passes/run/size_remarks.h"
#include "passes/run/step_timing.h"
#include "passes/run/step_trace.h"

namespace ptxmir {
namespace {

using Action = PipelineStep::Action;

// Returns "in SSA form" or a similar phrase for the first missing property.
std::string_view MissingProperty(uint32_t missing) {
  if ((missing & FunctionProperty::kIsSsa) != 0) return "in SSA form";
  if ((missing & FunctionProperty::kNoPhis) != 0) return "without PHIs";
  return "in the form that it needs";
}

// Returns true if some -O level other than -O0 runs the step.
bool IsOptimization(const PipelineStep& step) {
  constexpr int kMaxLevel = 3;
  return step.gate.min_level > 0 && step.gate.min_level <= kMaxLevel;
}

bool IsMarkedOptnone(const MachineFunction& function) {
  const IrFunction* const ir_function = FindIrFunction(function);
  return ir_function != nullptr && function.module()->HasFunctionAttribute(*ir_function, "optnone");
}

bool HasClientPass(const Pipeline& pipeline) {
  return std::any_of(pipeline.begin(), pipeline.end(), [](const PipelineStep& step) { return step.client != nullptr; });
}

}  // namespace

// One run of the pipeline over a function.
class PipelineRunner::FunctionRun {
 public:
  FunctionRun(const PipelineRunner& runner, MachineFunction& function, FunctionReport& report)
      : pipeline_(runner.pipeline_),
        options_(runner.options_),
        function_(function),
        report_(report),
        gates_(runner.gates_),
        analyses_(function, InputsFor(function, report)),
        is_unoptimized_(analyses_.knobs().honor_optnone() && IsMarkedOptnone(function)),
        context_{analyses_,         analyses_.knobs(), report.diagnostics,
                 report.statistics, report.log,        is_unoptimized_ ? 0 : options_.opt_level} {}

  bool Run() {
    if (report_.diagnostics.has_errors()) return false;  // in the function's attributes
    const TimeTraceScope traced(options_.inputs.time_trace, "CompileFunction", function_.name());
    if (!Verify("After reading the input")) return false;
    MakeObservers();
    for (const auto& observer : observers_) observer->BeginFunction();
    report_.steps.resize(pipeline_.size());
    for (size_t i = 0; i < pipeline_.size(); ++i) {
      if (IsOpen(i) && !RunObserved(pipeline_[i], report_.steps[i])) return false;
    }
    for (auto observer = observers_.rbegin(); observer != observers_.rend(); ++observer) (*observer)->EndFunction();
    return true;
  }

 private:
  // Returns the inputs of all functions, extended by a sink for this function's remarks and the knobs that its
  // attributes set.
  AnalysisInputs InputsFor(const MachineFunction& function, FunctionReport& report) {
    AnalysisInputs inputs = options_.inputs;
    if (options_.knobs_of) inputs.knobs = options_.knobs_of(function);
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
    if (filter != nullptr && filter->AllowsExtraAnalysis(kOccupancyRemarks) && sm != nullptr &&
        IsKernelFunction(function_)) {
      Add<OccupancyObserver>(function_, analyses_, *sm);
    }
    // Last, so that the remark is emitted before the event of the pass and the measurement of its time end.
    if (filter != nullptr && filter->IsShown(RemarkKind::kAnalysis, kSizeInfo)) Add<SizeRemarks>(function_, analyses_);
  }

  bool IsOpen(size_t i) const {
    return gates_.IsOpen(i, context_.knobs) && !(is_unoptimized_ && IsOptimization(pipeline_[i]));
  }

  // Runs a step and calls the observers. Returns false if an error was reported.
  bool RunObserved(const PipelineStep& step, StepReport& report) {
    if (step.pass != nullptr && !HasRequiredProperties(*step.pass)) return false;
    for (const auto& observer : observers_) observer->BeforeStep(step);
    const bool ok = RunStep(step, report.changed);
    report.ran = true;
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
    const PassResult result = step.client == nullptr ? pass.run(function_, context_) : RunClientPass(*step.client);
    function_.SetProperty(pass.set_properties);
    function_.SetProperty(pass.cleared_properties, false);
    if (result.changed) analyses_.Invalidate(result.preserved);
    changed = result.changed;
    return report_.diagnostics.num_errors() == errors_before;
  }

  // Runs a client's pass. Only client passes may throw exceptions; our own code expects none.
  PassResult RunClientPass(const ClientPass& pass) {
    try {
      return pass.run(function_, context_);
    } catch (const std::exception& exception) {
      report_.diagnostics.Error(
          StrCat("pass '", pass.name, "' on function '", function_.name(), "' threw: ", exception.what()));
    } catch (...) {
      report_.diagnostics.Error(StrCat("pass '", pass.name, "' on function '", function_.name(), "' threw"));
    }
    return {.changed = true};
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
};

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
  return FunctionRun(*this, function, report).Run();
}

bool RunPipeline(Module& module, const Pipeline& pipeline, const RunOptions& options, DiagnosticEngine& diagnostics,
                 RunReport& report) {
  const PipelineRunner runner(pipeline, options);
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
