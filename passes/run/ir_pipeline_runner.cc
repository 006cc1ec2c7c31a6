// SPDX-License-Identifier: Apache-2.0

#include "passes/run/ir_pipeline_runner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ir/text/program_writer.h"
#include "ir/verify/verifier.h"
#include "mir/text/remark.h"
#include "options/knobs.h"
#include "options/remark_options.h"
#include "passes/equivalence/ir_execution_check.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/report/function_history.h"
#include "passes/run/opt_bisect.h"
#include "passes/run/parallel_for.h"
#include "passes/run/pass_dumps.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/subtarget.h"

namespace ptxmir {
namespace {

using Action = PipelineStep::Action;

// Passes ask for these types; asking for one that exists changes nothing.
void PrepareTypes(IrTypeTable& types) {
  constexpr uint32_t kMaxWidth = 128;
  constexpr uint32_t kMaxSpace = 101;
  for (uint32_t width = 1; width <= kMaxWidth; ++width) types.Integer(width);
  for (uint32_t space = 0; space <= kMaxSpace; ++space) types.Pointer(space);
}

std::string FunctionText(ir::Function& function) {
  std::string text = StrCat(SignatureToString(function.module(), function.signature()), " ");
  ir::WriteBody(function, &text);
  text.push_back('\n');
  return text;
}

std::string ProgramText(ir::Program& program) {
  std::string text;
  for (const std::unique_ptr<ir::Function>& function : program.functions()) text += FunctionText(*function);
  return text;
}

// Collects what passes report.
class IrReporter : public IrPassReporter {
 public:
  IrReporter(const RunOptions& options, FunctionReport& report) : filter_(options.remark_filter), report_(report) {}

  void set_pass(std::string_view name) { pass_ = name; }

  bool WantsRemarks() const override { return filter_ != nullptr && filter_->AllowsExtraAnalysis(pass_); }

  void AddRemark(Kind kind, std::string_view name, const ir::Instruction& where, Message message) override {
    Remark* const remark = NewRemark(kind, name, message);
    if (remark == nullptr) return;
    remark->function = std::string(where.function().signature().name);
    remark->location = LocationOf(where);
  }

  void AddGlobalRemark(Kind kind, std::string_view name, const GlobalValue& where, Message message) override {
    Remark* const remark = NewRemark(kind, name, message);
    if (remark == nullptr) return;
    remark->function = std::string(where.name);
    remark->is_on_variable = !where.is_function();
  }

  void AddStatistic(std::string_view description, uint64_t value) override {
    report_.statistics.Add(pass_, description, value);
    if (!WantsRemarks()) return;
    StrAppend(&summary_, summary_.empty() ? "" : "; ", description, ": ", value);
  }

  // Makes a remark of what the pass has counted in a function since the last call, unless it has remarks of its own.
  void EndPass(const ir::Function& function, size_t num_remarks_before) {
    const std::string summary = std::exchange(summary_, {});
    if (summary.empty() || report_.remarks.size() != num_remarks_before) return;
    AddRemark(Kind::kPassed, "Changed", *function.entry().first(), [&] { return summary; });
  }

 private:
  // Returns null if the remark is not wanted.
  Remark* NewRemark(Kind kind, std::string_view name, Message message) {
    const RemarkKind remark_kind = kind == Kind::kPassed ? RemarkKind::kPassed : RemarkKind::kMissed;
    if (filter_ == nullptr || !filter_->IsWanted(remark_kind, pass_)) return nullptr;
    Remark& remark = report_.remarks.emplace_back();
    remark.kind = remark_kind;
    remark.pass = std::string(pass_);
    remark.name = std::string(name);
    remark.arguments.push_back({"String", message(), std::nullopt});
    return &remark;
  }

  static std::optional<SourceLocation> LocationOf(const ir::Instruction& where) {
    const Module& module = where.function().module();
    const ir::MetadataRef loc = where.debug_loc();
    if (loc.is_none()) return std::nullopt;
    const MetadataNode* node = loc.is_inline()
                                   ? module.ParseInlineMetadata(where.function().program().metadata_text(loc))
                                   : module.metadata(loc.node());
    if (node == nullptr || node->kind != "DILocation") return std::nullopt;
    SourceLocation location;
    location.line = static_cast<uint32_t>(node->Integer("line"));
    location.column = static_cast<uint32_t>(node->Integer("column"));
    // The file is that of the scope, or of a scope around it.
    constexpr int kMaxDepth = 64;
    std::optional<MetadataId> scope = node->Node("scope");
    for (int depth = 0; scope.has_value() && depth < kMaxDepth; ++depth) {
      const MetadataNode* inner = module.metadata(*scope);
      if (inner == nullptr) break;
      if (const std::optional<MetadataId> file = inner->Node("file"); file.has_value()) {
        const MetadataNode* named = module.metadata(*file);
        if (named != nullptr) location.file = std::string(named->Text("filename"));
        break;
      }
      scope = inner->Node("scope");
    }
    if (location.file.empty()) return std::nullopt;
    return location;
  }

  const RemarkFilter* const filter_;  // may be null
  FunctionReport& report_;
  std::string_view pass_;
  std::string summary_;  // "branches folded: 2; blocks removed: 1"
};

// One function, or the program, on its way through passes: their context, and all that they report.
struct IrRunUnit {
  // `own` are the knobs of the function alone; null if it has those of the program.
  IrRunUnit(const RunOptions& options, const Knobs& knobs, std::unique_ptr<const Knobs> own, size_t num_steps)
      : own_knobs(std::move(own)),
        reporter(options, report),
        context{own_knobs == nullptr ? knobs : *own_knobs, report.diagnostics, reporter, report.log,
                options.opt_level} {
    report.steps.resize(num_steps);
    if (const ptx::Subtarget* const subtarget = options.inputs.subtarget; subtarget != nullptr) {
      context.sm = subtarget->sm().number;
      context.ptx_version = subtarget->ptx_version();
    }
  }

  const std::unique_ptr<const Knobs> own_knobs;
  FunctionReport report;
  IrReporter reporter;
  IrPassContext context;
};

class IrPipelineRun {
 public:
  IrPipelineRun(ir::Program& program, const Pipeline& pipeline, const RunOptions& options,
                DiagnosticEngine& diagnostics, RunReport& report)
      : program_(program),
        pipeline_(pipeline),
        options_(options),
        own_gates_(pipeline, nullptr),
        gates_(options.gates != nullptr ? *options.gates : own_gates_),
        knobs_(options.inputs.knobs == nullptr ? DefaultKnobs() : *options.inputs.knobs),
        diagnostics_(diagnostics),
        report_(report) {}

  bool Run() {
    PrepareTypes(program_.module().types());
    IrExecutionChecker* const checker = options_.ir_execution_checker;
    if (checker != nullptr && !checker->Begin(program_, diagnostics_)) return false;
    for (const std::unique_ptr<ir::Function>& function : program_.functions()) {
      Record("input", "LLVM IR as it was read", *function);
    }
    size_t next = 0;
    while (next < pipeline_.size()) {
      size_t end = next;
      while (end < pipeline_.size() && !IsOnProgram(pipeline_[end])) ++end;
      if (end == next) {
        const std::unique_ptr<IrRunUnit> unit = NewUnit();
        const bool ok = RunOnProgram(next, *unit);
        Commit(*unit);
        if (!ok) return false;
        end = next + 1;
      } else if (!RunOnFunctions(next, end)) {
        return false;
      }
      next = end;
    }
    return true;
  }

 private:
  std::unique_ptr<IrRunUnit> NewUnit() const {
    return std::make_unique<IrRunUnit>(options_, knobs_, nullptr, pipeline_.size());
  }

  std::unique_ptr<IrRunUnit> NewUnitOf(const ir::Function& function) const {
    DiagnosticEngine diagnostics;
    auto unit = std::make_unique<IrRunUnit>(
        options_, knobs_, OwnKnobsOf(program_.module(), function.signature(), knobs_, diagnostics), pipeline_.size());
    // Of knobs without effect, the passes on machine code warn.
    if (diagnostics.has_errors()) unit->report.diagnostics.Append(diagnostics);
    return unit;
  }

  void Commit(const IrRunUnit& unit) {
    diagnostics_.Append(unit.report.diagnostics);
    report_.Add(pipeline_, unit.report);
  }

  // Returns true if steps must run in one order.
  bool IsSequential() const {
    return options_.threads <= 1 || options_.opt_bisect != nullptr || options_.print.module_scope ||
           options_.ir_execution_checker != nullptr || options_.poll != nullptr;
  }

  // Runs the steps from `begin` to `end`, which are about functions.
  bool RunOnFunctions(size_t begin, size_t end) {
    const auto& functions = program_.functions();
    const auto run = [&](size_t index, IrRunUnit& unit) {
      if (unit.report.diagnostics.has_errors()) return false;  // in the function's attributes
      for (size_t step = begin; step < end; ++step) {
        if (!RunOnFunction(step, *functions[index], unit)) return false;
      }
      return true;
    };
    if (IsSequential()) {
      for (size_t i = 0; i < functions.size(); ++i) {
        const std::unique_ptr<IrRunUnit> unit = NewUnitOf(*functions[i]);
        const bool ok = run(i, *unit);
        Commit(*unit);
        if (!ok) return false;
      }
      return true;
    }
    std::vector<std::unique_ptr<IrRunUnit>> units(functions.size());
    std::vector<char> ok(functions.size());
    ParallelFor(functions.size(), options_.threads, [&](size_t i) {
      units[i] = NewUnitOf(*functions[i]);
      ok[i] = run(i, *units[i]) ? 1 : 0;
    });
    // After an error, nothing is said of the functions after it, as if they had not run.
    for (size_t i = 0; i < units.size(); ++i) {
      Commit(*units[i]);
      if (ok[i] == 0) return false;
    }
    return true;
  }

  static const Knobs& DefaultKnobs() {
    static const Knobs* const knobs = new Knobs();
    return *knobs;
  }
  static bool IsOnProgram(const PipelineStep& step) {
    return step.pass != nullptr && step.pass->run_on_program != nullptr;
  }

  bool IsOpen(size_t step, const IrRunUnit& unit) const { return gates_.IsOpen(step, unit.context.knobs); }

  bool IsExcluded(const PipelineStep& step, const ir::Function& function, const IrRunUnit& unit) const {
    return step.gate.IsOfOptimization() && unit.context.knobs.honor_optnone() &&
           program_.module().HasFunctionAttribute(function.signature(), "optnone");
  }

  bool PassesBisection(const PassInfo& pass, std::string name, IrRunUnit& unit) const {
    return options_.opt_bisect == nullptr || options_.opt_bisect->ShouldRun(pass, std::move(name), unit.report.log);
  }

  bool IsNamed(std::string_view function) const {
    const std::vector<std::string>& names = options_.print.functions;
    return names.empty() || std::find(names.begin(), names.end(), function) != names.end();
  }

  // Dumps a function, or all of them if it is null.
  void Dump(std::string_view heading, ir::Function* function, std::string& log) {
    if (function != nullptr && !IsNamed(function->signature().name)) return;
    log += heading;
    if (options_.print.module_scope) {
      ir::WriteProgram(program_, &log);
    } else if (function != nullptr) {
      log += FunctionText(*function);
    } else {
      for (const std::unique_ptr<ir::Function>& each : program_.functions()) {
        if (IsNamed(each->signature().name)) log += FunctionText(*each);
      }
    }
    log += "\n";
  }

  void DumpAround(std::string_view when, const PassInfo& pass, ir::Function* function, std::string& log) {
    const bool is_before = when == "Before";
    const bool is_wanted = is_before ? options_.print.before_all || NamesPass(options_.print.before, pass)
                                     : options_.print.after_all || NamesPass(options_.print.after, pass);
    if (is_wanted) {
      Dump(StrCat("; *** IR Dump ", when, " ", pass.description, " (", pass.name, ") ***:\n"), function, log);
    }
  }

  bool RunOnFunction(size_t i, ir::Function& function, IrRunUnit& unit) {
    const PipelineStep& step = pipeline_[i];
    switch (step.action) {
      case Action::kPrintFunction:
        Dump("", &function, unit.report.log);
        return true;
      case Action::kVerify:
        return Verify(function, "verify", unit);
      case Action::kPass:
        break;
      default:
        return true;
    }
    if (!IsOpen(i, unit) || IsExcluded(step, function, unit)) return true;
    const PassInfo& pass = *step.pass;
    if (!PassesBisection(pass, StrCat("function (", function.signature().name, ")"), unit)) return true;
    DumpAround("Before", pass, &function, unit.report.log);
    const std::string before = options_.verify_each ? FunctionText(function) : "";
    const size_t num_remarks = unit.report.remarks.size();
    const bool changed = Measure(i, unit, [&] { return pass.run_on_ir(function, unit.context); });
    unit.reporter.EndPass(function, num_remarks);
    if (unit.report.diagnostics.has_errors()) return false;
    if (options_.verify_each && !Verify(function, pass.name, unit)) return false;
    if (options_.verify_each && !changed && FunctionText(function) != before) return WronglyClaimed(pass, unit);
    DumpAround("After", pass, &function, unit.report.log);
    RecordPass(pass, changed, function);
    return !changed || ComputesTheSame(pass, function.signature().name, unit);
  }

  bool RunOnProgram(size_t i, IrRunUnit& unit) {
    if (!IsOpen(i, unit)) return true;
    const PassInfo& pass = *pipeline_[i].pass;
    if (!PassesBisection(pass, StrCat("module (", program_.module().source_filename(), ")"), unit)) return true;
    DumpAround("Before", pass, nullptr, unit.report.log);
    const std::string before = options_.verify_each ? ProgramText(program_) : "";
    const bool changed = Measure(i, unit, [&] { return pass.run_on_program(program_, unit.context); });
    if (unit.report.diagnostics.has_errors()) return false;
    if (options_.verify_each) {
      for (const std::unique_ptr<ir::Function>& function : program_.functions()) {
        if (!Verify(*function, pass.name, unit)) return false;
      }
      if (!changed && ProgramText(program_) != before) return WronglyClaimed(pass, unit);
    }
    DumpAround("After", pass, nullptr, unit.report.log);
    for (const std::unique_ptr<ir::Function>& function : program_.functions()) RecordPass(pass, changed, *function);
    return !changed || ComputesTheSame(pass, "", unit);
  }

  // `function` is empty after a pass over the program.
  bool ComputesTheSame(const PassInfo& pass, std::string_view function, IrRunUnit& unit) {
    IrExecutionChecker* const checker = options_.ir_execution_checker;
    return checker == nullptr || checker->Check(program_, function, pass, unit.report.diagnostics);
  }

  // Adds a function as it is to its history.
  void Record(std::string_view pass, std::string_view description, ir::Function& function) const {
    if (options_.history == nullptr) return;
    options_.history->Of(function.signature().name).AddIr(pass, description, function);
  }
  void RecordPass(const PassInfo& pass, bool changed, ir::Function& function) const {
    if (changed) {
      Record(pass.name, pass.description, function);
    } else if (options_.history != nullptr) {
      options_.history->Of(function.signature().name).unchanged.emplace_back(pass.name);
    }
  }

  template <typename Run>
  bool Measure(size_t i, IrRunUnit& unit, Run run) const {
    unit.reporter.set_pass(pipeline_[i].pass->name);
    const auto start = std::chrono::steady_clock::now();
    const bool changed = run().changed;
    StepReport& step = unit.report.steps[i];
    if (options_.time_passes) {
      step.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    step.ran = true;
    step.changed |= changed;
    if (options_.poll) options_.poll();
    return changed;
  }

  static bool Verify(ir::Function& function, std::string_view after, IrRunUnit& unit) {
    DiagnosticEngine errors;
    if (ir::VerifyFunction(function, errors)) return true;
    unit.report.diagnostics.Error(
        StrCat("after pass '", after, "' function '", function.signature().name, "' is wrong:\n", errors.ToString()));
    return false;
  }

  static bool WronglyClaimed(const PassInfo& pass, IrRunUnit& unit) {
    unit.report.diagnostics.Error(StrCat("pass '", pass.name, "' changed the code and says that it did not"));
    return false;
  }

  ir::Program& program_;
  const Pipeline& pipeline_;
  const RunOptions& options_;
  const PipelineGates own_gates_;  // if the options have none
  const PipelineGates& gates_;
  const Knobs& knobs_;
  DiagnosticEngine& diagnostics_;
  RunReport& report_;
};

}  // namespace

bool RunIrPipeline(ir::Program& program, const Pipeline& pipeline, const RunOptions& options,
                   DiagnosticEngine& diagnostics, RunReport& report) {
  return IrPipelineRun(program, pipeline, options, diagnostics, report).Run();
}

}  // namespace ptxmir
