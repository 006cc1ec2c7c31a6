// SPDX-License-Identifier: Apache-2.0

#include "tools/driver.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "compiler/option_help.h"
#include "compiler/option_parser.h"
#include "passes/pipeline/function_knobs.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/standard_pipeline.h"
#include "ptx/interpreter/decode/coverage.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/subtarget.h"
#include "ptxmir/version.h"
#include "tools/autotune.h"
#include "tools/bisect_search.h"

namespace ptxmir {
namespace {

constexpr std::string_view kVersion = "ptxmir version " PTXMIR_VERSION_STRING
                                      "\n"
                                      "  MIR:  LLVM 22, NVPTX\n"
                                      "  PTX:  nvptx, nvptx64\n";

void PrintToStderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int Fail(std::string_view message) {
  PrintToStderr(StrCat("ptxmir: error: ", message, "\n"));
  return 1;
}

// Prints diagnostics. Messages without a place in the input begin with the tool's name.
void PrintDiagnostics(const DiagnosticEngine& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) {
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

// Returns the output of -time-passes, in LLVM's order of columns.
std::string TimingReport(const std::vector<PassTiming>& timings) {
  double total = 0;
  for (const PassTiming& timing : timings) total += timing.seconds;
  std::string out = absl::StrFormat("===--- Pass execution timing report: %.4f seconds ---===\n", total);
  for (const PassTiming& timing : timings) {
    absl::StrAppendFormat(&out, "  %9.4f (%5.1f%%)  %s\n", timing.seconds,
                          total > 0 ? 100 * timing.seconds / total : 0.0, timing.name);
  }
  return out;
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
absl::Status WriteFiles(const Compilation& compilation) {
  for (const ReportFile& file : compilation.report().files) {
    PrintToStderr(StrCat("Writing '", file.path, "'...\n"));
    if (absl::Status status = WriteOutput(file.path, {file.text}); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Returns the SM to describe.
const ptx::SmInfo& ChosenSm(const DriverOptions& options) {
  constexpr std::string_view kDefaultSm = "sm_80";
  return *ptx::FindSm(options.cpu.empty() ? kDefaultSm : std::string_view(options.cpu));
}

// Returns the text of an option that shows information and exits, or nothing if there is no such option.
std::optional<std::string> InformationText(const DriverOptions& options) {
  if (options.show_help) return HelpText();
  if (options.show_version) return std::string(kVersion);
  if (options.print_knobs) return PrintKnobs(options.knobs, IsPassOrAnalysisImplemented);
  if (options.print_options) return PrintPassOptions(MakeNvvmPassOptions(*options.pass_options));
  if (options.print_passes) return PassListText();
  if (options.print_isa_coverage) return ptx::IsaCoverageText(ptx::MeasureIsaCoverage());
  if (options.occupancy.threads != 0) return ptx::OccupancyTable(ChosenSm(options), options.occupancy);
  if (options.print_machine_model) return ptx::MachineModelTable(ChosenSm(options));
  return std::nullopt;
}

// Runs -opt-bisect=ptxas or exec.
int ShowBisection(const DriverOptions& options, const Pipeline& pipeline) {
  DiagnosticEngine diagnostics;
  BisectSearch search(options, pipeline);
  const absl::StatusOr<std::string> report = search.Run(diagnostics);
  PrintDiagnostics(diagnostics);
  if (!report.ok()) return report.status().message().empty() ? 1 : Fail(FromAbsl(report.status().message()));
  const absl::Status status = WriteOutput("-", {*report});
  return status.ok() ? 0 : Fail(FromAbsl(status.message()));
}

}  // namespace

int RunDriver(absl::Span<const std::string_view> arguments) {
  DriverOptions options;
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
  if (options.input.empty()) return Fail("no input file\nTry: 'ptxmir --help'");
  DiagnosticEngine option_diagnostics;
  WarnOfKnobsWithoutEffect(options.knobs, KnobOrigin::kCommandLine, "", IsPassOrAnalysisImplemented,
                           option_diagnostics);
  WarnOfPassOptionsWithoutEffect(*options.pass_options, option_diagnostics);
  PrintDiagnostics(option_diagnostics);
  DiagnosticEngine pipeline_diagnostics;
  std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, pipeline_diagnostics);
  if (!pipeline.has_value()) {
    PrintDiagnostics(pipeline_diagnostics);
    return 1;
  }

  if (options.bisect_goal != BisectGoal::kNone) return ShowBisection(options, *pipeline);
  const CompilationPlan plan(options, *std::move(pipeline));
  std::optional<Autotuner> autotuner;
  if (options.autotune) {
    autotuner.emplace(options, plan.pipeline);
    const bool ok = autotuner->Run();
    PrintDiagnostics(autotuner->diagnostics());
    if (!ok) return 1;
    options.run.knobs_of = [&](const MachineFunction& function) { return autotuner->KnobsOf(function); };
  }
  Compilation compilation(plan);
  if (autotuner.has_value()) compilation.UseInput(autotuner->input());
  const bool ok = compilation.Run();
  PrintToStderr(compilation.report().log);
  ShowRemarks(compilation);
  ShowRegisters(options, compilation);
  PrintDiagnostics(compilation.diagnostics());
  absl::Status status = WriteFiles(compilation);
  if (!ok) return 1;
  if (options.print_stats) {
    PrintToStderr(compilation.report().statistics.ToString());
    PrintToStderr(StrCat("===--- Register budgets ---===\n", compilation.report().budgets));
    if (autotuner.has_value()) PrintToStderr(autotuner->Report());
  }
  if (options.run.time_passes) PrintToStderr(TimingReport(compilation.report().timings));
  if (status.ok()) status = WriteRemarks(options, compilation);
  if (status.ok()) status = WriteTimeTrace(options, compilation);
  if (status.ok()) status = WritePressureReport(options, compilation);
  if (status.ok()) status = WriteOutput(options.output, compilation.output());
  return status.ok() ? 0 : Fail(FromAbsl(status.message()));
}

}  // namespace ptxmir
