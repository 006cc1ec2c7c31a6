// SPDX-License-Identifier: Apache-2.0

// The implementation of include/ptxmir/compiler.h and pass.h. It converts options and results of compilations to
// and from types of the standard library.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "compiler/compilation.h"
#include "compiler/compiler_state.h"
#include "compiler/driver_options.h"
#include "compiler/option_parser.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/pipeline/pass_table.h"
#include "passes/pipeline/pipeline.h"
#include "ptx/target/subtarget.h"
#include "ptxmir/compiler.h"
#include "ptxmir/pass.h"

namespace ptxmir {
namespace {

Diagnostic InternalMessage(const CompileMessage& message) {
  return {static_cast<Severity>(message.severity),
          message.file,
          {message.line, message.column},
          message.text,
          message.source_line};
}

void AppendMessages(const DiagnosticEngine& diagnostics, std::vector<CompileMessage>& messages) {
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    messages.push_back({static_cast<CompileMessage::Severity>(diagnostic.severity), diagnostic.file,
                        diagnostic.where.line, diagnostic.where.column, diagnostic.message, diagnostic.source_line});
  }
  const size_t kept = DiagnosticEngine::kMaxKeptErrors;
  if (diagnostics.num_errors() <= kept) return;
  CompileMessage more;
  more.text = StrCat(diagnostics.num_errors() - kept, " more errors not shown");
  messages.push_back(std::move(more));
}

// Returns the name of an option that needs files, a terminal or child processes and is therefore only for the
// tool. Empty if there is none.
std::string_view WantsTool(const DriverOptions& options) {
  const std::pair<bool, std::string_view> wishes[] = {
      {!options.input.empty(), "an input file"},
      {options.output != "-", "-o"},
      {options.time_trace, "-time-trace"},
      {!options.remarks.output.empty(), "-pass-remarks-output"},
      {!options.pressure_report_file.empty(), "-pressure-report"},
      {options.explain_registers, "-explain-registers"},
      {options.explores(), "-explore"},
      {options.autotuner() == DriverOptions::Autotune::kPtxas, "-autotune=ptxas"},
      {options.bisect_goal != BisectGoal::kNone, "-opt-bisect=ptxas or exec"},
      {options.run.print.dot_cfg, "-dot-cfg"},
      {options.dag_pictures != 0 || options.run.print.schedule_pictures, "-view-*-dags"},
      {options.run.print.changed == ChangeFormat::kDotCfg, "-print-changed=dot-cfg"},
      {options.occupancy.threads != 0, "-occupancy"},
      {options.show_help, "-help"},
      {options.show_version, "-version"},
      {options.print_isa_coverage, "-print-isa-coverage"},
      {options.print_passes, "-print-passes"},
      {options.print_machine_model, "-print-machine-model"},
      {options.print_option_sets, "-print-option-sets"},
      {options.print_knobs, "-print-knobs"},
      {options.print_options, "-print-options"},
  };
  for (const auto& [is_wanted, name] : wishes) {
    if (is_wanted) return name;
  }
  return "";
}

FunctionSummary Summarize(const FunctionPressure& function) {
  const PressureStep& first = function.steps.front();
  const PressureStep& last = function.steps.back();
  FunctionSummary summary;
  summary.name = function.function;
  summary.is_kernel = function.is_kernel;
  summary.input_instructions = first.instructions;
  summary.instructions = last.instructions;
  summary.input_registers = first.profile.max_units;
  summary.registers = last.profile.max_units;
  summary.predicates = last.profile.max_predicates;
  summary.spill_stores = function.spills.stores;
  summary.spill_loads = function.spills.loads;
  return summary;
}

}  // namespace

Compiler::State::State(const CompileOptions& from) : input_name(from.input_name), summarizes(from.summarize_functions) {
  DiagnosticEngine diagnostics;
  if (const absl::Status status = ParseFlags(from.flags); !status.ok()) {
    diagnostics.Error(std::string(FromAbsl(status.message())));
  } else {
    for (const std::shared_ptr<const ClientPassPlace>& place : from.passes) {
      options.pipeline.client_passes.push_back(*place);
    }
    WarnOfKnobsWithoutEffect(options.knobs, KnobOrigin::kCommandLine, "", IsPassOrAnalysisImplemented, diagnostics);
    WarnOfPassOptionsWithoutEffect(*options.pass_options, diagnostics);
    std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, diagnostics);
    if (pipeline.has_value()) plan.emplace(options, *std::move(pipeline));
  }
  AppendMessages(diagnostics, messages);
}

absl::Status Compiler::State::ParseFlags(const std::vector<std::string>& flags) {
#ifdef PTXMIR_CHECKED
  options.run.verify_each = true;
#endif
  const std::vector<std::string_view> arguments(flags.begin(), flags.end());
  if (absl::Status status = ParseCommandLine(arguments, options); !status.ok()) return status;
  if (const std::string_view wish = WantsTool(options); !wish.empty()) {
    return absl::InvalidArgumentError(StrCat(wish, " is for the command line tool"));
  }
  if (!options.cpu.empty()) {
    const absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(options.cpu, options.attributes);
    if (!subtarget.ok()) return subtarget.status();
  }
  if (options.knobs.IsSet("j")) return absl::OkStatus();
  return options.knobs.ParseFlag("j=1").status();
}

Compiler::Compiler(const CompileOptions& options) : state_(std::make_unique<const State>(options)) {}
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;
Compiler::~Compiler() = default;

bool Compiler::ok() const { return state_->plan.has_value(); }
const std::vector<CompileMessage>& Compiler::messages() const { return state_->messages; }

CompileResult Compiler::Compile(std::string_view mir) const { return Compile(mir, state_->input_name); }

CompileResult Compiler::Compile(std::string_view mir, std::string_view input_name) const {
  return state_->Run([&](Compilation& compilation) {
    compilation.UseInput(std::make_shared<const SourceBuffer>(std::string(input_name), mir));
  });
}

CompileResult Compiler::State::Run(absl::FunctionRef<void(Compilation&)> use_input) const {
  CompileResult result;
  result.messages = messages;
  if (!plan.has_value()) return result;
  Compilation compilation(*plan);
  if (summarizes) compilation.ReportPressure();
  use_input(compilation);
  result.ok = compilation.Run();
  AppendMessages(compilation.diagnostics(), result.messages);
  const RunReport& report = compilation.report();
  result.log = report.log;
  for (const Remark& remark : report.remarks) {
    if (compilation.remark_filter().IsShown(remark.kind, remark.pass)) result.remarks += RemarkLine(remark);
  }
  if (!result.ok) return result;
  for (const Statistics::Counter& counter : report.statistics.counters()) {
    result.statistics.push_back({std::string(counter.pass), std::string(counter.description), counter.value});
  }
  if (summarizes) {
    for (const FunctionPressure& function : report.pressure) result.functions.push_back(Summarize(function));
  }
  const std::vector<std::string_view> parts = compilation.output();
  size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  result.output.reserve(size);
  for (const std::string_view part : parts) result.output += part;
  return result;
}

CompileResult Compile(std::string_view mir, const CompileOptions& options) { return Compiler(options).Compile(mir); }

int LibraryVersion() { return PTXMIR_VERSION; }

std::string CompileMessage::ToString() const { return InternalMessage(*this).ToString(); }

std::string CompileResult::MessageText() const {
  std::string text;
  for (const CompileMessage& message : messages) text += message.ToString();
  return text;
}

namespace {

void AddPass(CompileOptions& options, std::string_view position, bool is_after, MachinePass pass) {
  auto client = std::make_shared<ClientPass>();
  client->name = std::move(pass.name);
  client->description = pass.description.empty() ? client->name : std::move(pass.description);
  client->run = std::move(pass.run);
  client->info.name = client->name;
  client->info.description = client->description;
  client->info.required_properties = pass.required_properties;
  client->info.cleared_properties = pass.cleared_properties;
  options.passes.push_back(
      std::make_shared<const ClientPassPlace>(ClientPassPlace{std::string(position), is_after, std::move(client)}));
}

}  // namespace

void AddPassBefore(CompileOptions& options, std::string_view position, MachinePass pass) {
  AddPass(options, position, false, std::move(pass));
}

void AddPassAfter(CompileOptions& options, std::string_view position, MachinePass pass) {
  AddPass(options, position, true, std::move(pass));
}

}  // namespace ptxmir
