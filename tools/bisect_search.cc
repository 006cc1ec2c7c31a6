// SPDX-License-Identifier: Apache-2.0

#include "tools/bisect_search.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/str_cat.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "passes/equivalence/reference_run.h"
#include "ptx/target/ptx_target.h"
#include "tools/trial.h"

namespace ptxmir {
namespace {

constexpr unsigned kDefaultInputs = 3;

// Returns true if ptxas made less of the first kernel than of the second: more spills, or as many and more registers.
bool IsWorse(const PtxasFigures& figures, const PtxasFigures& than) {
  return std::make_tuple(figures.spill_bytes(), figures.registers) >
         std::make_tuple(than.spill_bytes(), than.registers);
}

std::string Text(const PtxasFigures& figures) {
  return StrCat(figures.registers, " registers and ", figures.spill_bytes(), " bytes of spills");
}

// Returns the module of a text.
std::unique_ptr<Module> ReadText(const std::string& text, DiagnosticEngine& diagnostics) {
  return ReadMir(std::make_shared<SourceBuffer>("", text), ptx::PtxTargetInfo(), diagnostics);
}

}  // namespace

absl::StatusOr<int> FindFirstBad(int good, int bad, absl::FunctionRef<absl::StatusOr<bool>(int limit)> is_bad) {
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    const absl::StatusOr<bool> answer = is_bad(middle);
    if (!answer.ok()) return answer.status();
    (*answer ? bad : good) = middle;
  }
  return bad;
}

BisectSearch::BisectSearch(const DriverOptions& options, const Pipeline& pipeline)
    : options_(options), trial_options_(OptionsForTrials(options)), plan_(trial_options_, pipeline) {}

absl::StatusOr<std::string> BisectSearch::Run(DiagnosticEngine& diagnostics) {
  const bool asks_ptxas = options_.bisect_goal == BisectGoal::kPtxas;
  const std::string_view name = asks_ptxas ? "ptxas" : "exec";
  if (options_.bisect.has_value()) {
    return absl::InvalidArgumentError(StrCat("-opt-bisect=", name, " cannot be used with -opt-bisect-limit"));
  }
  if (asks_ptxas && options_.pipeline.stops_early()) {
    return absl::InvalidArgumentError(
        "-opt-bisect=ptxas needs PTX: it cannot be had with -passes, -run-pass, -stop-before or -stop-after");
  }
  diagnostics_ = &diagnostics;
  input_ = ReadTrialInput(options_, diagnostics);
  if (input_ == nullptr) return absl::InvalidArgumentError("");
  constexpr int kAll = -1;
  const absl::StatusOr<Trial*> all = Compile(kAll);
  if (!all.ok()) return all.status();
  const int last = static_cast<int>((*all)->compilation->opt_bisect()->runs().size());
  if (const auto node = trials_.find(last); node == trials_.end() && last != 0) {
    trials_[last].compilation = std::move((*all)->compilation);
  }
  if (const absl::StatusOr<Trial*> none = Compile(0); !none.ok()) return none.status();
  const Compilation& compilation = *trials_[last].compilation;
  if (asks_ptxas) {
    if (compilation.subtarget() == nullptr) return absl::InvalidArgumentError("-opt-bisect=ptxas needs a GPU: -mcpu");
    absl::StatusOr<Ptxas> ptxas = PtxasForTrials(options_, *compilation.subtarget());
    if (!ptxas.ok()) return absl::NotFoundError(StrCat("-opt-bisect: ", FromAbsl(ptxas.status().message())));
    ptxas_ = std::make_unique<Ptxas>(*std::move(ptxas));
  }
  std::string report = StrCat("-opt-bisect=", name, ": ", last, " runs of optional passes\n");
  for (const OwnedMachineFunction& function : compilation.module().machine_functions()) {
    if (!IsKernelFunction(*function)) continue;
    const absl::StatusOr<std::string> found = asks_ptxas ? SearchPtxas(*function, last) : SearchExec(*function, last);
    if (!found.ok()) return found.status();
    StrAppend(&report, "kernel '", function->name(), "': ", *found, "\n");
  }
  return report;
}

absl::StatusOr<BisectSearch::Trial*> BisectSearch::Compile(int limit) {
  Trial& trial = trials_[limit];
  if (trial.compilation != nullptr) return &trial;
  trial.compilation = std::make_unique<Compilation>(plan_);
  trial.compilation->UseInput(input_);
  trial.compilation->KeepFunctions();
  trial.compilation->Bisect(BisectIntervals::UpTo(limit));
  if (trial.compilation->Run()) return &trial;
  diagnostics_->Append(trial.compilation->diagnostics());
  return absl::InvalidArgumentError(limit < 0 ? "" : StrCat("this is with -opt-bisect-limit=", limit));
}

absl::StatusOr<PtxasFigures> BisectSearch::FiguresOf(const std::string& ptx_name, int limit) {
  const absl::StatusOr<Trial*> trial = Compile(limit);
  if (!trial.ok()) return trial.status();
  if ((*trial)->ptxas == nullptr) {
    absl::StatusOr<PtxasReport> report = ptxas_->Judge({OutputOf(*(*trial)->compilation)});
    if (!report.ok()) {
      return absl::InvalidArgumentError(
          StrCat("with -opt-bisect-limit=", limit, ", ptxas says: ", FromAbsl(report.status().message())));
    }
    (*trial)->ptxas = std::make_unique<PtxasReport>(*std::move(report));
  }
  const auto found = (*trial)->ptxas->find(ptx_name);
  if (found != (*trial)->ptxas->end()) return found->second;
  return absl::NotFoundError(StrCat("ptxas reports nothing about kernel '", ptx_name, "'"));
}

absl::StatusOr<std::string> BisectSearch::SearchPtxas(const MachineFunction& kernel, int last) {
  const std::string name(trials_[last].compilation->ptx_writer()->NameOf(kernel));
  const absl::StatusOr<PtxasFigures> none = FiguresOf(name, 0);
  if (!none.ok()) return none.status();
  const absl::StatusOr<PtxasFigures> all = FiguresOf(name, last);
  if (!all.ok()) return all.status();
  const std::string both = StrCat(Text(*none), " without them, ", Text(*all), " with all");
  if (!IsWorse(*all, *none)) return StrCat(both, "; no run to blame");
  const absl::StatusOr<int> found = FindFirstBad(0, last, [&](int limit) -> absl::StatusOr<bool> {
    const absl::StatusOr<PtxasFigures> figures = FiguresOf(name, limit);
    if (!figures.ok()) return figures.status();
    return IsWorse(*figures, *none);
  });
  if (!found.ok()) return found.status();
  return StrCat(both, DescribeRun(*found, StrCat(Text(*FiguresOf(name, *found - 1)), " before, ",
                                                 Text(*FiguresOf(name, *found)), " after")));
}

absl::StatusOr<std::string> BisectSearch::DifferenceOf(const std::string& kernel, int limit) {
  const absl::StatusOr<Trial*> trial = Compile(limit);
  if (!trial.ok()) return trial.status();
  const Compilation& compilation = *(*trial)->compilation;
  // Both versions are read with the module after the passes, so that global values have the same ids in them.
  std::string header;
  WriteModulePart(compilation.module(), header);
  std::unique_ptr<Module> input = ReadMir(input_, ptx::PtxTargetInfo(), *diagnostics_);
  if (input == nullptr) return absl::InvalidArgumentError("-opt-bisect=exec needs an input that is machine code");
  std::string before = header;
  for (const OwnedMachineFunction& function : input->machine_functions()) WriteMirFunction(*function, {}, before);
  std::string after = header;
  for (const OwnedMachineFunction& function : compilation.module().machine_functions()) {
    WriteMirFunction(*function, {}, after);
  }
  const std::unique_ptr<Module> modules[2] = {ReadText(before, *diagnostics_), ReadText(after, *diagnostics_)};
  if (modules[0] == nullptr || modules[1] == nullptr) {
    return absl::InternalError("the module cannot be read back, so it cannot be executed");
  }
  const std::vector<OptBisect::Run>& runs = compilation.opt_bisect()->runs();
  const auto end = runs.begin() + std::min<ptrdiff_t>(limit, static_cast<ptrdiff_t>(runs.size()));
  const bool may_round =
      std::any_of(runs.begin(), end, [](const OptBisect::Run& run) { return FindPass(run.pass)->may_change_rounding; });
  const IrFunction* const ir_kernel = modules[0]->FindFunction(kernel);
  const unsigned inputs = options_.verify_exec_inputs != 0 ? options_.verify_exec_inputs : kDefaultInputs;
  for (uint64_t seed = 0; seed < inputs; ++seed) {
    ReferenceRun reference(*modules[0], FunctionsOf(*modules[0]), *ir_kernel, seed);
    const ReferenceRun::Verdict verdict = reference.Judge(
        FunctionsOf(*modules[1]), may_round ? ptx::FloatTolerance::kRounding : ptx::FloatTolerance::kNone);
    if (verdict.is_decided && !verdict.difference.empty()) return StrCat("on input ", seed, ", ", verdict.difference);
  }
  return "";
}

absl::StatusOr<std::string> BisectSearch::SearchExec(const MachineFunction& kernel, int last) {
  const std::string name(kernel.name());
  const absl::StatusOr<std::string> none = DifferenceOf(name, 0);
  if (!none.ok()) return none.status();
  if (!none->empty()) return StrCat("passes that always run change its results: ", *none);
  const absl::StatusOr<std::string> all = DifferenceOf(name, last);
  if (!all.ok()) return all.status();
  if (all->empty()) return std::string("the same results with all; no run to blame");
  const absl::StatusOr<int> found = FindFirstBad(0, last, [&](int limit) -> absl::StatusOr<bool> {
    const absl::StatusOr<std::string> difference = DifferenceOf(name, limit);
    if (!difference.ok()) return difference.status();
    return !difference->empty();
  });
  if (!found.ok()) return found.status();
  return StrCat("its results change", DescribeRun(*found, *DifferenceOf(name, *found)));
}

std::string BisectSearch::DescribeRun(int number, std::string_view effect) {
  const OptBisect::Run& run = trials_[number].compilation->opt_bisect()->runs()[static_cast<size_t>(number) - 1];
  return StrCat("\n  run ", number, ", ", run.ToString(), ": ", effect, "\n  compare -opt-bisect-limit=", number - 1,
                " with -opt-bisect-limit=", number);
}

}  // namespace ptxmir
