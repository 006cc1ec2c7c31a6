// SPDX-License-Identifier: Apache-2.0

#include "tools/autotune.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/pressure/register_budget.h"
#include "base/str_cat.h"
#include "mir/code/function_fingerprint.h"
#include "mir/code/function_ir.h"
#include "passes/equivalence/generated_run.h"
#include "passes/report/pressure_report.h"
#include "passes/run/function_pool.h"
#include "passes/run/parallel_for.h"
#include "ptx/target/occupancy.h"
#include "ptx/writer/ptx_writer.h"
#include "tools/trial.h"

namespace ptxmir {
namespace {

// Returns the processor time of this process, or of the processes that it started and that have ended.
double ProcessorSeconds(int who) {
  rusage usage = {};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Autotuner::Autotuner(const DriverOptions& options, const Pipeline& pipeline)
    : options_(options),
      trial_options_(OptionsForTrials(options)),
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
  input_ = ReadTrialInput(options_, diagnostics_);
  if (input_ == nullptr || !CompileTrials()) return false;
  FindKernels();
  if (kernels_.empty()) return true;
  const absl::StatusOr<Ptxas> ptxas = PtxasForTrials(options_, *trials_[kDefaultSet]->compilation->subtarget());
  if (!ptxas.ok()) {
    diagnostics_.Error(StrCat("-autotune: ", FromAbsl(ptxas.status().message())));
    return false;
  }
  InParallel(kernels_.size(), [this](size_t kernel) { FindVersions(kernels_[kernel]); });
  Search(*ptxas);
  for (Kernel& kernel : kernels_) {
    if (const std::optional<size_t> best = kernel.search->best(); best.has_value()) {
      kernel.chosen = kernel.search->versions()[*best].set;
    } else {
      diagnostics_.Report(Severity::kWarning, StrCat("-autotune: nothing was chosen for '", kernel.name,
                                                     "', since ptxas does not take it: ", kernel.refusal));
    }
  }
  ConfirmChoice(*ptxas);
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
  for (size_t set = 0; set < sets_.size(); ++set) {
    trials_.push_back(std::make_unique<Trial>());
    trials_[set]->compilation = Compile([this, set](const MachineFunction& function) {
      return &knobs_[IsKernelFunction(function) ? set : kDefaultSet];
    });
  }
  std::vector<char> is_ok(sets_.size());
  InParallel(sets_.size(), [&](size_t set) { is_ok[set] = trials_[set]->compilation->Run(); });
  const auto failed = std::find(is_ok.begin(), is_ok.end(), false);
  if (failed == is_ok.end()) return true;
  diagnostics_.Append(trials_[static_cast<size_t>(failed - is_ok.begin())]->compilation->diagnostics());
  return false;
}

void Autotuner::FindKernels() {
  const Compilation& compilation = *trials_[kDefaultSet]->compilation;
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
                        .threads = ResourcesOf(budget, 0, compilation.subtarget()->limits()).threads});
  }
}

void Autotuner::FindVersions(Kernel& kernel) {
  std::vector<TuningVersion> versions;
  std::vector<uint64_t> fingerprints;
  for (size_t set = 0; set < trials_.size(); ++set) {
    const MachineFunction& function = FunctionOf(kernel, *trials_[set]->compilation);
    const uint64_t fingerprint = FunctionFingerprint(function);
    if (std::find(fingerprints.begin(), fingerprints.end(), fingerprint) != fingerprints.end()) continue;
    fingerprints.push_back(fingerprint);
    std::string text = TextOf(kernel, *trials_[set]);
    if (std::find(kernel.texts.begin(), kernel.texts.end(), text) != kernel.texts.end()) continue;
    kernel.texts.push_back(std::move(text));
    versions.push_back({.set = set, .own_spill_bytes = CountSpillSlotAccesses(function).bytes()});
  }
  std::optional<ptx::LaunchStyle> style;
  for (TuningVersion& version : versions) {
    if (versions.size() == 1) break;
    version.executed = CountExecuted(trials_[version.set]->compilation->module(), kernel.name, style);
    if (version.executed == 0) break;
  }
  kernel.search.emplace(std::move(versions), options_.autotune_exhaustive);
}

std::string Autotuner::TextOf(const Kernel& kernel, Trial& trial) {
  const std::lock_guard lock(trial.mutex);
  DiagnosticEngine diagnostics;
  ptx::PtxWriter writer(trial.compilation->module(), {.cpu = options_.cpu, .features = options_.attributes},
                        diagnostics);
  for (const OwnedMachineFunction& function : trial.compilation->module().machine_functions()) {
    if (!IsKernelFunction(*function) || function->name() == kernel.name) writer.Write(*function);
  }
  writer.Finish();
  std::string text;
  for (const std::string_view part : writer.text()) StrAppend(&text, part);
  return text;
}

const MachineFunction& Autotuner::FunctionOf(const Kernel& kernel, const Compilation& compilation) {
  return *compilation.module().machine_functions()[kernel.index];
}

int Autotuner::NumThreads() const {
  return ResolveThreadCount(options_.knobs.IsSet("j") ? options_.knobs.threads() : -1);
}

void Autotuner::InParallel(size_t count, const std::function<void(size_t)>& work) const {
  ParallelFor(count, NumThreads(), work);
}

void Autotuner::Search(const Ptxas& ptxas) {
  std::mutex mutex;
  std::condition_variable answered;
  size_t num_in_flight = 0;
  const auto work = [&](size_t) {
    std::unique_lock lock(mutex);
    while (true) {
      const std::optional<Question> question = TakeQuestion();
      if (!question.has_value()) {
        if (num_in_flight == 0) return;
        answered.wait(lock);
        continue;
      }
      ++num_in_flight;
      lock.unlock();
      const absl::StatusOr<PtxasReport> report = ptxas.Judge({question->kernel->texts[question->version]});
      lock.lock();
      --num_in_flight;
      Answer(*question, report);
      answered.notify_all();
    }
  };
  InParallel(static_cast<size_t>(NumThreads()), work);
}

std::optional<Autotuner::Question> Autotuner::TakeQuestion() {
  for (const bool is_asked_about : {false, true}) {
    for (Kernel& kernel : kernels_) {
      if ((kernel.num_in_flight != 0) != is_asked_about) continue;
      const unsigned most_warps = WarpsOf(kernel, {.registers = 1, .shared_bytes = kernel.shared_bytes.value_or(0)});
      const std::optional<size_t> version = kernel.search->Take(most_warps);
      if (!version.has_value()) continue;
      ++kernel.num_in_flight;
      return Question{&kernel, *version};
    }
  }
  return std::nullopt;
}

void Autotuner::Answer(const Question& question, const absl::StatusOr<PtxasReport>& report) {
  Kernel& kernel = *question.kernel;
  --kernel.num_in_flight;
  if (!report.ok()) {
    if (kernel.refusal.empty()) kernel.refusal = std::string(FromAbsl(report.status().message()));
    return;
  }
  const auto found = report->find(kernel.ptx_name);
  if (found == report->end()) return;
  const PtxasFigures& figures = found->second;
  const uint64_t own_spill_bytes = kernel.search->versions()[question.version].own_spill_bytes;
  if (own_spill_bytes == 0) {
    kernel.shared_bytes = std::min(figures.shared_bytes, kernel.shared_bytes.value_or(figures.shared_bytes));
  }
  kernel.search->SetResult(question.version, TuningScore{.warps = WarpsOf(kernel, figures),
                                                         .spill_bytes = figures.spill_bytes() + own_spill_bytes,
                                                         .registers = figures.registers});
}

unsigned Autotuner::WarpsOf(const Kernel& kernel, const PtxasFigures& figures) const {
  return ptx::ComputeOccupancy(trials_[kDefaultSet]->compilation->subtarget()->sm().limits,
                               {.threads = kernel.threads,
                                .registers = figures.registers,
                                .shared_bytes = figures.shared_bytes,
                                .barriers = figures.barriers})
      .warps;
}

void Autotuner::ConfirmChoice(const Ptxas& ptxas) {
  const auto& functions = trials_[kDefaultSet]->compilation->module().machine_functions();
  const auto is_kernel = [](const OwnedMachineFunction& function) { return IsKernelFunction(*function); };
  if (std::all_of(functions.begin(), functions.end(), is_kernel)) return;
  struct Module {
    std::unique_ptr<Compilation> compilation;
    absl::StatusOr<PtxasReport> report = absl::UnknownError("not compiled");
  };
  Module modules[2];  // with the choices, and with nothing done
  modules[0].compilation = Compile([this](const MachineFunction& function) { return KnobsOf(function); });
  modules[1].compilation = Compile([this](const MachineFunction&) { return &knobs_[kNothingSet]; });
  InParallel(std::size(modules), [&](size_t i) {
    Module& module = modules[i];
    if (module.compilation->Run()) module.report = ptxas.Judge({OutputOf(*module.compilation)});
  });
  if (!modules[1].report.ok()) return;
  const auto score_of = [&](const Kernel& kernel, const Module& module) -> std::optional<TuningScore> {
    const auto found = module.report->find(kernel.ptx_name);
    if (found == module.report->end()) return std::nullopt;
    return TuningScore{.warps = WarpsOf(kernel, found->second),
                       .spill_bytes = found->second.spill_bytes() +
                                      CountSpillSlotAccesses(FunctionOf(kernel, *module.compilation)).bytes()};
  };
  does_nothing_ = !modules[0].report.ok() || std::any_of(kernels_.begin(), kernels_.end(), [&](const Kernel& kernel) {
    const std::optional<TuningScore> now = score_of(kernel, modules[0]);
    const std::optional<TuningScore> then = score_of(kernel, modules[1]);
    if (!now.has_value() || !then.has_value()) return now.has_value() != then.has_value();
    return IsBetter(*then, *now);
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
  const std::vector<TuningVersion>& versions = kernel.search->versions();
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::optional<TuningScore>& score = kernel.search->score(i);
    if (versions[i].set != set || !score.has_value()) continue;
    return StrCat(score->registers, " registers, ", score->warps, " warps, ", score->spill_bytes, " spill bytes");
  }
  return "not known";
}

std::string Autotuner::Report() const {
  std::string out = "===--- Option sets chosen by ptxas ---===\n";
  for (const Kernel& kernel : kernels_) {
    StrAppend(&out, "  ", kernel.name, ": '", sets_[kernel.chosen].name, "', ", Figures(kernel, kernel.chosen));
    if (kernel.chosen != kDefaultSet) {
      StrAppend(&out, "; '", sets_[kDefaultSet].name, "': ", Figures(kernel, kDefaultSet));
    }
    StrAppend(&out, "; asked about ", kernel.search->num_taken(), " of ", kernel.search->versions().size(),
              " versions\n");
  }
  StrAppend(&out, "  processor time: ptxas ", absl::StrFormat("%.3f", ProcessorSeconds(RUSAGE_CHILDREN)),
            " s, the rest ", absl::StrFormat("%.3f", ProcessorSeconds(RUSAGE_SELF)), " s\n");
  return out;
}

std::vector<PtxasRow> Autotuner::Rows() const {
  std::vector<PtxasRow> rows;
  if (trials_.empty()) return rows;
  const ptx::SmLimits& limits = trials_[kDefaultSet]->compilation->subtarget()->sm().limits;
  for (const Kernel& kernel : kernels_) {
    const unsigned most = ptx::ComputeOccupancy(limits, {.threads = kernel.threads, .registers = 1}).max_warps;
    const std::vector<TuningVersion>& versions = kernel.search->versions();
    for (size_t i = 0; i < versions.size(); ++i) {
      const std::optional<TuningScore>& score = kernel.search->score(i);
      if (!score.has_value()) continue;
      const OptionSet& set = sets_[versions[i].set];
      rows.push_back({.function = kernel.name,
                      .label = set.name,
                      .options = absl::StrJoin(set.flags, " "),
                      .registers = score->registers,
                      .spill_bytes = score->spill_bytes,
                      .occupancy = most == 0 ? 0 : static_cast<double>(score->warps) / most,
                      .is_chosen = versions[i].set == kernel.chosen});
    }
  }
  return rows;
}

}  // namespace ptxmir
