#include "passes/execution_check.h"

#include <utility>

#include "mir/mir_reader.h"
#include "mir/mir_writer.h"
#include "mir/str_cat.h"
#include "passes/reference_run.h"
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

std::string ExecutionChecker::Compare(const Version* before, const Version& after, const IrFunction& kernel,
                                      uint64_t seed, const PassInfo& pass) {
  const std::string_view name = after.function().name();
  std::vector<const MachineFunction*> first, second;
  for (const std::unique_ptr<MachineFunction>& function : module_->machine_functions()) {
    const bool is_changed = function->name() == name;
    first.push_back(is_changed && before != nullptr ? &before->function() : function.get());
    second.push_back(is_changed ? &after.function() : function.get());
  }
  ReferenceRun reference(*module_, std::move(first), kernel, seed);
  ReferenceRun::Verdict verdict =
      reference.Judge(second, pass.may_change_rounding ? ptx::FloatTolerance::kRounding : ptx::FloatTolerance::kNone);
  if (verdict.is_decided) {
    ++num_compared_;
  } else {
    CountUndecided(verdict.undecided_because);
  }
  return std::move(verdict.difference);
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
  for (const IrFunction* kernel : KernelsThatUse(*module_, function.name())) {
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
