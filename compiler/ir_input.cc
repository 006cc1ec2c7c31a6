// SPDX-License-Identifier: Apache-2.0

#include "compiler/ir_input.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "compiler/select_module.h"
#include "ir/code/body_facts.h"
#include "ir/link/linker.h"
#include "ir/text/program_writer.h"
#include "mir/text/input_kind.h"
#include "options/nvvm_pass_options.h"
#include "options/remark_options.h"
#include "passes/equivalence/ir_execution_check.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/function_pool.h"
#include "passes/run/ir_pipeline_runner.h"
#include "passes/run/opt_bisect.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/subtarget.h"
#include "sdag/from_ir/dag_module_builder.h"

namespace ptxmir {
namespace {

// Runs the passes on IR that run at every level.
bool RunUnoptimizedPasses(ir::Program& program, const DriverOptions& options, DiagnosticEngine& errors) {
  PipelineOptions unoptimized;
  unoptimized.opt_level = 0;
  const std::optional<Pipeline> pipeline = BuildIrPipeline(unoptimized, errors);
  if (!pipeline.has_value()) return false;
  RunOptions run;
  run.opt_level = 0;
  run.inputs.knobs = &options.knobs;
  RunReport report;
  if (!RunIrPipeline(program, *pipeline, run, errors, report)) return false;
  ir::UpdateBodyTexts(program);
  return true;
}

// Selects instructions without optimization. Returns null after errors.
std::unique_ptr<Module> SelectUnoptimized(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input,
                                          bool runs_passes, DiagnosticEngine& errors) {
  ir::ProgramFile file = ir::ReadProgram(std::move(input), errors);
  if (file.program == nullptr) return nullptr;
  if (runs_passes && !RunUnoptimizedPasses(*file.program, options, errors)) return nullptr;
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(*file.module, options.cpu, options.attributes);
  if (!subtarget.ok()) {
    errors.Error(std::string(FromAbsl(subtarget.status().message())));
    return nullptr;
  }
  // Passes bring multiplications and additions into one block, where selection may fuse them. That is not what the pass
  // is asked about.
  Knobs knobs = options.knobs;
  if (const absl::Status status = knobs.Set("nvptx-fma-level", "0", KnobOrigin::kApi); !status.ok()) return nullptr;
  const SelectionContext context = {.knobs = knobs,
                                    .opt_level = 0,
                                    .subtarget = *subtarget,
                                    .source = file.module->ir_source(),
                                    .verification = DagVerification::kBeforeSelection};
  return SelectProgram(*file.program, context, errors) ? std::move(file.module) : nullptr;
}

// Returns the machine code that -verify-exec runs for a version of the program. Passes run only if the program cannot
// be selected as it is: they would hide their own errors.
std::unique_ptr<Module> LowerToExecute(const DriverOptions& options, const std::string& text,
                                       DiagnosticEngine& diagnostics) {
  const auto input = std::make_shared<const SourceBuffer>(options.input, text);
  DiagnosticEngine errors;
  std::unique_ptr<Module> module = SelectUnoptimized(options, input, /*runs_passes=*/false, errors);
  return module != nullptr ? std::move(module) : SelectUnoptimized(options, input, /*runs_passes=*/true, diagnostics);
}

// Runs the passes that `pipeline` names, or else the standard pipeline of its level.
bool RunIrPasses(ir::Program& program, const DriverOptions& options, const PipelineOptions& pipeline_options,
                 DiagnosticEngine& diagnostics, RunReport& report, HistoryBook* history) {
  const std::optional<Pipeline> pipeline = BuildIrPipeline(pipeline_options, diagnostics);
  if (!pipeline.has_value()) return false;
  const NvvmPassOptions pass_options = MakeNvvmPassOptions(*options.pass_options);
  const PipelineGates gates(*pipeline, &pass_options);
  RunOptions run = options.run;
  run.gates = &gates;
  run.history = history;
  run.opt_level = pipeline_options.opt_level;
  run.threads = ResolveThreadCount(RequestedThreads(options));
  run.inputs.knobs = &options.knobs;
  std::optional<ptx::Subtarget> subtarget;
  if (!options.cpu.empty()) {
    absl::StatusOr<ptx::Subtarget> created = ptx::Subtarget::Create(options.cpu, options.attributes);
    if (created.ok()) subtarget = *std::move(created);
  }
  run.inputs.subtarget = subtarget.has_value() ? &*subtarget : nullptr;
  const RemarkFilter filter(options.remarks);
  if (filter.listens()) run.remark_filter = &filter;
  std::optional<OptBisect> bisect;
  if (options.bisect.has_value()) run.opt_bisect = &bisect.emplace(*options.bisect, options.bisect_is_verbose);
  std::optional<IrExecutionChecker> checker;
  if (options.verify_exec_inputs != 0) {
    const auto lower = [&](const std::string& text, DiagnosticEngine& errors) {
      return LowerToExecute(options, text, errors);
    };
    run.ir_execution_checker = &checker.emplace(lower, options.verify_exec_inputs);
  }
  if (!RunIrPipeline(program, *pipeline, run, diagnostics, report)) return false;
  if (checker.has_value()) {
    report.statistics.Add("verify-exec", "runs of kernels compared", checker->num_compared());
    report.statistics.Add("verify-exec", "runs of kernels that decided nothing", checker->num_undecided());
  }
  return true;
}

// Reads and verifies the input and, if there are several, links them. `input` is the first one if it has been read
// already. The program is null after an error.
ir::ProgramFile ReadIrFiles(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input,
                            DiagnosticEngine& diagnostics) {
  if (!options.more_inputs.empty()) {
    std::vector<std::string> paths = {options.input};
    paths.insert(paths.end(), options.more_inputs.begin(), options.more_inputs.end());
    return ir::LinkFiles(paths, {.only_needed = options.only_needed}, diagnostics);
  }
  if (input != nullptr) return ir::ReadProgram(std::move(input), diagnostics);
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (buffer.ok()) return ir::ReadProgram(*std::move(buffer), diagnostics);
  diagnostics.Error(std::string(FromAbsl(buffer.status().message())));
  return {};
}

// Gives functions the attributes that options stand for, unless they have them.
void AddDefaultAttributes(const DriverOptions& options, Module& module) {
  for (const auto& [name, value] : options.default_attributes) {
    IrAttribute attribute;
    attribute.is_string = true;
    attribute.text = module.CopyString(StrCat("\"", name, "\"=\"", value, "\""));
    attribute.name = attribute.text.substr(1, name.size());
    attribute.value = attribute.text.substr(name.size() + 4, value.size());
    for (const IrFunction& known : module.functions()) {
      if (known.is_intrinsic() || known.is_removed() || module.HasFunctionAttribute(known, name)) continue;
      auto& function = static_cast<IrFunction&>(module.global_value(known.id()));
      function.attributes.Add(attribute);
      function.MarkChanged();
    }
  }
}

ir::ProgramFile ReadIrInputs(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input,
                             DiagnosticEngine& diagnostics) {
  ir::ProgramFile file = ReadIrFiles(options, std::move(input), diagnostics);
  if (file.program != nullptr) AddDefaultAttributes(options, *file.module);
  return file;
}

// Returns true if the IR is printed, or read again from a copy: its text must then be what the passes have made of it.
bool NeedsText(const DriverOptions& options) {
  return options.pipeline.stops_early() || options.count_executed_launches != 0 || options.verify_exec_inputs != 0 ||
         options.run.print.module_scope;
}

}  // namespace

bool IsIrInput(const DriverOptions& options, const SourceBuffer& input) {
  return options.reads_ir || !options.more_inputs.empty() || IsIrText(input);
}

bool TranslateIr(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input, DiagnosticEngine& diagnostics,
                 RunReport& report, HistoryBook* history, std::string* text) {
  const ir::ProgramFile file = ReadIrInputs(options, std::move(input), diagnostics);
  if (file.program == nullptr) return false;
  const bool runs_passes =
      options.pipeline.passes.has_value() || options.pipeline.run_passes.has_value() || StopsOnIr(options.pipeline);
  if (runs_passes && !RunIrPasses(*file.program, options, options.pipeline, diagnostics, report, history)) return false;
  ir::WriteProgram(*file.program, text);
  return true;
}

ir::ProgramFile ReadAndPrepareIr(const DriverOptions& options, std::shared_ptr<const SourceBuffer> input,
                                 DiagnosticEngine& diagnostics, RunReport& report, HistoryBook* history) {
  const std::string name = input->name();
  ir::ProgramFile file = ReadIrInputs(options, std::move(input), diagnostics);
  if (file.program == nullptr) return {};
  PipelineOptions pipeline = options.pipeline;
  pipeline.passes.reset();  // on machine code
  pipeline.run_passes.reset();
  if (!RunIrPasses(*file.program, options, pipeline, diagnostics, report, history)) return {};
  if (!NeedsText(options)) {
    ir::ReplaceBodyTexts(*file.program);
    return file;
  }
  std::string text;
  ir::WriteProgram(*file.program, &text);
  return ir::ReadProgram(std::make_shared<SourceBuffer>(name, std::move(text)), diagnostics);
}

std::unique_ptr<Module> ReadIrToExecute(std::shared_ptr<const SourceBuffer> input, DiagnosticEngine& diagnostics) {
  return SelectUnoptimized(DriverOptions(), std::move(input), /*runs_passes=*/true, diagnostics);
}

}  // namespace ptxmir
