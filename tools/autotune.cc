// SPDX-License-Identifier: Apache-2.0

#include "tools/autotune.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdlib>
#include <thread>
#include <utility>

#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "mir/code/function_fingerprint.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_reader.h"
#include "passes/equivalence/generated_run.h"
#include "passes/report/pressure_report.h"
#include "passes/run/function_pool.h"
#include "ptx/target/occupancy.h"
#include "ptx/target/ptx_target.h"
#include "tools/support/external_programs.h"

namespace ptxmir {
namespace {

// Returns the user's folder for cached files.
std::string DefaultCacheFolder() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string_view folder = variable("XDG_CACHE_HOME"); !folder.empty()) return StrCat(folder, "/ptxmir");
  if (const std::string_view home = variable("HOME"); !home.empty()) return StrCat(home, "/.cache/ptxmir");
  return "";
}

// Returns the options without output and checks around a compilation.
DriverOptions ForTrials(const DriverOptions& options) {
  DriverOptions trial = options;
  trial.run.print = {};
  trial.run.time_passes = false;
  trial.run.report_budgets = false;
  trial.print_stats = false;
  trial.remarks = {};
  trial.time_trace = false;
  trial.pressure_report_file.clear();
  trial.explain_registers = false;
  trial.count_executed_launches = 0;
  trial.fail_on_spill = false;
  trial.max_registers_expected = 0;
  trial.verify_exec_inputs = 0;
  return trial;
}

std::string TextOf(const Compilation& compilation) {
  std::string text;
  for (const std::string_view part : compilation.output()) StrAppend(&text, part);
  return text;
}

}  // namespace

Autotuner::Autotuner(const DriverOptions& options, const Pipeline& pipeline)
    : options_(options),
      trial_options_(ForTrials(options)),
      trial_plan_(trial_options_, pipeline),
      sets_(TuningOptionSets()) {
  sets_.insert(sets_.end(), options.autotune_sets.begin(), options.autotune_sets.end());
  for (const OptionSet& set : sets_) knobs_.push_back(set.Apply(options.knobs));
}

Autotuner::~Autotuner() = default;

bool Autotuner::Run() {
  if (options_.pipeline.stops_early()) {
    diagnostics_.Error("-autotune needs PTX: it cannot be had with -passes, -run-pass, -stop-before or -stop-after");
    return false;
  }
  if (!ReadInput() || !CompileTrials()) return false;
  FindKernels();
  if (kernels_.empty()) return true;
  const absl::StatusOr<Ptxas> ptxas = FindPtxas();
  if (!ptxas.ok()) {
    diagnostics_.Error(StrCat("-autotune: ", FromAbsl(ptxas.status().message())));
    return false;
  }
  JudgeTrials(*ptxas);
  if (!trials_[kDefaultSet].is_usable()) {
    diagnostics_.Report(Severity::kWarning,
                        StrCat("-autotune: nothing was chosen, since ptxas does not take the module: ",
                               FromAbsl(trials_[kDefaultSet].report.status().message())));
    return true;
  }
  for (Kernel& kernel : kernels_) Choose(kernel);
  ConfirmChoice(*ptxas);
  return true;
}

bool Autotuner::ReadInput() {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options_.input);
  if (!buffer.ok()) {
    diagnostics_.Error(std::string(FromAbsl(buffer.status().message())));
    return false;
  }
  input_ = *std::move(buffer);
  return true;
}

std::unique_ptr<Compilation> Autotuner::Compile(std::function<const Knobs*(const MachineFunction&)> knobs_of) {
  trial_options_.run.knobs_of = std::move(knobs_of);
  auto compilation = std::make_unique<Compilation>(trial_plan_);
  compilation->UseInput(input_);
  compilation->KeepFunctions();
  return compilation;
}

bool Autotuner::CompileTrials() {
  trials_.resize(sets_.size());
  for (size_t set = 0; set < sets_.size(); ++set) {
    Trial& trial = trials_[set];
    trial.compilation = Compile([this, set](const MachineFunction& function) {
      return &knobs_[set == kNothingSet || IsKernelFunction(function) ? set : kDefaultSet];
    });
    if (!trial.compilation->Run()) {
      diagnostics_.Append(trial.compilation->diagnostics());
      return false;
    }
    trial.ptx = TextOf(*trial.compilation);
    trial.same_as = set;
    for (size_t earlier = 0; earlier < set; ++earlier) {
      if (trials_[earlier].ptx != trial.ptx) continue;
      trial.same_as = earlier;
      trial.compilation.reset();
      trial.ptx.clear();
      break;
    }
  }
  return true;
}

void Autotuner::FindKernels() {
  const Compilation& compilation = *trials_[kDefaultSet].compilation;
  if (compilation.subtarget() == nullptr) return;
  const auto& functions = compilation.module().machine_functions();
  for (size_t index = 0; index < functions.size(); ++index) {
    const OwnedMachineFunction& function = functions[index];
    if (!IsKernelFunction(*function)) continue;
    const RegisterBudget budget = ComputeRegisterBudget(*function, knobs_[kDefaultSet], compilation.subtarget()->sm());
    kernel_by_name_.emplace(std::string(function->name()), kernels_.size());
    kernels_.push_back({.name = std::string(function->name()),
                        .ptx_name = std::string(compilation.ptx_writer()->NameOf(*function)),
                        .index = index,
                        .threads = budget.cta_threads != 0 ? budget.cta_threads : kAssumedCtaThreads});
  }
}

absl::StatusOr<Ptxas> Autotuner::FindPtxas() const {
  const Compilation& compilation = *trials_[kDefaultSet].compilation;
  std::vector<std::string> flags = {StrCat("-arch=", compilation.subtarget()->sm().name)};
  flags.insert(flags.end(), options_.autotune_ptxas_flags.begin(), options_.autotune_ptxas_flags.end());
  if (options_.autotune_ptxas_flags.empty() && options_.knobs.IsSet("maxreg")) {
    // Without the second flag, ptxas ignores the limit if a kernel has .maxntid, .minnctapersm or .maxnreg.
    flags.push_back(StrCat("-maxrregcount=", options_.knobs.maxreg()));
    flags.push_back("--override-directive-values");
  }
  return Ptxas::Create({.path = ptxmir::FindPtxas(),
                        .flags = std::move(flags),
                        .cache_folder = options_.autotune_cache.value_or(DefaultCacheFolder())});
}

void Autotuner::JudgeTrials(const Ptxas& ptxas) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < trials_.size();) {
      Trial& trial = trials_[i];
      if (trial.same_as == i) trial.report = ptxas.Judge({trial.ptx});
    }
  };
  const int count = ResolveThreadCount(options_.knobs.IsSet("j") ? options_.knobs.threads() : -1);
  std::vector<std::thread> threads;
  for (int i = 1; i < std::min<int>(count, static_cast<int>(trials_.size())); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

std::optional<Autotuner::Score> Autotuner::ScoreOf(const Kernel& kernel, const Compilation& compilation,
                                                   const PtxasReport& report) const {
  const auto found = report.find(kernel.ptx_name);
  if (found == report.end()) return std::nullopt;
  const PtxasFigures& figures = found->second;
  const ptx::Occupancy occupancy = ptx::ComputeOccupancy(trials_[kDefaultSet].compilation->subtarget()->sm().limits,
                                                         {.threads = kernel.threads,
                                                          .registers = figures.registers,
                                                          .shared_bytes = figures.shared_bytes,
                                                          .barriers = figures.barriers});
  return Score{.warps = occupancy.warps,
               .spill_bytes = figures.spill_bytes() + CountSpillSlotAccesses(FunctionOf(kernel, compilation)).bytes(),
               .registers = figures.registers};
}

const MachineFunction& Autotuner::FunctionOf(const Kernel& kernel, const Compilation& compilation) {
  return *compilation.module().machine_functions()[kernel.index];
}

uint64_t Autotuner::Executed(const Kernel& kernel, const Trial& trial) {
  constexpr unsigned kLaunches = 1;
  if (input_module_ == nullptr) input_module_ = ReadMir(input_, ptx::PtxTargetInfo(), diagnostics_);
  if (input_module_ == nullptr) return 0;
  const ExecutedCounts counts = CountExecuted(*input_module_, trial.compilation->module(), kernel.name, kLaunches);
  return counts.launches == kLaunches ? counts.after : 0;
}

void Autotuner::Choose(Kernel& kernel) {
  struct Candidate {
    size_t set;
    Score score;
  };
  std::vector<Candidate> best;
  std::vector<uint64_t> seen;  // fingerprints, to skip sets that change only other kernels
  for (size_t set = 0; set < trials_.size(); ++set) {
    const Trial& trial = trials_[set];
    if (!trial.is_usable() || trial.same_as != set) continue;
    const uint64_t fingerprint = FunctionFingerprint(FunctionOf(kernel, *trial.compilation));
    if (std::find(seen.begin(), seen.end(), fingerprint) != seen.end()) continue;
    seen.push_back(fingerprint);
    const std::optional<Score> score = ScoreOf(kernel, *trial.compilation, *trial.report);
    if (!score.has_value()) continue;
    const auto rank = [](const Score& s) { return std::pair(-static_cast<int64_t>(s.warps), s.spill_bytes); };
    if (!best.empty() && rank(*score) > rank(best.front().score)) continue;
    if (!best.empty() && rank(*score) < rank(best.front().score)) best.clear();
    best.push_back({set, *score});
  }
  if (best.size() > 1) {
    for (Candidate& candidate : best) candidate.score.executed = Executed(kernel, trials_[candidate.set]);
    const bool all_known =
        std::all_of(best.begin(), best.end(), [](const Candidate& c) { return c.score.executed != 0; });
    std::stable_sort(best.begin(), best.end(), [&](const Candidate& a, const Candidate& b) {
      if (all_known && a.score.executed != b.score.executed) return a.score.executed < b.score.executed;
      return a.score.registers < b.score.registers;
    });
  }
  if (!best.empty()) kernel.chosen = best.front().set;
}

void Autotuner::ConfirmChoice(const Ptxas& ptxas) {
  const Trial& nothing = trials_[trials_[kNothingSet].same_as];
  if (!nothing.is_usable()) return;
  const std::unique_ptr<Compilation> compilation =
      Compile([this](const MachineFunction& function) { return KnobsOf(function); });
  absl::StatusOr<PtxasReport> report = absl::UnknownError("not compiled");
  if (compilation->Run()) report = ptxas.Judge({TextOf(*compilation)});
  does_nothing_ = !report.ok() || std::any_of(kernels_.begin(), kernels_.end(), [&](const Kernel& kernel) {
    const std::optional<Score> now = ScoreOf(kernel, *compilation, *report);
    const std::optional<Score> then = ScoreOf(kernel, *nothing.compilation, *nothing.report);
    if (!now.has_value() || !then.has_value()) return now.has_value() != then.has_value();
    return now->warps < then->warps || (now->warps == then->warps && now->spill_bytes > then->spill_bytes);
  });
  if (!does_nothing_) return;
  for (Kernel& kernel : kernels_) kernel.chosen = kNothingSet;
}

const Knobs* Autotuner::KnobsOf(const MachineFunction& function) const {
  if (does_nothing_) return &knobs_[kNothingSet];
  const auto found = kernel_by_name_.find(ToAbsl(function.name()));
  return &knobs_[found == kernel_by_name_.end() ? kDefaultSet : kernels_[found->second].chosen];
}

std::string Autotuner::Figures(const Kernel& kernel, size_t set) const {
  const Trial& trial = trials_[trials_[set].same_as];
  if (!trial.is_usable()) return "refused";
  const std::optional<Score> score = ScoreOf(kernel, *trial.compilation, *trial.report);
  if (!score.has_value()) return "not known";
  return StrCat(score->registers, " registers, ", score->warps, " warps, ", score->spill_bytes, " spill bytes");
}

std::string Autotuner::Report() const {
  std::string out = "===--- Option sets chosen by ptxas ---===\n";
  for (const Kernel& kernel : kernels_) {
    StrAppend(&out, "  ", kernel.name, ": '", sets_[kernel.chosen].name, "', ", Figures(kernel, kernel.chosen));
    if (kernel.chosen != kDefaultSet) {
      StrAppend(&out, "; '", sets_[kDefaultSet].name, "': ", Figures(kernel, kDefaultSet));
    }
    out += "\n";
  }
  return out;
}

}  // namespace ptxmir
