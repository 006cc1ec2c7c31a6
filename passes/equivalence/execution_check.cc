// SPDX-License-Identifier: Apache-2.0

#include "passes/equivalence/execution_check.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "mir/code/function_ir.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {

namespace {

constexpr size_t kMaxReferences = 16;

}  // namespace

struct ExecutionChecker::Version {
  Version(std::unique_ptr<Module> read, ptx::CodeCache& cache) : module(std::move(read)), code(cache) {}
  ~Version() { code.Forget(function()); }

  const MachineFunction& function() const { return *module->machine_functions().front(); }

  std::unique_ptr<Module> module;
  ptx::CodeCache& code;
};

ExecutionChecker::ExecutionChecker(std::unique_ptr<Module> module, unsigned inputs) : inputs_(inputs) {
  Start(std::move(module));
}

void ExecutionChecker::Start(std::unique_ptr<Module> module) {
  version_ = nullptr;
  references_.clear();
  references_as_read_.clear();
  functions_.clear();
  header_.clear();
  if (module_ != nullptr) {
    for (const OwnedMachineFunction& function : module_->machine_functions()) code_.Forget(*function);
  }
  module_ = std::move(module);
  std::vector<OwnedMachineFunction> functions = std::exchange(module_->machine_functions(), {});
  WriteMir(*module_, {}, header_);
  module_->machine_functions() = std::move(functions);
  for (const OwnedMachineFunction& function : module_->machine_functions()) {
    functions_.emplace(function->name(), function.get());
  }
}

ExecutionChecker::~ExecutionChecker() = default;

void ExecutionChecker::Begin(const MachineFunction&) {
  references_.clear();
  version_ = nullptr;
  undecided_inputs_.clear();
}

std::unique_ptr<ExecutionChecker::Version> ExecutionChecker::Read(const MachineFunction& function) {
  std::string text = header_;
  WriteMirFunction(function, {}, text);
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module = ReadMir(std::make_shared<SourceBuffer>("", text), function.target(), diagnostics);
  if (module == nullptr || module->machine_functions().empty()) return nullptr;
  return std::make_unique<Version>(std::move(module), code_);
}

std::vector<const MachineFunction*> ExecutionChecker::FunctionsWith(const Version* version) const {
  std::vector<const MachineFunction*> functions;
  for (const OwnedMachineFunction& function : module_->machine_functions()) {
    const bool is_changed = version != nullptr && function->name() == version->function().name();
    functions.push_back(is_changed ? &version->function() : function.get());
  }
  return functions;
}

ReferenceRun& ExecutionChecker::Reference(const IrFunction& kernel, uint64_t seed, std::unique_ptr<ReferenceRun>& own) {
  References& references = version_ == nullptr ? references_as_read_ : references_;
  const auto found = references.find({kernel.id(), seed});
  if (found != references.end()) return *found->second;
  own = std::make_unique<ReferenceRun>(*module_, FunctionsWith(version_.get()), kernel, seed, &code_);
  ++num_runs_;
  if (version_ != nullptr || references.size() >= kMaxReferences) return *own;
  return *(references[{kernel.id(), seed}] = std::move(own));
}

std::string ExecutionChecker::Compare(const Version& after, const IrFunction& kernel, uint64_t seed,
                                      const PassInfo& pass, References& references) {
  const auto undecided = FindUndecided(kernel, seed);
  if (undecided != undecided_inputs_.end() && undecided->is_fault) {
    CountUndecided(undecided->why.kind);
    return {};
  }
  const std::vector<const MachineFunction*> functions = FunctionsWith(&after);
  std::unique_ptr<ReferenceRun> own;
  ReferenceRun& reference = Reference(kernel, seed, own);
  ReferenceRun::Verdict verdict = reference.Judge(
      functions, pass.may_change_rounding ? ptx::FloatTolerance::kRounding : ptx::FloatTolerance::kNone);
  if (!verdict.is_decided) {
    CountUndecided(verdict.undecided_because.kind);
    if (undecided == undecided_inputs_.end())
      undecided_inputs_.push_back({kernel.name, seed, !reference.ended_well(), std::move(verdict.undecided_because)});
    return {};
  }
  ++num_compared_;
  ++num_runs_;
  // The run after this pass also serves as the run before the next one, unless it took more steps than usual: the
  // number of steps could double with each pass.
  if (verdict.after.ended_early() && references.size() < kMaxReferences) {
    references[{kernel.id(), seed}] =
        std::make_unique<ReferenceRun>(*module_, functions, kernel, seed, std::move(verdict.after), &code_);
  }
  return std::move(verdict.difference);
}

std::vector<ExecutionChecker::UndecidedInput>::const_iterator ExecutionChecker::FindUndecided(const IrFunction& kernel,
                                                                                              uint64_t seed) const {
  return std::find_if(undecided_inputs_.begin(), undecided_inputs_.end(),
                      [&](const UndecidedInput& input) { return input.kernel == kernel.name && input.seed == seed; });
}

void ExecutionChecker::CountUndecided(ptx::FaultKind kind) {
  ++num_undecided_;
  const auto index = static_cast<size_t>(kind);
  if (index >= undecided_by_kind_.size()) undecided_by_kind_.resize(index + 1);
  ++undecided_by_kind_[index];
}

void ExecutionChecker::EmitRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks) {
  for (const UndecidedInput& input : undecided_inputs_) {
    remarks.Emit([&] {
      MachineRemark remark(RemarkKind::kAnalysis, kExecutionRemarks, "NothingDecided", function);
      remark << "kernel '" << RemarkArg("Kernel", input.kernel) << "' on input " << RemarkArg("Input", input.seed)
             << " decides nothing: " << RemarkArg("Fault", ptx::FaultKindName(input.why.kind)) << ": "
             << RemarkArg("Message", input.why.message);
      if (!input.why.instruction.empty()) {
        remark << ", at " << RemarkArg("Instruction", input.why.instruction) << " in "
               << RemarkArg("Function", input.why.function);
      }
      return remark;
    });
  }
}

bool ExecutionChecker::CheckModulePass(const Module& module, const std::string& before, const std::string& after,
                                       const PassInfo& pass, DiagnosticEngine& diagnostics) {
  std::string header;
  WriteMir(module, {}, header);
  // Both versions are read with the module after the pass, so that global values have the same ids in them, unless it
  // has other names, which the code before the pass does not know.
  const std::string& old_header = pass.renames_globals ? header_ : header;
  const TargetInfo& target = ptx::PtxTargetInfo();
  std::unique_ptr<Module> old_module =
      ReadMir(std::make_shared<SourceBuffer>("", old_header + before), target, diagnostics);
  std::unique_ptr<Module> new_module = ReadMir(std::make_shared<SourceBuffer>("", header + after), target, diagnostics);
  if (old_module == nullptr || new_module == nullptr) {
    diagnostics.Error(StrCat("after pass '", pass.name, "': the module cannot be read back, so it cannot be executed"));
    return false;
  }
  const auto functions_of = [](const Module& of) {
    std::vector<const MachineFunction*> functions;
    for (const OwnedMachineFunction& function : of.machine_functions()) functions.push_back(function.get());
    return functions;
  };
  const std::vector<const MachineFunction*> old_functions = functions_of(*old_module);
  const std::vector<const MachineFunction*> new_functions = functions_of(*new_module);
  for (const MachineFunction* function : old_functions) {
    const IrFunction* const kernel = FindIrFunction(*function);
    if (kernel == nullptr || !IsKernel(*old_module, *kernel)) continue;
    for (uint64_t seed = 0; seed < inputs_; ++seed) {
      ReferenceRun reference(*old_module, old_functions, *kernel, seed);
      num_runs_ += 2;
      const ReferenceRun::Verdict verdict = reference.Judge(new_functions, ptx::FloatTolerance::kNone);
      if (!verdict.is_decided) {
        CountUndecided(verdict.undecided_because.kind);
        continue;
      }
      ++num_compared_;
      if (verdict.difference.empty()) continue;
      diagnostics.Error(StrCat("pass '", pass.name, "' changed what kernel '", kernel->name, "' computes: on input ",
                               seed, ", ", verdict.difference));
      return false;
    }
  }
  Start(std::move(new_module));
  return true;
}

bool ExecutionChecker::Check(const MachineFunction& function, const PassInfo& pass, DiagnosticEngine& diagnostics) {
  if (!functions_.contains(function.name())) return true;
  std::unique_ptr<Version> after = Read(function);
  if (after == nullptr) {
    diagnostics.Error(StrCat("after pass '", pass.name, "': function '", function.name(),
                             "' cannot be read back, so it cannot be executed"));
    return false;
  }
  References references;
  for (const IrFunction* kernel : KernelsThatUse(*module_, function.name())) {
    for (uint64_t seed = 0; seed < inputs_; ++seed) {
      const std::string difference = Compare(*after, *kernel, seed, pass, references);
      if (difference.empty()) continue;
      diagnostics.Error(StrCat("pass '", pass.name, "' changed what function '", function.name(),
                               "' computes: in kernel '", kernel->name, "' on input ", seed, ", ", difference));
      return false;
    }
  }
  references_ = std::move(references);
  version_ = std::move(after);
  return true;
}

}  // namespace ptxmir
