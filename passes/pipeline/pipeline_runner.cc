// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeline/pipeline_runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "base/time_trace.h"
#include "mir/code/function_fingerprint.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "passes/equivalence/execution_check.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/report/asm_printer_remarks.h"
#include "passes/report/occupancy_remarks.h"

namespace ptxmir {
namespace {

using Action = PipelineStep::Action;
using Clock = std::chrono::steady_clock;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool NamesPass(const std::vector<std::string>& names, const PassInfo& pass) {
  return Contains(names, pass.name) || (!pass.alias.empty() && Contains(names, pass.alias));
}

// Returns "in SSA form" or a similar phrase for the first missing property.
std::string_view MissingProperty(uint32_t missing) {
  if ((missing & FunctionProperty::kIsSsa) != 0) return "in SSA form";
  if ((missing & FunctionProperty::kNoPhis) != 0) return "without PHIs";
  return "in the form that it needs";
}

// The category of LLVM's remarks about passes that add or remove instructions. As in LLVM, they are reported only
// to a user who requests them on stderr.
constexpr std::string_view kSizeInfo = "size-info";

MachineRemark SizeRemark(const MachineFunction& function, const PassInfo& pass, size_t before, size_t after) {
  const int64_t delta = static_cast<int64_t>(after) - static_cast<int64_t>(before);
  return MachineRemark(RemarkKind::kAnalysis, kSizeInfo, "FunctionMISizeChange", function)
         << RemarkArg("Pass", pass.description) << ": Function: " << RemarkArg("Function", function.name()) << ": "
         << "MI Instruction count changed from " << RemarkArg("MIInstrsBefore", before) << " to "
         << RemarkArg("MIInstrsAfter", after) << "; Delta: " << RemarkArg("Delta", delta);
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

}  // namespace

// One run of the pipeline over a function.
class PipelineRunner::FunctionRun {
 public:
  FunctionRun(const PipelineRunner& runner, MachineFunction& function, FunctionReport& report)
      : pipeline_(runner.pipeline_),
        options_(runner.options_),
        function_(function),
        report_(report),
        time_trace_(options_.inputs.time_trace),
        wants_sizes_(options_.remark_filter != nullptr &&
                     options_.remark_filter->IsShown(RemarkKind::kAnalysis, kSizeInfo)),
        gates_(runner.gates_),
        analyses_(function, InputsFor(function, report)),
        is_unoptimized_(analyses_.knobs().honor_optnone() && IsMarkedOptnone(function)),
        context_{analyses_,         analyses_.knobs(), report.diagnostics,
                 report.statistics, report.log,        is_unoptimized_ ? 0 : options_.opt_level},
        is_printed_(options_.print.functions.empty() || Contains(options_.print.functions, function.name())) {}

  bool Run() {
    if (report_.diagnostics.has_errors()) return false;  // in the function's attributes
    const TimeTraceScope traced(time_trace_, "CompileFunction", function_.name());
    if (!Verify("After reading the input")) return false;
    BeginReports();
    report_.steps.resize(pipeline_.size());
    for (size_t i = 0; i < pipeline_.size(); ++i) {
      if (!gates_.IsOpen(i, context_.knobs) || (is_unoptimized_ && IsOptimization(pipeline_[i]))) continue;
      const Clock::time_point start = options_.time_passes ? Clock::now() : Clock::time_point();
      const bool ok = RunTracedStep(pipeline_[i]);
      StepReport& step = report_.steps[i];
      step.ran = true;
      if (options_.time_passes) step.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (options_.poll) options_.poll();
      if (!ok) return false;
      if (pipeline_[i].action != Action::kPass) continue;
      step.changed = result_.changed;
      if (!Check(pipeline_[i])) return false;
      if (step.changed && report_.pressure.has_value()) {
        AddPressureStep(pipeline_[i].pass->name, function_, analyses_, *report_.pressure);
      }
      if (step.changed && occupancy_remarks_.has_value()) occupancy_remarks_->NotePass(pipeline_[i].pass->name);
    }
    if (occupancy_remarks_.has_value()) occupancy_remarks_->Emit();
    if (options_.execution_checker != nullptr) {
      options_.execution_checker->EmitRemarks(function_, analyses_.Get<MachineOptRemarkEmitter>());
    }
    if (options_.is_printed && options_.remark_filter != nullptr) {
      EmitAsmPrinterRemarks(function_, analyses_.Get<MachineOptRemarkEmitter>());
    }
    return true;
  }

 private:
  // Records the state of the function as it was read.
  void BeginReports() {
    if (options_.execution_checker != nullptr) options_.execution_checker->Begin(function_);
    if (const ptx::Subtarget* subtarget = options_.inputs.subtarget; options_.report_budgets && subtarget != nullptr) {
      report_.budget = StrCat("  ", function_.name(), ": ",
                              ComputeRegisterBudget(function_, context_.knobs, subtarget->sm()).text, "\n");
    }
    if (options_.report_pressure) report_.pressure = BeginPressureReport(function_, analyses_);
    if (options_.remark_filter != nullptr && options_.remark_filter->AllowsExtraAnalysis(kOccupancyRemarks) &&
        options_.inputs.subtarget != nullptr && IsKernelFunction(function_)) {
      occupancy_remarks_.emplace(function_, analyses_, options_.inputs.subtarget->sm());
    }
  }

  // Returns the inputs of all functions, extended by a sink for this function's remarks and the knobs that its
  // attributes set.
  AnalysisInputs InputsFor(const MachineFunction& function, FunctionReport& report) {
    AnalysisInputs inputs = options_.inputs;
    if (options_.knobs_of) inputs.knobs = options_.knobs_of(function);
    if (options_.remark_filter != nullptr) {
      remark_sink_.emplace(RemarkSink{*options_.remark_filter, report.remarks});
      inputs.remarks = &*remark_sink_;
    }
    own_knobs_ = OwnKnobsOf(function, inputs.knobs == nullptr ? Knobs() : *inputs.knobs, report.diagnostics);
    if (own_knobs_ == nullptr) return inputs;
    inputs.knobs = own_knobs_.get();
    return inputs;
  }

  bool RunTracedStep(const PipelineStep& step) {
    if (time_trace_ == nullptr || step.action == Action::kBanner) return RunStep(step);
    const std::string name = step.Name();
    const TimeTraceScope traced(time_trace_, name, function_.name());
    return RunStep(step);
  }

  bool RunStep(const PipelineStep& step) {
    switch (step.action) {
      case Action::kPass:
        return RunPass(step);
      case Action::kBanner:
        if (is_printed_ && options_.print.after_all) Dump(StrCat("# ", step.banner, ":\n"));
        return true;
      case Action::kPrintAnalysis:
        if (!is_printed_) return true;
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
        if (is_printed_) Dump("");
        return true;
      case Action::kVerify:
        return Verify("After verify");
    }
    return true;
  }

  bool RunPass(const PipelineStep& step) {
    const PassInfo& pass = *step.pass;
    const uint32_t missing = pass.required_properties & ~function_.properties();
    if (missing != 0) {
      report_.diagnostics.Error(StrCat("pass '", pass.name, "' needs functions ", MissingProperty(missing), ", and '",
                                       function_.name(), "' is not"));
      return false;
    }
    const PrintOptions& print = options_.print;
    if (is_printed_ && (print.before_all || NamesPass(print.before, pass))) DumpAround("Before", pass);
    const size_t errors_before = report_.diagnostics.num_errors();
    fingerprint_ = IsVerified(step) ? FunctionFingerprint(function_) : 0;
    const size_t size_before = wants_sizes_ ? function_.CountInstrs() : 0;
    result_ = step.client == nullptr ? pass.run(function_, context_) : RunClientPass(*step.client);
    function_.SetProperty(pass.set_properties);
    function_.SetProperty(pass.cleared_properties, false);
    if (result_.changed) analyses_.Invalidate(result_.preserved);
    if (wants_sizes_) ReportSize(pass, size_before);
    return report_.diagnostics.num_errors() == errors_before;
  }

  bool IsVerified(const PipelineStep& step) const { return options_.verify_each || step.client != nullptr; }

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

  void ReportSize(const PassInfo& pass, size_t before) {
    const size_t after = function_.CountInstrs();
    if (after == before) return;
    analyses_.Get<MachineOptRemarkEmitter>().Emit([&] { return SizeRemark(function_, pass, before, after); });
  }

  // Dumps and verifies the function after a pass.
  bool Check(const PipelineStep& step) {
    const PassInfo& pass = *step.pass;
    const PrintOptions& print = options_.print;
    if (is_printed_ && (print.after_all || NamesPass(print.after, pass) || (print.changed && result_.changed))) {
      DumpAround("After", pass);
    } else if (is_printed_ && print.changed) {
      StrAppend(&report_.log, "# *** IR Dump After ", pass.description, " (", pass.name, ") on ", function_.name(),
                " omitted because no change ***\n");
    }
    if (IsVerified(step) && !CheckClaims(pass)) return false;
    if (IsVerified(step) && !Verify(StrCat("After ", pass.description))) return false;
    if (options_.execution_checker == nullptr || !result_.changed) return true;
    return options_.execution_checker->Check(function_, pass, report_.diagnostics);
  }

  // Checks that the result returned by the pass is correct.
  bool CheckClaims(const PassInfo& pass) {
    std::string wrong;
    if (!result_.changed && FunctionFingerprint(function_) != fingerprint_) {
      wrong = "changed the function and says that it did not";
    } else if (const std::string stale = analyses_.CheckCached(); !stale.empty()) {
      wrong = StrCat("says that it preserved an analysis that no longer holds: ", stale);
    }
    if (wrong.empty()) return true;
    report_.diagnostics.Error(StrCat("pass '", pass.name, "' on function '", function_.name(), "' ", wrong));
    return false;
  }

  bool Verify(const std::string& banner) {
    const TimeTraceScope traced(time_trace_, "Verify", function_.name());
    return VerifyMachineFunction(function_, report_.diagnostics, banner.c_str());
  }

  void DumpAround(std::string_view when, const PassInfo& pass) {
    Dump(StrCat("# *** IR Dump ", when, " ", pass.description, " (", pass.name, ") ***:\n"));
  }

  void Dump(std::string_view heading) {
    StrAppend(&report_.log, heading);
    MirWriteOptions write_options;
    write_options.stable_names = options_.print.stable_names;
    WriteFunctionForDump(function_, write_options, report_.log);
    report_.log += "\n";
  }

  const Pipeline& pipeline_;
  const RunOptions& options_;
  MachineFunction& function_;
  FunctionReport& report_;
  TimeTrace* const time_trace_;  // may be null
  const bool wants_sizes_;
  std::optional<RemarkSink> remark_sink_;
  const PipelineGates& gates_;
  std::unique_ptr<const Knobs> own_knobs_;  // the knobs of this function alone; null if it has those of the module
  AnalysisManager analyses_;
  const bool is_unoptimized_;
  PassContext context_;
  std::optional<OccupancyRemarks> occupancy_remarks_;
  bool is_printed_;
  // The result of the last pass.
  PassResult result_;
  uint64_t fingerprint_ = 0;
};

PipelineGates::PipelineGates(const Pipeline& pipeline, const NvvmPassOptions* pass_options) : gates_(pipeline.size()) {
  std::vector<std::string_view> gated_off;
  if (pass_options != nullptr) gated_off = GatedOffPasses(*pass_options);
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const StepGate& gate = pipeline[i].gate;
    if (!gate.enabled_by.empty()) gates_[i].enabled_by = FindKnob(gate.enabled_by);
    gates_[i].is_on_unless_set = gate.is_on_unless_set;
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
         (gate.disabled_by == nullptr || !knobs.IsOn(*gate.disabled_by, false));
}

PipelineRunner::PipelineRunner(const Pipeline& pipeline, const RunOptions& options)
    : pipeline_(pipeline),
      options_(options),
      own_gates_(options.gates == nullptr ? std::make_optional<PipelineGates>(pipeline, nullptr) : std::nullopt),
      gates_(options.gates == nullptr ? *own_gates_ : *options.gates) {}

bool PipelineRunner::Run(MachineFunction& function, FunctionReport& report) const {
  return FunctionRun(*this, function, report).Run();
}

void RunReport::Add(const Pipeline& pipeline, const FunctionReport& function) {
  statistics.Append(function.statistics);
  budgets += function.budget;
  if (function.pressure.has_value()) pressure.push_back(*function.pressure);
  log += function.log;
  remarks.insert(remarks.end(), function.remarks.begin(), function.remarks.end());
  if (timings.empty()) {
    for (const PipelineStep& step : pipeline) timings.push_back({step.Name()});
  }
  for (size_t i = 0; i < function.steps.size(); ++i) timings[i].seconds += function.steps[i].seconds;
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
