// SPDX-License-Identifier: Apache-2.0

#include "passes/equivalence/reference_run.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"

namespace ptxmir {

std::vector<const IrFunction*> KernelsThatUse(const Module& module, std::string_view function) {
  std::vector<const IrFunction*> kernels;
  const GlobalValue* start = module.FindGlobal(function);
  if (start == nullptr) return kernels;
  absl::flat_hash_set<GlobalId> seen = {start->id()};
  std::vector<GlobalId> pending = {start->id()};
  while (!pending.empty()) {
    const GlobalId id = pending.back();
    pending.pop_back();
    if (const IrFunction* found = module.function(id); found != nullptr && IsKernel(module, *found)) {
      kernels.push_back(found);
    }
    for (const GlobalId user : module.Users(id)) {
      if (seen.insert(user).second) pending.push_back(user);
    }
  }
  std::sort(kernels.begin(), kernels.end(), [](const IrFunction* a, const IrFunction* b) { return a->id() < b->id(); });
  return kernels;
}

ReferenceRun::ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions,
                           const IrFunction& kernel, uint64_t seed, ptx::CodeCache* code)
    : ReferenceRun(module, functions, kernel, seed,
                   RunOnGeneratedInput(module, functions, kernel, seed, {.code = code}), code) {}

ReferenceRun::ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions,
                           const IrFunction& kernel, uint64_t seed, GeneratedRun run, ptx::CodeCache* code)
    : module_(module),
      functions_(std::move(functions)),
      kernel_(kernel),
      seed_(seed),
      code_(code),
      run_(std::move(run)) {}

bool ReferenceRun::ChangesWith(const ptx::ThreadOrder& order, ptx::FloatTolerance tolerance) const {
  const GeneratedRun reordered =
      RunOnGeneratedInput(module_, functions_, kernel_, seed_,
                          {.step_factor = kStepFactorOfChanged, .order = order, .style = run_.style, .code = code_});
  return !DifferenceOf(run_, reordered, tolerance).empty();
}

bool ReferenceRun::DependsOnOrder(ptx::FloatTolerance tolerance) {
  std::optional<bool>& depends = depends_on_order_[tolerance == ptx::FloatTolerance::kNone ? 0 : 1];
  if (!depends.has_value()) depends = ChangesWith({.reverse = true}, tolerance);
  return *depends;
}

bool ReferenceRun::DependsOnAnyOrder(ptx::FloatTolerance tolerance) {
  return DependsOnOrder(tolerance) || ChangesWith({.leading_lanes_first = true}, tolerance) ||
         ChangesWith({.reverse = true, .leading_lanes_first = true}, tolerance) ||
         ChangesWith({.interleave = true}, tolerance);
}

ReferenceRun::Verdict ReferenceRun::Judge(absl::Span<const MachineFunction* const> functions,
                                          ptx::FloatTolerance tolerance, uint64_t step_factor) {
  return Judge(module_, functions, kernel_, tolerance, step_factor);
}

ReferenceRun::Verdict ReferenceRun::JudgeOther(const Module& module, const IrFunction& kernel,
                                               ptx::FloatTolerance tolerance) {
  return Judge(module, FunctionsOf(module), kernel, tolerance, kStepFactorOfChanged);
}

ReferenceRun::Verdict ReferenceRun::Judge(const Module& module, absl::Span<const MachineFunction* const> functions,
                                          const IrFunction& kernel, ptx::FloatTolerance tolerance,
                                          uint64_t step_factor) {
  if (!run_.ended_well()) {
    Verdict undecided = {.is_decided = false};
    if (run_.result.ok()) {
      undecided.undecided_because = run_.result->fault;
    } else {
      undecided.undecided_because.message = std::string(run_.result.status().message());
    }
    return undecided;
  }
  // The cache holds code of functions of one module.
  ptx::CodeCache* const code = &module == &module_ ? code_ : nullptr;
  Verdict verdict = {.after = RunOnGeneratedInput(module, functions, kernel, seed_,
                                                  {.step_factor = step_factor, .style = run_.style, .code = code})};
  verdict.difference = DifferenceOf(run_, verdict.after, tolerance);
  if (verdict.difference.empty()) return verdict;
  const bool has_race = run_.result->race.is_fault();
  if (&module != &module_) {
    ReferenceRun later(module, {functions.begin(), functions.end()}, kernel, seed_, std::move(verdict.after));
    const bool depends_on_order =
        has_race || DependsOnAnyOrder(tolerance) || (later.ended_well() && later.DependsOnAnyOrder(tolerance));
    verdict.after = std::move(later.run_);
    if (!depends_on_order) return verdict;
    return {.is_decided = false, .undecided_because = run_.result->race};
  }
  if (!has_race) return verdict;
  if (DependsOnOrder(tolerance)) return {.is_decided = false, .undecided_because = run_.result->race};
  StrAppend(&verdict.difference,
            " (threads race, but another order of theirs changes nothing before the pass: ", run_.result->race.message,
            ")");
  return verdict;
}

}  // namespace ptxmir
