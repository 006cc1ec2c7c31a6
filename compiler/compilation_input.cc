// SPDX-License-Identifier: Apache-2.0

#include "compiler/compilation_input.h"

#include <chrono>
#include <cstddef>

#include "base/str_cat.h"
#include "compiler/ir_input.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "passes/pipeline/pipeline.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_target.h"
#include "sdag/from_ir/dag_module_builder.h"

namespace ptxmir {
namespace {

// The number of functions that are taken before the text that they are parts of is unloaded.
constexpr size_t kFunctionsPerUnload = 64;

}  // namespace

CompilationInput::CompilationInput(const DriverOptions& options, DiagnosticEngine& diagnostics, RunReport& report,
                                   TimeTrace* trace, HistoryBook* history)
    : options_(options),
      diagnostics_(diagnostics),
      report_(report),
      trace_(trace),
      history_(history),
      dag_printer_(options, report, history) {}

bool CompilationInput::Open() {
  if (has_functions_) {
    if (options_.executes()) {
      diagnostics_.Error("-verify-exec and -count-executed need an input that is text");
      return false;
    }
  } else if (text_ == nullptr) {
    absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options_.input);
    if (!buffer.ok()) {
      diagnostics_.Error(std::string(FromAbsl(buffer.status().message())));
      return false;
    }
    text_ = *std::move(buffer);
  }
  if (IsIr()) return true;
  if (const PassPosition* position = FindIrPosition(options_.pipeline); position != nullptr) {
    diagnostics_.Error(StrCat("pass '", position->name, "' runs on LLVM IR, and the input is machine code"));
    return false;
  }
  for (const std::string& warning : options_.warnings_for_mir) diagnostics_.Report(Severity::kWarning, warning);
  return true;
}

bool CompilationInput::IsIr() const { return !has_functions_ && IsIrInput(options_, *text_); }

bool CompilationInput::Translate(std::string* text) {
  const TimeTraceScope traced(trace_, "TranslateInput", options_.input);
  RunReport ir_report;
  const bool is_ok = TranslateIr(options_, text_, diagnostics_, ir_report, history_, text);
  AddIrReport(ir_report);
  return is_ok;
}

bool CompilationInput::Prepare() {
  if (IsIr()) return PrepareIr();
  if (dags_.module == nullptr) {
    if (has_functions_ || !HoldsDags(text_->text())) return true;
    const TimeTraceScope traced(trace_, "ReadDags", options_.input);
    dags_ = sdag::ReadDags(text_, diagnostics_);
    if (dags_.module == nullptr) return false;
  }
  const TimeTraceScope traced(trace_, "SelectInstructions", options_.input);
  if (!ChooseSubtarget(*dags_.module)) return false;
  if (!SelectModule(dags_, MakeContext(text_.get(), DagVerification::kBeforeSelection), diagnostics_)) return false;
  TakeSelected(std::move(dags_.module));
  return true;
}

bool CompilationInput::PrepareIr() {
  {
    const TimeTraceScope traced(trace_, "ReadAndPrepareIr", options_.input);
    RunReport ir_report;
    ir::ProgramFile file = ReadAndPrepareIr(options_, text_, diagnostics_, ir_report, history_);
    AddIrReport(ir_report);
    if (file.program == nullptr) return false;
    module_ = std::move(file.module);
    program_ = std::move(file.program);
  }
  if (!ChooseSubtarget(*module_)) return false;
  if (!options_.executes()) return true;
  // The code that executes the input needs all of it as machine code.
  const TimeTraceScope traced(trace_, "SelectInstructions", options_.input);
  const std::unique_ptr<ir::Program> program = std::move(program_);
  const SelectionContext context = MakeContext(module_->ir_source(), DagVerification::kBeforeSelection);
  if (!SelectProgram(*program, context, diagnostics_)) return false;
  TakeSelected(std::exchange(module_, std::make_unique<Module>()));
  return true;
}

void CompilationInput::TakeSelected(std::unique_ptr<Module> module) {
  is_selected_ = true;
  dag_printer_.EndHistory();
  if (options_.executes()) {
    // The code that executes the input reads it again, so replace it by its machine code.
    std::string text;
    WriteMir(*module, {}, text);
    text_ = std::make_shared<const SourceBuffer>(text_->name(), text);
  } else {
    UseModule(std::move(module));
  }
}

bool CompilationInput::Select(RunUnit& unit) {
  const TimeTraceScope traced(trace_, "SelectInstructions", unit.function->name());
  const auto start = std::chrono::steady_clock::now();
  // BuildDags makes no wrong DAGs unless it has a bug. The source is the text after passes if it has been written
  // again.
  const DagVerification verification =
      options_.run.verify_each ? DagVerification::kBeforeSelection : DagVerification::kNone;
  unit.ok =
      SelectIr(*unit.ir, *unit.function, MakeContext(module_->ir_source(), verification), unit.report->diagnostics);
  unit.ir.reset();
  if (dag_printer_.is_needed()) dag_printer_.EndHistory();
  unit.report->selection_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return unit.ok;
}

bool CompilationInput::ChooseSubtarget(const Module& module) {
  absl::StatusOr<ptx::Subtarget> chosen = ptx::ChooseSubtarget(module, options_.cpu, options_.attributes);
  if (chosen.ok()) {
    subtarget_ = *std::move(chosen);
  } else {
    diagnostics_.Error(std::string(FromAbsl(chosen.status().message())));
  }
  return chosen.ok();
}

SelectionContext CompilationInput::MakeContext(const SourceBuffer* source, DagVerification verification) {
  return {.knobs = options_.knobs,
          .opt_level = static_cast<unsigned>(options_.pipeline.opt_level),
          .subtarget = *subtarget_,
          .source = source,
          .verification = verification,
          .observer = dag_printer_.is_needed() ? &dag_printer_ : nullptr};
}

void CompilationInput::AddIrReport(RunReport& ir_report) {
  report_.statistics.Append(ir_report.statistics);
  report_.log += ir_report.log;
  report_.remarks.insert(report_.remarks.end(), ir_report.remarks.begin(), ir_report.remarks.end());
  report_.files.insert(report_.files.end(), ir_report.files.begin(), ir_report.files.end());
  ir_timings_ = std::move(ir_report.timings);
}

bool CompilationInput::TakeFunctions(absl::FunctionRef<void(RunUnit)> take) {
  const TimeTraceScope traced(trace_, "ReadInput", options_.input);
  if (program_ != nullptr) {
    const SourceBuffer* source = module_->ir_source();
    size_t num_taken = 0;
    sdag::TakeFunctions(*program_, [&](std::unique_ptr<ir::Function> ir, OwnedMachineFunction function) {
      // Of the text, names and assembly are still needed, those of one function after the other.
      if (source != nullptr && num_taken++ % kFunctionsPerUnload == 0) source->Unload(source->text());
      take({.function = std::move(function), .ir = std::move(ir)});
    });
    return true;
  }
  if (!has_functions_) return ReadMachineCode(take);
  for (OwnedMachineFunction& function : std::exchange(module_->machine_functions(), {})) {
    take({.function = std::move(function)});
  }
  return true;
}

bool CompilationInput::ReadMachineCode(absl::FunctionRef<void(RunUnit)> take) {
  std::optional<ptx::Subtarget> named;
  bool is_chosen = false;
  InstrSupportCheck check = [&](const Module& module, Opcode opcode, int operand, int64_t value) -> std::string {
    if (!std::exchange(is_chosen, true)) named = ptx::NamedSubtarget(module, options_.cpu, options_.attributes);
    if (!named.has_value()) return "";
    if (operand >= 0) return named->WhyUnsupported(opcode, static_cast<unsigned>(operand), value);
    return named->Supports(opcode) ? "" : named->WhyUnsupported(opcode);
  };
  // The user did not choose the instructions that have been selected.
  if (is_selected_) check = nullptr;
  const auto add = [&](Module&, OwnedMachineFunction function) { take({.function = std::move(function)}); };
  return ReadMir(text_, ptx::PtxTargetInfo(), diagnostics_, *module_, add, check);
}

}  // namespace ptxmir
