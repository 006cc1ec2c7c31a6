// SPDX-License-Identifier: Apache-2.0

#include "tests/budgets/budget_sweep.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_split.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "options/knobs.h"
#include "passes/equivalence/reference_run.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/module_subtarget.h"
#include "ptx/target/ptx_target.h"
#include "tests/support/corpus.h"

namespace ptxmir::testing {
namespace {

#define BEFORE_ALLOCATION \
  "nvptx-forward-params,nvptx-proxyreg-erasure,phi-node-elimination,twoaddressinstruction,register-checker-begin,"
constexpr std::string_view kAllocation = BEFORE_ALLOCATION "greedy,virtregrewriter,register-checker";
constexpr std::string_view kFastAllocation = BEFORE_ALLOCATION "regallocfast,register-checker";
#undef BEFORE_ALLOCATION

// Spilled code may take many more steps than the input.
constexpr uint64_t kStepFactor = 16;

// The -O2 pipeline with the checker around allocation. stack-slot-coloring runs after the checker, which does not
// track predicates into slots that narrower values share.
Pipeline CheckedPipeline() {
  Pipeline pipeline;
  for (const PipelineStep& step : BuildStandardPipeline(2)) {
    if (step.pass == FindPass("greedy")) pipeline.push_back({.pass = FindPass("register-checker-begin")});
    pipeline.push_back(step);
    if (step.pass == FindPass("virtregrewriter")) pipeline.push_back({.pass = FindPass("register-checker")});
  }
  return pipeline;
}

// A setting that is ready to run.
struct Configuration {
  Configuration(const SweepSetting& of, const SweepOptions& sweep, DiagnosticEngine& diagnostics) : setting(of) {
    for (const absl::string_view flag : absl::StrSplit(ToAbsl(setting.flags), ' ', absl::SkipEmpty())) {
      const absl::StatusOr<bool> is_set = knobs.ParseFlag(FromAbsl(flag).substr(1));
      if (!is_set.ok() || !*is_set) diagnostics.Error(StrCat("setting ", setting.name, ": ", FromAbsl(flag)));
    }
    if (setting.budget_knob.empty()) budgets = {0};
    for (size_t i = 0; i < sweep.budgets.size() && !setting.budget_knob.empty(); i += setting.every) {
      budgets.push_back(sweep.budgets[i]);
    }
    PipelineOptions options;
    options.run_passes = std::string(setting.passes);
    const std::optional<Pipeline> built =
        setting.passes.empty() ? CheckedPipeline() : BuildPipeline(options, diagnostics);
    if (built.has_value()) pipeline = *built;
  }

  SweepSetting setting;
  Knobs knobs;
  std::vector<int> budgets;
  Pipeline pipeline;
};

class FileSweep {
 public:
  FileSweep(const std::string& path, const std::vector<Configuration>& configurations, const SweepOptions& options)
      : path_(path), configurations_(configurations), options_(options) {}

  SweepResult Run() {
    if (!Read()) return std::move(result_);
    for (const Configuration& configuration : configurations_) Compile(configuration);
    for (const Function& function : functions_) result_.counts.executed_functions += function.is_decided;
    return std::move(result_);
  }

 private:
  // A text, identified by size and hash.
  using Code = std::pair<size_t, size_t>;
  struct Function {
    bool is_left_out = false;
    bool is_decided = false;                     // whether some run of a kernel gave a verdict
    std::vector<size_t> kernels;                 // kernels that use it; indices in runs_
    absl::flat_hash_set<Code> codes;             // codes seen so far
    std::set<std::string_view> settings_failed;  // settings with a finding; one finding of each is enough
  };
  struct Kernel {
    const IrFunction* function = nullptr;
    bool reads_timers = false;
    std::vector<std::unique_ptr<ReferenceRun>> runs = {};  // by seed; made on demand
  };

  bool Read();
  using Codes = std::vector<std::optional<Code>>;

  void Compile(const Configuration& configuration);
  // Compiles at the budgets between two others (by index), for functions whose codes at these two differ.
  void CompileBetween(const Configuration& configuration, size_t low, size_t high, const Codes& at_low,
                      const Codes& at_high);
  // Compiles the functions that `wants` selects. Returns the codes of those that could be compiled.
  Codes CompileAt(const Configuration& configuration, int budget, absl::FunctionRef<bool(size_t)> wants);
  Code Judge(size_t index, const MachineFunction& code, const Configuration& configuration, int budget);
  void Execute(size_t index, Kernel& kernel, const MachineFunction& code, const Configuration& configuration,
               int budget);
  void CountUndecided(std::string_view why);
  std::vector<const MachineFunction*> FunctionsAsRead() const;
  void Report(size_t index, const Configuration& configuration, int budget, std::string what);

  const std::string& path_;
  const std::vector<Configuration>& configurations_;
  const SweepOptions& options_;
  SweepResult result_;
  std::shared_ptr<const SourceBuffer> source_;
  std::unique_ptr<Module> module_;  // as read
  std::vector<Function> functions_;
  std::vector<Kernel> kernels_;
};

bool FileSweep::Read() {
  DiagnosticEngine diagnostics;
  const auto fail = [&](std::string what) {
    result_.findings.push_back({.file = path_, .what = std::move(what)});
    return false;
  };
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> source = SourceBuffer::FromFile(path_);
  if (!source.ok()) return fail(std::string(FromAbsl(source.status().message())));
  source_ = *std::move(source);
  module_ = ReadMir(source_, ptx::PtxTargetInfo(), diagnostics);
  if (module_ == nullptr) return fail(diagnostics.ToString());
  for (const auto& function : module_->machine_functions()) {
    Function& added = functions_.emplace_back();
    added.is_left_out = function->CountInstrs() > options_.max_instructions;
    if (added.is_left_out) continue;
    ++result_.counts.functions;
    for (const IrFunction* kernel : KernelsThatUse(*module_, function->name())) {
      auto known =
          std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& k) { return k.function == kernel; });
      if (known == kernels_.end()) known = kernels_.insert(known, {.function = kernel});
      added.kernels.push_back(static_cast<size_t>(known - kernels_.begin()));
    }
  }
  for (const auto& function : module_->machine_functions()) {
    if (!ReadsTimers(*function)) continue;
    for (const IrFunction* user : KernelsThatUse(*module_, function->name())) {
      for (Kernel& kernel : kernels_) kernel.reads_timers |= kernel.function == user;
    }
  }
  for (Kernel& kernel : kernels_) kernel.runs.resize(options_.launches);
  result_.counts.kernels = kernels_.size();
  return true;
}

void FileSweep::Compile(const Configuration& configuration) {
  const std::vector<int>& budgets = configuration.budgets;
  const auto all = [](size_t) { return true; };
  if (!options_.bisects || budgets.size() < 2) {
    for (const int budget : budgets) CompileAt(configuration, budget, all);
    return;
  }
  const Codes at_first = CompileAt(configuration, budgets.front(), all);
  const Codes at_last = CompileAt(configuration, budgets.back(), all);
  CompileBetween(configuration, 0, budgets.size() - 1, at_first, at_last);
}

void FileSweep::CompileBetween(const Configuration& configuration, size_t low, size_t high, const Codes& at_low,
                               const Codes& at_high) {
  if (high - low < 2) return;
  const auto differs = [&](size_t i) {
    return at_low[i].has_value() && at_high[i].has_value() && *at_low[i] != *at_high[i];
  };
  bool any_differs = false;
  for (size_t i = 0; i < functions_.size(); ++i) any_differs |= differs(i);
  if (!any_differs) return;
  const size_t middle = low + (high - low) / 2;
  const Codes at_middle = CompileAt(configuration, configuration.budgets[middle], differs);
  CompileBetween(configuration, low, middle, at_low, at_middle);
  CompileBetween(configuration, middle, high, at_middle, at_high);
}

FileSweep::Codes FileSweep::CompileAt(const Configuration& configuration, int budget,
                                      absl::FunctionRef<bool(size_t)> wants) {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module = ReadMir(source_, ptx::PtxTargetInfo(), diagnostics);
  Knobs knobs = configuration.knobs;
  if (budget != 0) {
    const absl::Status set = knobs.Set(configuration.setting.budget_knob, StrCat(budget));
    if (!set.ok()) diagnostics.Error(std::string(FromAbsl(set.message())));
  }
  const absl::StatusOr<ptx::Subtarget> subtarget = ptx::ChooseSubtarget(*module, "", "");
  RunOptions run_options;
  run_options.inputs.knobs = &knobs;
  run_options.inputs.subtarget = subtarget.ok() ? &*subtarget : nullptr;
  run_options.verify_each = options_.verify_each;
  const PipelineRunner runner(configuration.pipeline, run_options);
  Codes codes(functions_.size());
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].is_left_out || !wants(i)) continue;
    MachineFunction& function = *module->machine_functions()[i];
    FunctionReport report;
    ++result_.counts.compilations;
    if (!runner.Run(function, report) || diagnostics.has_errors()) {
      Report(i, configuration, budget, report.diagnostics.ToString() + diagnostics.ToString());
      continue;
    }
    result_.counts.reloads[{configuration.setting.name, budget}] += CounterOf(report.statistics, "reloads inserted");
    codes[i] = Judge(i, function, configuration, budget);
  }
  return codes;
}

FileSweep::Code FileSweep::Judge(size_t index, const MachineFunction& code, const Configuration& configuration,
                                 int budget) {
  std::string text;
  WriteMirFunction(code, {}, text);
  const Code key = {text.size(), std::hash<std::string>()(text)};
  if (!functions_[index].codes.insert(key).second) return key;
  ++result_.counts.codes;
  if (std::string report; !VerifyMachineFunction(code, report)) Report(index, configuration, budget, std::move(report));
  for (const size_t kernel : functions_[index].kernels) Execute(index, kernels_[kernel], code, configuration, budget);
  return key;
}

std::vector<const MachineFunction*> FileSweep::FunctionsAsRead() const {
  std::vector<const MachineFunction*> functions;
  for (const auto& function : module_->machine_functions()) functions.push_back(function.get());
  return functions;
}

void FileSweep::Execute(size_t index, Kernel& kernel, const MachineFunction& code, const Configuration& configuration,
                        int budget) {
  std::vector<const MachineFunction*> functions = FunctionsAsRead();
  functions[index] = &code;
  for (size_t seed = 0; seed < kernel.runs.size(); ++seed) {
    if (kernel.reads_timers) {
      CountUndecided("timers are read");
      continue;
    }
    std::unique_ptr<ReferenceRun>& reference = kernel.runs[seed];
    if (reference == nullptr) {
      reference = std::make_unique<ReferenceRun>(*module_, FunctionsAsRead(), *kernel.function, seed);
    }
    ReferenceRun::Verdict verdict = reference->Judge(functions, ptx::FloatTolerance::kNone, kStepFactor);
    if (!verdict.is_decided) {
      CountUndecided(ptx::FaultKindName(verdict.undecided_because.kind));
      continue;
    }
    ++result_.counts.runs;
    functions_[index].is_decided = true;
    if (verdict.difference.empty()) continue;
    Report(index, configuration, budget,
           StrCat("in kernel '", kernel.function->name, "' on input ", seed, ", ", verdict.difference));
    return;
  }
}

void FileSweep::CountUndecided(std::string_view why) {
  ++result_.counts.undecided;
  ++result_.counts.undecided_because[std::string(why)];
}

void FileSweep::Report(size_t index, const Configuration& configuration, int budget, std::string what) {
  if (!functions_[index].settings_failed.insert(configuration.setting.name).second) return;
  result_.findings.push_back({.file = path_,
                              .function = std::string(module_->machine_functions()[index]->name()),
                              .setting = configuration.setting.name,
                              .budget = budget,
                              .what = std::move(what)});
}

}  // namespace

const std::vector<SweepSetting>& SweepSettings() {
  static const std::vector<SweepSetting> settings = {
      {"O2", "", "-ra-spill=auto", "maxreg"},
      {"O2-excess", "", "-ra-spill=auto -ra-spill-excess=110", "maxreg"},
      {"O2-always", "", "-ra-spill=always", "maxreg"},
      {"O2-spill-all", "", "-ra-stress=spill-all", "maxreg", 24},
      {"O2-split", "", "-ra-stress=split", "maxreg", 24},
      {"O2-remat", "", "-nv-remat-measured=0", "maxreg"},
      {"RA", kAllocation, "-ra-spill=always", "ra-limit"},
      {"RA-remat", kAllocation, "-ra-remat", "ra-limit", 4},
      {"RA-spill-all", kAllocation, "-ra-stress=spill-all", ""},
      {"RA-spill-all-compact", kAllocation, "-ra-stress=spill-all -compact-regs", ""},
      {"RA-split", kAllocation, "-ra-stress=split", ""},
      {"RA-split-compact", kAllocation, "-ra-stress=split -compact-regs", ""},
      {"RA-compact", kAllocation, "-compact-regs", ""},
      {"RA-fast", kFastAllocation, "-ra-spill=always", "ra-limit", 4},
  };
  return settings;
}

std::string SweepFinding::ToString() const {
  return StrCat(file, ": ", function, ", ", setting, budget == 0 ? std::string() : StrCat(" at ", budget), ": ", what);
}

void SweepCounts::Add(const SweepCounts& other) {
  functions += other.functions;
  kernels += other.kernels;
  executed_functions += other.executed_functions;
  compilations += other.compilations;
  codes += other.codes;
  runs += other.runs;
  undecided += other.undecided;
  for (const auto& [why, count] : other.undecided_because) undecided_because[why] += count;
  for (const auto& [where, count] : other.reloads) reloads[where] += count;
}

SweepResult SweepBudgets(const std::vector<std::string>& paths, const SweepOptions& options,
                         const std::function<void(const std::string& path, const SweepResult&)>& file_done) {
  SweepResult result;
  DiagnosticEngine diagnostics;
  std::vector<Configuration> configurations;
  for (const SweepSetting& setting : options.settings) configurations.emplace_back(setting, options, diagnostics);
  if (diagnostics.has_errors()) {
    result.findings.push_back({.what = diagnostics.ToString()});
    return result;
  }
  std::vector<SweepResult> results(paths.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i; (i = next++) < paths.size();) {
      results[i] = FileSweep(paths[i], configurations, options).Run();
      if (!file_done) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      file_done(paths[i], results[i]);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (const SweepResult& of_file : results) {
    result.counts.Add(of_file.counts);
    result.findings.insert(result.findings.end(), of_file.findings.begin(), of_file.findings.end());
  }
  return result;
}

}  // namespace ptxmir::testing
