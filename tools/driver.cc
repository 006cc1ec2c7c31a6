#include "tools/driver.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "mir/diagnostics.h"
#include "mir/mir_reader.h"
#include "mir/mir_writer.h"
#include "mir/str_cat.h"
#include "passes/execution_check.h"
#include "passes/pipeline.h"
#include "passes/pipeline_runner.h"
#include "passes/standard_pipeline.h"
#include "ptx/interpreter/coverage.h"
#include "ptx/interpreter/fault.h"
#include "ptx/ptx_target.h"
#include "ptx/ptx_writer.h"
#include "ptx/subtarget.h"
#include "tools/driver_options.h"

namespace ptxmir {
namespace {

constexpr std::string_view kVersion =
    "ptxmir version 0.1.0\n"
    "  MIR:  LLVM 22, NVPTX\n"
    "  PTX:  nvptx, nvptx64\n";

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void PrintToStderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

int Fail(std::string_view message) {
  PrintToStderr(StrCat("ptxmir: error: ", message, "\n"));
  return 1;
}

// Messages that stand at no place in the input get the tool's name in front.
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

// What -time-passes prints, in LLVM's order of columns.
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

// One run of the tool on one input. A function is read, compiled and, if PTX is wanted, printed and released
// before the next one is read: one function's code fits the caches and is memory for the next.
class Compilation {
 public:
  explicit Compilation(const DriverOptions& options) : options_(options) {}

  // False when an error was reported.
  bool Run(const Pipeline& pipeline) {
    const Clock::time_point start = Clock::now();
    absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options_.input);
    if (!buffer.ok()) {
      diagnostics_.Error(std::string(buffer.status().message()));
      return false;
    }
    RunOptions run_options = options_.run;
    std::unique_ptr<ExecutionChecker> checker;
    if (options_.verify_exec_inputs != 0) {
      // A copy of its own, as it was read.
      std::unique_ptr<Module> copy = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics_);
      if (copy == nullptr) return false;
      checker = std::make_unique<ExecutionChecker>(std::move(copy), options_.verify_exec_inputs);
      run_options.execution_checker = checker.get();
    }
    const PipelineRunner runner(pipeline, run_options);
    module_ = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics_,
                      [&](Module& module, std::unique_ptr<MachineFunction> function) {
                        const Clock::time_point arrival = Clock::now();
                        FunctionReport report;
                        Compile(runner, module, std::move(function), report);
                        pass_diagnostics_.Append(report.diagnostics);
                        report_.Add(pipeline, report);
                        not_reading_ += SecondsSince(arrival);
                      });
    const double reading = SecondsSince(start) - not_reading_;
    if (module_ == nullptr) return false;
    diagnostics_.Append(pass_diagnostics_);
    PrintToStderr(report_.log);
    if (checker != nullptr) {
      report_.statistics.Add("verify-exec", "runs of kernels compared", checker->num_compared());
      report_.statistics.Add("verify-exec", "runs of kernels that decided nothing", checker->num_undecided());
      for (size_t i = 0; i < checker->undecided_by_kind().size(); ++i) {
        if (checker->undecided_by_kind()[i] == 0) continue;
        report_.statistics.Add("verify-exec: nothing decided because of",
                               ptx::FaultKindName(static_cast<ptx::FaultKind>(i)), checker->undecided_by_kind()[i]);
      }
    }
    if (diagnostics_.has_errors()) return false;
    const bool is_written = FinishOutput();
    diagnostics_.Append(write_diagnostics_);
    report_.timings.insert(report_.timings.begin(), {"read input", reading});
    report_.timings.push_back({"write output", writing_});
    return is_written;
  }

  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  const RunReport& report() const { return report_; }
  // The output, in parts.
  std::vector<std::string_view> output() const {
    if (ptx_writer_ == nullptr) return {mir_};
    const auto parts = ptx_writer_->text();
    return {parts.begin(), parts.end()};
  }

 private:
  void Compile(const PipelineRunner& runner, Module& module, std::unique_ptr<MachineFunction> function,
               FunctionReport& report) {
    const bool ok = runner.Run(*function, report);
    if (options_.pipeline.stops_early()) {
      module.machine_functions().push_back(std::move(function));
    } else if (ok && !pass_diagnostics_.has_errors()) {
      const Clock::time_point start = Clock::now();
      PtxWriterFor(module).Write(*function);
      writing_ += SecondsSince(start);
    }
  }

  ptx::PtxWriter& PtxWriterFor(const Module& module) {
    if (ptx_writer_ == nullptr) {
      ptx::PtxWriteOptions write_options;
      write_options.cpu = options_.cpu;
      write_options.features = options_.attributes;
      ptx_writer_ = std::make_unique<ptx::PtxWriter>(module, write_options, write_diagnostics_);
    }
    return *ptx_writer_;
  }

  bool FinishOutput() {
    const Clock::time_point start = Clock::now();
    bool is_written = true;
    if (options_.pipeline.stops_early()) {
      MirWriteOptions write_options;
      write_options.simplify = options_.simplify_mir;
      write_options.stable_names = options_.run.print.stable_names;
      WriteMir(*module_, write_options, mir_);
    } else {
      is_written = PtxWriterFor(*module_).Finish();
    }
    writing_ += SecondsSince(start);
    return is_written;
  }

  const DriverOptions& options_;
  // What is wrong with the input hides what passes say, and that what the writer says.
  DiagnosticEngine diagnostics_;
  DiagnosticEngine pass_diagnostics_;
  DiagnosticEngine write_diagnostics_;
  RunReport report_;
  double not_reading_ = 0;  // seconds
  double writing_ = 0;
  std::unique_ptr<Module> module_;
  std::unique_ptr<ptx::PtxWriter> ptx_writer_;
  std::string mir_;
};

}  // namespace

int RunDriver(absl::Span<const std::string_view> arguments) {
  DriverOptions options;
#ifdef PTXMIR_CHECKED
  options.run.verify_each = true;
#endif
  if (absl::Status status = ParseCommandLine(arguments, options); !status.ok()) {
    return Fail(StrCat(FromAbsl(status.message()), "\nTry: 'ptxmir --help'"));
  }
  if (options.show_help || options.show_version) {
    const std::string text = options.show_help ? HelpText() : std::string(kVersion);
    const absl::Status status = WriteOutput("-", {text});
    return status.ok() ? 0 : 1;
  }
  if (options.print_passes) return WriteOutput("-", {PassListText()}).ok() ? 0 : 1;
  if (options.print_isa_coverage) {
    return WriteOutput("-", {ptx::IsaCoverageText(ptx::MeasureIsaCoverage())}).ok() ? 0 : 1;
  }
  if (options.input.empty()) return Fail("no input file\nTry: 'ptxmir --help'");
  DiagnosticEngine pipeline_diagnostics;
  const std::optional<Pipeline> pipeline = BuildPipeline(options.pipeline, pipeline_diagnostics);
  if (!pipeline.has_value()) {
    PrintDiagnostics(pipeline_diagnostics);
    return 1;
  }

  if (!options.cpu.empty()) {
    const absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(options.cpu, options.attributes);
    if (!subtarget.ok()) return Fail(FromAbsl(subtarget.status().message()));
  }

  Compilation compilation(options);
  const bool ok = compilation.Run(*pipeline);
  PrintDiagnostics(compilation.diagnostics());
  if (!ok) return 1;
  if (options.print_stats) PrintToStderr(compilation.report().statistics.ToString());
  if (options.run.time_passes) PrintToStderr(TimingReport(compilation.report().timings));
  if (absl::Status status = WriteOutput(options.output, compilation.output()); !status.ok()) {
    return Fail(FromAbsl(status.message()));
  }
  return 0;
}

}  // namespace ptxmir
