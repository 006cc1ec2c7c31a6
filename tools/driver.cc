// SPDX-License-Identifier: Apache-2.0

#include "tools/driver.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "compiler/ir_input.h"
#include "compiler/option_help.h"
#include "compiler/option_parser.h"
#include "compiler/response_files.h"
#include "options/knob_listing.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/standard_pipeline.h"
#include "ptx/interpreter/decode/coverage.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/subtarget.h"
#include "re2/re2.h"
#include "tools/autotune.h"
#include "tools/bisect_search.h"
#include "tools/driver_texts.h"
#include "tools/explore/explorer.h"
#include "tools/occupancy_report.h"
#include "tools/support/external_programs.h"
#include "tools/support/ptxas.h"
#include "tools/support/tool_version.h"

namespace ptxmir {
namespace {

void PrintToStderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int Fail(std::string_view message) {
  PrintToStderr(StrCat("ptxmir: error: ", message, "\n"));
  return 1;
}

// Prints diagnostics. Messages without a place in the input begin with the tool's name.
void PrintDiagnostics(const DiagnosticEngine& diagnostics, const DriverOptions& options) {
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
    if (diagnostic.severity == Severity::kWarning && !options.shows_warnings) continue;
    if (diagnostic.where.line == 0 && diagnostic.file.empty()) PrintToStderr("ptxmir: ");
    PrintToStderr(diagnostic.ToString());
  }
  const size_t kept = DiagnosticEngine::kMaxKeptErrors;
  if (diagnostics.num_errors() > kept) {
    PrintToStderr(StrCat("ptxmir: error: ", diagnostics.num_errors() - kept, " more errors not shown\n"));
  }
}

absl::Status WriteOutput(const std::string& path, absl::Span<const std::string_view> parts) {
  const bool is_stdout = path == "-";
  std::FILE* file = is_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return absl::UnavailableError(StrCat("could not open output file '", path, "': ", std::strerror(errno)));
  }
  bool written = true;
  for (std::string_view part : parts) {
    written = written && std::fwrite(part.data(), 1, part.size(), file) == part.size();
  }
  written &= (is_stdout ? std::fflush(file) : std::fclose(file)) == 0;
  if (written) return absl::OkStatus();
  const std::string reason = std::strerror(errno);
  if (!is_stdout) std::remove(path.c_str());
  return absl::UnavailableError(StrCat("could not write output file '", path, "': ", reason));
}

// Prints the remarks that -pass-remarks requests.
void ShowRemarks(const Compilation& compilation) {
  for (const Remark& remark : compilation.report().remarks) {
    if (compilation.remark_filter().IsShown(remark.kind, remark.pass)) PrintToStderr(RemarkLine(remark));
  }
}

absl::Status WriteRemarks(const DriverOptions& options, const Compilation& compilation) {
  if (options.remarks.output.empty()) return absl::OkStatus();
  std::string yaml;
  for (const Remark& remark : compilation.report().remarks) {
    if (compilation.remark_filter().IsRecorded(remark.pass)) AppendRemarkYaml(remark, yaml);
  }
  return WriteOutput(options.remarks.output, {yaml});
}

absl::Status WriteTimeTrace(const DriverOptions& options, const Compilation& compilation) {
  if (!options.time_trace) return absl::OkStatus();
  std::string path = options.time_trace_file;
  if (path.empty()) path = StrCat(options.output == "-" ? "out" : options.output, ".time-trace");
  return WriteOutput(path, {compilation.TimeTraceText()});
}

// Prints the output of -stats.
void ShowStatistics(const DriverOptions& options, const Compilation& compilation) {
  if (options.stats_as_json) {
    PrintToStderr(StatisticsJson(compilation.report().statistics));
    return;
  }
  PrintToStderr(compilation.report().statistics.ToString());
  PrintToStderr(StrCat("===--- Register budgets ---===\n", compilation.report().budgets));
}

// Prints the output of -explain-registers.
void ShowRegisters(const DriverOptions& options, const Compilation& compilation) {
  if (!options.explain_registers) return;
  for (const FunctionPressure& function : compilation.report().pressure) PrintToStderr(ExplainRegisters(function));
}

absl::Status WritePressureReport(const DriverOptions& options, const Compilation& compilation) {
  if (options.pressure_report_file.empty()) return absl::OkStatus();
  return WriteOutput(options.pressure_report_file, {PressureReportJson(compilation.report().pressure)});
}

// Writes pictures and other files that options ask for, and says so as LLVM does.
absl::Status WriteReportFiles(const Compilation& compilation) {
  for (const ReportFile& file : compilation.report().files) {
    PrintToStderr(StrCat("Writing '", file.path, "'...\n"));
    if (absl::Status status = WriteOutput(file.path, {file.text}); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Returns the cubin that ptxas makes of the PTX.
absl::StatusOr<std::string> AssembleOutput(const DriverOptions& options, const Compilation& compilation) {
  if (options.output == "-" && isatty(STDOUT_FILENO) != 0) {
    return absl::InvalidArgumentError("a cubin is not text for a terminal; -o says where it goes");
  }
  std::vector<std::string> flags = {StrCat("-arch=", compilation.subtarget()->sm().name)};
  if (options.knobs.IsSet("maxreg")) {
    flags.insert(flags.end(), {StrCat("-maxrregcount=", options.knobs.maxreg()), "--override-directive-values"});
  }
  const absl::StatusOr<Ptxas> ptxas =
      Ptxas::Create({.path = FindPtxas(), .flags = std::move(flags), .cache_folder = ""});
  if (!ptxas.ok()) return ptxas.status();
  absl::StatusOr<std::string> cubin = ptxas->Assemble(compilation.output());
  if (cubin.ok()) return cubin;
  return absl::InvalidArgumentError(StrCat("ptxas failed: ", FromAbsl(cubin.status().message())));
}

absl::Status WriteResult(const DriverOptions& options, const Compilation& compilation) {
  if (compilation.ptx_writer() == nullptr) return WriteOutput(options.output, compilation.output());
  switch (options.file_type) {
    case OutputFileType::kAssembly:
      return WriteOutput(options.output, compilation.output());
    case OutputFileType::kNull:
      return absl::OkStatus();
    case OutputFileType::kObject:
      break;
  }
  const absl::StatusOr<std::string> cubin = AssembleOutput(options, compilation);
  return cubin.ok() ? WriteOutput(options.output, {*cubin}) : cubin.status();
}

// Warns if -mtriple or -march asks for another architecture than that of the input.
void CheckArchitecture(const DriverOptions& options, const Compilation& compilation) {
  const std::string_view input = compilation.module().data_layout().PointerBits(0) == 32 ? "nvptx" : "nvptx64";
  if (options.architecture.empty() || options.architecture == input) return;
  DiagnosticEngine diagnostics;
  diagnostics.Report(Severity::kWarning, StrCat("the input is for ", input, ", and so is the output; '",
                                                options.architecture, "' on the command line has no effect"));
  PrintDiagnostics(diagnostics, options);
}

// Returns the SM to describe.
const ptx::SmInfo& ChosenSm(const DriverOptions& options) {
  constexpr std::string_view kDefaultSm = "sm_80";
  return *ptx::FindSm(options.cpu.empty() ? kDefaultSm : std::string_view(options.cpu));
}

std::string KnobListing(const DriverOptions& options) {
  const re2::RE2 pattern(options.knob_pattern);
  const auto is_listed = [&](const KnobInfo& knob) {
    return re2::RE2::PartialMatch({knob.name.data(), knob.name.size()}, pattern);
  };
  return ListKnobs(options.knobs, is_listed, IsPassOrAnalysisImplemented);
}

// Returns the text of an option that shows information and exits, or nothing if there is no such option.
std::optional<std::string> InformationText(const DriverOptions& options) {
  if (options.show_help) return HelpText(/*with_hidden=*/false);
  if (options.show_hidden_help) return HelpText(/*with_hidden=*/true);
  if (options.show_help_list) return HelpListText(/*with_hidden=*/false);
  if (options.show_hidden_help_list) return HelpListText(/*with_hidden=*/true);
  if (options.show_version) return ToolVersionText("ptxmir");
  if (options.print_man_page) return ManPage();
  if (options.print_option_reference) return OptionReference();
  if (!options.completion_shell.empty()) return CompletionScript(options.completion_shell);
  if (options.print_knobs) return KnobListing(options);
  if (options.print_options) return PrintPassOptions(MakeNvvmPassOptions(*options.pass_options));
  if (options.print_passes) return PassListText();
  if (options.print_isa_coverage) return ptx::IsaCoverageText(ptx::MeasureIsaCoverage());
  if (options.occupancy.threads != 0 && options.input.empty()) {
    return ptx::OccupancyTable(ChosenSm(options), options.occupancy);
  }
  if (options.print_machine_model) return ptx::MachineModelTable(ChosenSm(options));
  if (options.print_option_sets) return OptionSetText(TuningOptionSets());
  return std::nullopt;
}

// Runs -opt-bisect=ptxas or exec.
int ShowBisection(const DriverOptions& options, const Pipeline& pipeline) {
  DiagnosticEngine diagnostics;
  BisectSearch search(options, pipeline);
  const absl::StatusOr<std::string> report = search.Run(diagnostics);
  PrintDiagnostics(diagnostics, options);
  if (!report.ok()) return report.status().message().empty() ? 1 : Fail(FromAbsl(report.status().message()));
  const absl::Status status = WriteOutput("-", {*report});
  return status.ok() ? 0 : Fail(FromAbsl(status.message()));
}

// Prints the warnings of options that have no effect.
void WarnOfOptionsWithoutEffect(const DriverOptions& options) {
  DiagnosticEngine diagnostics;
  for (const std::string& warning : options.warnings) diagnostics.Report(Severity::kWarning, warning);
  WarnOfKnobsWithoutEffect(options.knobs, KnobOrigin::kCommandLine, "", IsPassOrAnalysisImplemented, diagnostics);
  WarnOfPassOptionsWithoutEffect(*options.pass_options, diagnostics);
  PrintDiagnostics(diagnostics, options);
}

// Writes what -explore and -explore-json ask for.
absl::Status WriteExploration(const DriverOptions& options, const Compilation& compilation,
                              const Autotuner* autotuner) {
  if (!options.explores()) return absl::OkStatus();
  DiagnosticEngine diagnostics;
  const absl::StatusOr<ExploreTexts> texts =
      Explore(options, compilation, autotuner == nullptr ? std::vector<PtxasRow>() : autotuner->Rows(), diagnostics);
  PrintDiagnostics(diagnostics, options);
  if (!texts.ok()) return texts.status();
  absl::Status status;
  if (!options.explore_page.empty()) status = WriteOutput(options.explore_page, {texts->page});
  if (status.ok() && !options.explore_json.empty()) status = WriteOutput(options.explore_json, {texts->json});
  return status;
}

// Writes the output and everything that goes to other files.
absl::Status WriteFiles(const DriverOptions& options, const Compilation& compilation, const Autotuner* autotuner) {
  absl::Status status = WriteExploration(options, compilation, autotuner);
  if (status.ok()) status = WriteRemarks(options, compilation);
  if (status.ok()) status = WriteTimeTrace(options, compilation);
  if (status.ok()) status = WritePressureReport(options, compilation);
  if (status.ok()) status = WriteResult(options, compilation);
  return status;
}

// Runs the tool on LLVM IR.
int RunOnIr(const DriverOptions& options) {
  DiagnosticEngine diagnostics;
  std::string text;
  RunReport report;
  const bool ok = TranslateIr(options, nullptr, diagnostics, report, nullptr, &text);
  PrintToStderr(report.log);
  const RemarkFilter filter(options.remarks);
  std::string recorded;
  for (const Remark& remark : report.remarks) {
    if (filter.IsShown(remark.kind, remark.pass)) PrintToStderr(RemarkLine(remark));
    if (filter.IsRecorded(remark.pass)) AppendRemarkYaml(remark, recorded);
  }
  PrintDiagnostics(diagnostics, options);
  if (!ok) return 1;
  if (options.print_stats) {
    PrintToStderr(options.stats_as_json ? StatisticsJson(report.statistics) : report.statistics.ToString());
  }
  if (options.run.time_passes) PrintToStderr(TimingReport(report.timings));
  absl::Status status;
  if (!options.remarks.output.empty()) status = WriteOutput(options.remarks.output, {recorded});
  if (status.ok()) status = WriteOutput(options.output, {text});
  return status.ok() ? 0 : Fail(FromAbsl(status.message()));
}

// Compiles the input and writes what the options ask for. Returns the exit status.
int CompileInput(DriverOptions& options, Pipeline pipeline) {
  const CompilationPlan plan(options, std::move(pipeline));
  if (options.pipeline_dump != PipelineDump::kNone) PrintToStderr(PipelineText(plan));
  std::optional<Autotuner> autotuner;
  if (options.autotuner() == DriverOptions::Autotune::kPtxas) {
    autotuner.emplace(options, plan.pipeline);
    const bool ok = autotuner->Run();
    PrintDiagnostics(autotuner->diagnostics(), options);
    if (!ok) return 1;
    options.run.knobs_of = [&](const MachineFunction& function) { return autotuner->KnobsOf(function); };
  }
  Compilation compilation(plan);
  if (autotuner.has_value()) compilation.UseInput(autotuner->input());
  if (options.occupancy.threads != 0) compilation.ReportPressure();
  if (options.explores()) compilation.KeepFunctions();
  const bool ok = compilation.Run();
  PrintToStderr(compilation.report().log);
  ShowRemarks(compilation);
  ShowRegisters(options, compilation);
  PrintDiagnostics(compilation.diagnostics(), options);
  absl::Status status = WriteReportFiles(compilation);
  if (!ok) return 1;
  CheckArchitecture(options, compilation);
  if (options.print_stats) {
    ShowStatistics(options, compilation);
    if (autotuner.has_value() && !options.stats_as_json) PrintToStderr(autotuner->Report());
  }
  if (options.run.time_passes) PrintToStderr(TimingReport(compilation.report().timings));
  if (status.ok() && options.occupancy.threads != 0) {
    // It takes the place of the code.
    status =
        WriteOutput("-", {OccupancyReport(compilation.module(), compilation.report().pressure, options.occupancy)});
  } else if (status.ok()) {
    status = WriteFiles(options, compilation, autotuner.has_value() ? &*autotuner : nullptr);
  }
  return status.ok() ? 0 : Fail(FromAbsl(status.message()));
}

}  // namespace

int RunDriver(absl::Span<const std::string_view> unexpanded) {
  const absl::StatusOr<std::vector<std::string>> expanded = ExpandResponseFiles(unexpanded);
  if (!expanded.ok()) return Fail(FromAbsl(expanded.status().message()));
  const std::vector<std::string_view> arguments(expanded->begin(), expanded->end());
  DriverOptions options;
  options.command = CommandText(arguments);
  options.shows_progress = true;
#ifdef PTXMIR_CHECKED
  options.run.verify_each = true;
#endif
  if (absl::Status status = ParseCommandLine(arguments, options); !status.ok()) {
    return Fail(StrCat(FromAbsl(status.message()), "\nTry: 'ptxmir --help'"));
  }
  if (!options.cpu.empty()) {
    const absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(options.cpu, options.attributes);
    if (!subtarget.ok()) return Fail(FromAbsl(subtarget.status().message()));
  }
  if (const std::optional<std::string> text = InformationText(options); text.has_value()) {
    const absl::Status status = WriteOutput("-", {*text});
    return status.ok() ? 0 : Fail(FromAbsl(status.message()));
  }
  if (options.lists_targets) {
    PrintToStderr(TargetListText());
    return 0;
  }
  if (options.input.empty()) {
    options.input = "-";
    if (isatty(STDIN_FILENO) != 0) PrintToStderr("ptxmir: reading MIR from the terminal; try 'ptxmir --help'\n");
  }
  WarnOfOptionsWithoutEffect(options);
  if (options.emit_llvm) return RunOnIr(options);
  DiagnosticEngine pipeline_diagnostics;
  std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, pipeline_diagnostics);
  if (!pipeline.has_value()) {
    PrintDiagnostics(pipeline_diagnostics, options);
    return 1;
  }
  if (options.bisect_goal != BisectGoal::kNone) return ShowBisection(options, *pipeline);
  return CompileInput(options, *std::move(pipeline));
}

}  // namespace ptxmir
