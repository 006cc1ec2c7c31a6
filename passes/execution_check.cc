#include "passes/execution_check.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "mir/ir_nvvm.h"
#include "mir/mir_reader.h"
#include "mir/mir_writer.h"
#include "mir/str_cat.h"
#include "passes/generated_run.h"
#include "ptx/interpreter/device.h"
#include "ptx/interpreter/kernel_inputs.h"

namespace ptxmir {

struct ExecutionChecker::Version {
  std::unique_ptr<Module> module;
  const MachineFunction& function() const { return *module->machine_functions().front(); }
};

ExecutionChecker::ExecutionChecker(std::unique_ptr<Module> module, unsigned inputs)
    : module_(std::move(module)), inputs_(inputs) {
  std::vector<std::unique_ptr<MachineFunction>> functions = std::exchange(module_->machine_functions(), {});
  WriteMir(*module_, {}, header_);
  module_->machine_functions() = std::move(functions);
  for (const std::unique_ptr<MachineFunction>& function : module_->machine_functions()) {
    functions_.emplace(function->name(), function.get());
  }
}

ExecutionChecker::~ExecutionChecker() = default;

void ExecutionChecker::Begin(const MachineFunction&) { version_ = nullptr; }

std::unique_ptr<ExecutionChecker::Version> ExecutionChecker::Read(const MachineFunction& function) {
  std::string text = header_;
  WriteMirFunction(function, {}, text);
  DiagnosticEngine diagnostics;
  auto version = std::make_unique<Version>();
  version->module = ReadMir(std::make_shared<SourceBuffer>("", text), function.target(), diagnostics);
  if (version->module == nullptr || version->module->machine_functions().empty()) return nullptr;
  return version;
}

// Kernels that reach the function through mentions in bodies and initialisers.
std::vector<const IrFunction*> ExecutionChecker::KernelsThatUse(std::string_view function) const {
  std::vector<const IrFunction*> kernels;
  const GlobalValue* start = module_->FindGlobal(function);
  if (start == nullptr) return kernels;
  absl::flat_hash_set<GlobalId> seen = {start->id()};
  std::vector<GlobalId> pending = {start->id()};
  while (!pending.empty()) {
    const GlobalId id = pending.back();
    pending.pop_back();
    if (const IrFunction* found = module_->function(id); found != nullptr && IsKernel(*module_, *found)) {
      kernels.push_back(found);
    }
    for (const GlobalId user : module_->Users(id)) {
      if (seen.insert(user).second) pending.push_back(user);
    }
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const IrFunction* a, const IrFunction* b) { return a->id() < b->id(); });
  return kernels;
}

namespace {

// What the second run does that the first, which ended well, does not; or an empty string.
std::string DifferenceOf(const GeneratedRun& first, const GeneratedRun& second, const PassInfo& pass) {
  if (!second.result.ok()) return std::string(second.result.status().message());
  if (second.result->fault.is_fault()) return second.result->fault.ToString();
  if (first.result->printed != second.result->printed) {
    return StrCat("it prints '", second.result->printed, "', and printed '", first.result->printed, "'");
  }
  if (second.result->race.is_fault() && !first.result->race.is_fault()) return second.result->race.ToString();
  return FirstDifference(*first.device, *second.device,
                         pass.may_change_rounding ? ptx::FloatTolerance::kRounding : ptx::FloatTolerance::kNone);
}

}  // namespace

std::string ExecutionChecker::Compare(const Version* before, const Version& after, const IrFunction& kernel,
                                      uint64_t seed, const PassInfo& pass) {
  const std::string_view name = after.function().name();
  std::vector<const MachineFunction*> first, second;
  for (const std::unique_ptr<MachineFunction>& function : module_->machine_functions()) {
    const bool is_changed = function->name() == name;
    first.push_back(is_changed && before != nullptr ? &before->function() : function.get());
    second.push_back(is_changed ? &after.function() : function.get());
  }
  const GeneratedRun run_before = RunOnGeneratedInput(*module_, first, kernel, seed);
  if (!run_before.ended_well()) {
    CountUndecided(run_before.result.ok() ? run_before.result->fault.kind : ptx::FaultKind::kNone);
    return {};
  }
  const GeneratedRun run_after = RunOnGeneratedInput(*module_, second, kernel, seed, kStepFactorOfChanged);
  std::string difference = DifferenceOf(run_before, run_after, pass);
  if (!difference.empty() && run_before.result->race.is_fault()) {
    const GeneratedRun reversed = RunOnGeneratedInput(*module_, first, kernel, seed, kStepFactorOfChanged, true);
    if (!DifferenceOf(run_before, reversed, pass).empty()) {
      CountUndecided(run_before.result->race.kind);
      return {};
    }
    StrAppend(&difference, " (threads race, but another order of theirs changes nothing before the pass: ",
              run_before.result->race.message, ")");
  }
  ++num_compared_;
  return difference;
}

void ExecutionChecker::CountUndecided(ptx::FaultKind kind) {
  ++num_undecided_;
  const auto index = static_cast<size_t>(kind);
  if (index >= undecided_by_kind_.size()) undecided_by_kind_.resize(index + 1);
  ++undecided_by_kind_[index];
}

bool ExecutionChecker::Check(const MachineFunction& function, const PassInfo& pass, DiagnosticEngine& diagnostics) {
  if (!functions_.contains(function.name())) return true;
  std::unique_ptr<Version> after = Read(function);
  if (after == nullptr) {
    diagnostics.Error(StrCat("after pass '", pass.name, "': function '", function.name(),
                             "' cannot be read back, so it cannot be executed"));
    return false;
  }
  for (const IrFunction* kernel : KernelsThatUse(function.name())) {
    for (uint64_t seed = 0; seed < inputs_; ++seed) {
      const std::string difference = Compare(version_.get(), *after, *kernel, seed, pass);
      if (difference.empty()) continue;
      diagnostics.Error(StrCat("pass '", pass.name, "' changed what function '", function.name(),
                               "' computes: in kernel '", kernel->name, "' on input ", seed, ", ", difference));
      return false;
    }
  }
  version_ = std::move(after);
  return true;
}

}  // namespace ptxmir
