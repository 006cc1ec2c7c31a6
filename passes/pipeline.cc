#include "passes/pipeline.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/numbers.h"
#include "mir/mir_writer.h"
#include "mir/str_cat.h"
#include "mir/verifier.h"
#include "passes/execution_check.h"

namespace ptxmir {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::StatusOr<const PassInfo*> FindImplemented(const std::string& name) {
  const PassInfo* pass = FindPass(name);
  if (pass == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(name));
  if (!pass->is_implemented()) {
    return absl::InvalidArgumentError(StrCat("pass '", name, "' is not implemented"));
  }
  return pass;
}

// Index of a position in the pass table. Every pass stands in the pipeline once.
absl::StatusOr<size_t> FindPosition(const PassPosition& position) {
  const PassInfo* pass = FindPass(position.name);
  if (pass == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(position.name));
  if (position.instance != 1) {
    return absl::InvalidArgumentError(StrCat("pass '", position.name, "' runs once; there is no instance ",
                                             position.instance));
  }
  return static_cast<size_t>(pass - PassTable().data());
}

}  // namespace

absl::StatusOr<PassPosition> PassPosition::Parse(std::string_view text) {
  PassPosition position;
  const size_t comma = text.find(',');
  position.name = std::string(text.substr(0, comma));
  if (comma != std::string_view::npos &&
      (!absl::SimpleAtoi(ToAbsl(text.substr(comma + 1)), &position.instance) || position.instance == 0)) {
    return absl::InvalidArgumentError(StrCat("invalid pass instance specifier '", text, "'"));
  }
  return position;
}

absl::StatusOr<std::vector<const PassInfo*>> BuildPipeline(const PipelineOptions& options) {
  std::vector<const PassInfo*> passes;
  const bool has_positions = options.start_before.has_value() || options.start_after.has_value() ||
                             options.stop_before.has_value() || options.stop_after.has_value();
  if (!options.run_passes.empty()) {
    if (has_positions) {
      return absl::InvalidArgumentError("-run-pass cannot be used with -start-* or -stop-*");
    }
    for (const std::string& name : options.run_passes) {
      const absl::StatusOr<const PassInfo*> pass = FindImplemented(name);
      if (!pass.ok()) return pass.status();
      passes.push_back(*pass);
    }
    return passes;
  }
  if (options.start_before.has_value() && options.start_after.has_value()) {
    return absl::InvalidArgumentError("-start-before and -start-after specified together");
  }
  if (options.stop_before.has_value() && options.stop_after.has_value()) {
    return absl::InvalidArgumentError("-stop-before and -stop-after specified together");
  }
  const absl::Span<const PassInfo> table = PassTable();
  size_t begin = 0;
  size_t end = table.size();
  const auto resolve = [](const std::optional<PassPosition>& position, size_t past, size_t& index) {
    if (!position.has_value()) return absl::OkStatus();
    const absl::StatusOr<size_t> found = FindPosition(*position);
    if (!found.ok()) return found.status();
    index = *found + past;
    return absl::OkStatus();
  };
  for (const absl::Status& status :
       {resolve(options.start_before, 0, begin), resolve(options.start_after, 1, begin),
        resolve(options.stop_before, 0, end), resolve(options.stop_after, 1, end)}) {
    if (!status.ok()) return status;
  }
  if (begin > end) return absl::InvalidArgumentError("the pass to stop at comes before the pass to start at");
  for (size_t i = begin; i < end; ++i) {
    if (table[i].is_implemented() && table[i].min_opt_level <= options.opt_level) {
      passes.push_back(&table[i]);
    }
  }
  return passes;
}

PipelineRunner::PipelineRunner(const std::vector<const PassInfo*>& passes, const RunOptions& options,
                               DiagnosticEngine& diagnostics, RunReport& report)
    : passes_(passes),
      options_(options),
      diagnostics_(diagnostics),
      report_(report),
      context_{diagnostics, report.statistics} {
  for (const PassInfo* pass : passes) report.timings.push_back({pass->name, 0});
}

bool PipelineRunner::Run(MachineFunction& function) {
  if (!Verify(function, "After reading the input")) return false;
  if (options_.execution_checker != nullptr) options_.execution_checker->Begin(function);
  bool ok = true;
  for (size_t i = 0; ok && i < passes_.size(); ++i) ok = RunPass(i, function);
  context_.register_snapshot = nullptr;  // it must not outlive the function
  return ok;
}

bool PipelineRunner::RunPass(size_t index, MachineFunction& function) {
  const PassInfo& pass = *passes_[index];
  const PrintOptions& print = options_.print;
  const size_t errors_before = diagnostics_.num_errors();
  const bool print_function = print.functions.empty() || Contains(print.functions, function.name());
  if (print_function && (print.before_all || Contains(print.before, pass.name))) {
    Dump("Before", pass, function);
  }
  const auto start = std::chrono::steady_clock::now();
  const PassResult result = pass.run(function, context_);
  if (options_.time_passes) {
    report_.timings[index].seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (print_function &&
      (print.after_all || Contains(print.after, pass.name) || (print.changed && result.changed))) {
    Dump("After", pass, function);
  } else if (print_function && print.changed) {
    StrAppend(&report_.log, "# *** IR Dump After ", pass.description, " (", pass.name, ") on ",
              function.name(), " omitted because no change ***\n");
  }
  if (diagnostics_.num_errors() > errors_before) return false;
  if (options_.verify_each && !Verify(function, StrCat("After ", pass.description))) return false;
  if (options_.execution_checker == nullptr || !result.changed) return true;
  return options_.execution_checker->Check(function, pass, diagnostics_);
}

bool PipelineRunner::Verify(const MachineFunction& function, const std::string& banner) {
  return VerifyMachineFunction(function, diagnostics_, banner.c_str());
}

void PipelineRunner::Dump(std::string_view when, const PassInfo& pass, const MachineFunction& function) {
  StrAppend(&report_.log, "# *** IR Dump ", when, " ", pass.description, " (", pass.name, ") ***:\n");
  MirWriteOptions write_options;
  write_options.stable_names = options_.print.stable_names;
  WriteFunctionForDump(function, write_options, report_.log);
  report_.log += "\n";
}

bool RunPipeline(Module& module, const std::vector<const PassInfo*>& passes, const RunOptions& options,
                 DiagnosticEngine& diagnostics, RunReport& report) {
  PipelineRunner runner(passes, options, diagnostics, report);
  bool ok = true;
  for (const std::unique_ptr<MachineFunction>& function : module.machine_functions()) {
    ok &= runner.Run(*function);
  }
  return ok;
}

}  // namespace ptxmir
