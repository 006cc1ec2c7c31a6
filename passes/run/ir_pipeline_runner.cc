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
#include "passes/run/opt_bisect.h"
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

  bool WantsRemarks() const override {
    return filter_ != nullptr && filter_->listens() &&
           (filter_->IsRecorded(pass_) || filter_->AllowsExtraAnalysis(pass_) ||
            filter_->IsShown(RemarkKind::kMissed, pass_) || filter_->IsShown(RemarkKind::kPassed, pass_));
  }

  void AddRemark(Kind kind, std::string_view name, const ir::Instruction& where, std::string message) override {
    if (filter_ == nullptr) return;
    Remark remark;
    remark.kind = kind == Kind::kPassed ? RemarkKind::kPassed : RemarkKind::kMissed;
    if (!filter_->IsWanted(remark.kind, pass_)) return;
    remark.pass = std::string(pass_);
    remark.name = std::string(name);
    remark.function = std::string(where.function().signature().name);
    remark.location = LocationOf(where);
    remark.arguments.push_back({"String", std::move(message), std::nullopt});
    report_.remarks.push_back(std::move(remark));
  }

  void AddStatistic(std::string_view description, uint64_t value) override {
    report_.statistics.Add(pass_, description, value);
  }

 private:
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
};

class IrPipelineRun {
 public:
  IrPipelineRun(ir::Program& program, const Pipeline& pipeline, const RunOptions& options)
      : program_(program),
        pipeline_(pipeline),
        options_(options),
        gates_(pipeline, nullptr),
        knobs_(options.inputs.knobs == nullptr ? DefaultKnobs() : *options.inputs.knobs),
        reporter_(options, report_),
        context_{knobs_, report_.diagnostics, reporter_, report_.log, options.opt_level, SmOf(options)} {
    report_.steps.resize(pipeline.size());
  }

  bool Run() {
    PrepareTypes(program_.module().types());
    size_t next = 0;
    while (next < pipeline_.size()) {
      if (IsOnProgram(pipeline_[next])) {
        if (!RunOnProgram(next)) return false;
        ++next;
        continue;
      }
      size_t end = next;
      while (end < pipeline_.size() && !IsOnProgram(pipeline_[end])) ++end;
      for (const std::unique_ptr<ir::Function>& function : program_.functions()) {
        for (size_t step = next; step < end; ++step) {
          if (!RunOnFunction(step, *function)) return false;
        }
      }
      next = end;
    }
    return true;
  }

  const FunctionReport& report() const { return report_; }

 private:
  static const Knobs& DefaultKnobs() {
    static const Knobs* const knobs = new Knobs();
    return *knobs;
  }
  static uint32_t SmOf(const RunOptions& options) {
    return options.inputs.subtarget == nullptr ? 0 : options.inputs.subtarget->sm().number;
  }
  static bool IsOnProgram(const PipelineStep& step) {
    return step.pass != nullptr && step.pass->run_on_program != nullptr;
  }

  bool IsOpen(size_t step) const { return gates_.IsOpen(step, knobs_); }

  bool IsExcluded(const PipelineStep& step, const ir::Function& function) const {
    constexpr int kMaxLevel = 3;
    const bool is_optimization = step.gate.min_level > 0 && step.gate.min_level <= kMaxLevel;
    return is_optimization && knobs_.honor_optnone() &&
           program_.module().HasFunctionAttribute(function.signature(), "optnone");
  }

  bool PassesBisection(const PassInfo& pass, std::string unit) {
    return options_.opt_bisect == nullptr || options_.opt_bisect->ShouldRun(pass, std::move(unit), report_.log);
  }

  bool IsNamed(std::string_view function) const {
    const std::vector<std::string>& names = options_.print.functions;
    return names.empty() || std::find(names.begin(), names.end(), function) != names.end();
  }

  // Dumps a function, or all of them if it is null.
  void Dump(std::string_view heading, ir::Function* function) {
    if (function != nullptr && !IsNamed(function->signature().name)) return;
    report_.log += heading;
    if (options_.print.module_scope) {
      ir::WriteProgram(program_, &report_.log);
    } else if (function != nullptr) {
      report_.log += FunctionText(*function);
    } else {
      for (const std::unique_ptr<ir::Function>& each : program_.functions()) {
        if (IsNamed(each->signature().name)) report_.log += FunctionText(*each);
      }
    }
    report_.log += "\n";
  }

  void DumpAround(std::string_view when, const PassInfo& pass, ir::Function* function) {
    const bool is_before = when == "Before";
    const bool is_wanted = is_before ? options_.print.before_all || NamesPass(options_.print.before, pass)
                                     : options_.print.after_all || NamesPass(options_.print.after, pass);
    if (is_wanted) {
      Dump(StrCat("; *** IR Dump ", when, " ", pass.description, " (", pass.name, ") ***:\n"), function);
    }
  }

  bool RunOnFunction(size_t i, ir::Function& function) {
    const PipelineStep& step = pipeline_[i];
    switch (step.action) {
      case Action::kPrintFunction:
        Dump("", &function);
        return true;
      case Action::kVerify:
        return Verify(function, "verify");
      case Action::kPass:
        break;
      default:
        return true;
    }
    if (!IsOpen(i) || IsExcluded(step, function)) return true;
    const PassInfo& pass = *step.pass;
    if (!PassesBisection(pass, StrCat("function (", function.signature().name, ")"))) return true;
    DumpAround("Before", pass, &function);
    const std::string before = options_.verify_each ? FunctionText(function) : "";
    const bool changed = Measure(i, [&] { return pass.run_on_ir(function, context_); });
    if (report_.diagnostics.has_errors()) return false;
    if (options_.verify_each && !Verify(function, pass.name)) return false;
    if (options_.verify_each && !changed && FunctionText(function) != before) return WronglyClaimed(pass);
    DumpAround("After", pass, &function);
    return true;
  }

  bool RunOnProgram(size_t i) {
    if (!IsOpen(i)) return true;
    const PassInfo& pass = *pipeline_[i].pass;
    if (!PassesBisection(pass, StrCat("module (", program_.module().source_filename(), ")"))) return true;
    DumpAround("Before", pass, nullptr);
    const std::string before = options_.verify_each ? ProgramText(program_) : "";
    const bool changed = Measure(i, [&] { return pass.run_on_program(program_, context_); });
    if (report_.diagnostics.has_errors()) return false;
    if (options_.verify_each) {
      for (const std::unique_ptr<ir::Function>& function : program_.functions()) {
        if (!Verify(*function, pass.name)) return false;
      }
      if (!changed && ProgramText(program_) != before) return WronglyClaimed(pass);
    }
    DumpAround("After", pass, nullptr);
    return true;
  }

  template <typename Run>
  bool Measure(size_t i, Run run) {
    reporter_.set_pass(pipeline_[i].pass->name);
    const auto start = std::chrono::steady_clock::now();
    const bool changed = run().changed;
    StepReport& step = report_.steps[i];
    if (options_.time_passes) {
      step.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    step.ran = true;
    step.changed |= changed;
    if (options_.poll) options_.poll();
    return changed;
  }

  bool Verify(ir::Function& function, std::string_view after) {
    DiagnosticEngine errors;
    if (ir::VerifyFunction(function, errors)) return true;
    report_.diagnostics.Error(
        StrCat("after pass '", after, "' function '", function.signature().name, "' is wrong:\n", errors.ToString()));
    return false;
  }

  bool WronglyClaimed(const PassInfo& pass) {
    report_.diagnostics.Error(StrCat("pass '", pass.name, "' changed the code and says that it did not"));
    return false;
  }

  ir::Program& program_;
  const Pipeline& pipeline_;
  const RunOptions& options_;
  const PipelineGates gates_;
  const Knobs& knobs_;
  FunctionReport report_;
  IrReporter reporter_;
  IrPassContext context_;
};

}  // namespace

bool RunIrPipeline(ir::Program& program, const Pipeline& pipeline, const RunOptions& options,
                   DiagnosticEngine& diagnostics, RunReport& report) {
  IrPipelineRun run(program, pipeline, options);
  const bool ok = run.Run();
  diagnostics.Append(run.report().diagnostics);
  report.Add(pipeline, run.report());
  return ok;
}

}  // namespace ptxmir
