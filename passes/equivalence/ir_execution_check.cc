// SPDX-License-Identifier: Apache-2.0

#include "passes/equivalence/ir_execution_check.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/str_cat.h"
#include "ir/ir_nvvm.h"
#include "ir/text/program_writer.h"
#include "passes/equivalence/reference_run.h"

namespace ptxmir {

namespace {

// Each run holds the memory of a device.
constexpr size_t kMaxKeptRuns = 16;

}  // namespace

struct IrExecutionChecker::Version {
  explicit Version(std::unique_ptr<Module> lowered) : module(std::move(lowered)) {}

  std::unique_ptr<Module> module;
  // By name of the kernel and seed.
  absl::flat_hash_map<std::pair<std::string_view, uint64_t>, std::unique_ptr<ReferenceRun>> runs;
};

IrExecutionChecker::IrExecutionChecker(Lowering lower, unsigned inputs) : lower_(std::move(lower)), inputs_(inputs) {}

IrExecutionChecker::~IrExecutionChecker() = default;

std::unique_ptr<IrExecutionChecker::Version> IrExecutionChecker::Lower(ir::Program& program,
                                                                       DiagnosticEngine& diagnostics) const {
  std::string text;
  ir::WriteProgram(program, &text);
  std::unique_ptr<Module> module = lower_(text, diagnostics);
  return module == nullptr ? nullptr : std::make_unique<Version>(std::move(module));
}

bool IrExecutionChecker::Begin(ir::Program& program, DiagnosticEngine& diagnostics) {
  version_ = Lower(program, diagnostics);
  return version_ != nullptr;
}

bool IrExecutionChecker::Check(ir::Program& program, std::string_view function, const PassInfo& pass,
                               DiagnosticEngine& diagnostics) {
  DiagnosticEngine lowering;
  std::unique_ptr<Version> after = Lower(program, lowering);
  if (after == nullptr) {
    diagnostics.Error(
        StrCat("after pass '", pass.name, "': the program cannot be executed any more:\n", lowering.ToString()));
    return false;
  }
  const Module& before = *version_->module;
  std::vector<const IrFunction*> kernels;
  if (!function.empty()) {
    kernels = KernelsThatUse(before, function);
  } else {
    for (const IrFunction& each : before.functions()) {
      if (each.is_definition() && IsKernel(before, each)) kernels.push_back(&each);
    }
  }
  for (const IrFunction* const kernel : kernels) {
    for (uint64_t seed = 0; seed < inputs_; ++seed) {
      const std::string difference = Compare(*version_, *after, *kernel, seed, pass);
      if (difference.empty()) continue;
      diagnostics.Error(StrCat("pass '", pass.name, "' changed what ",
                               function.empty() ? "" : StrCat("function '", function, "' computes: in "), "kernel '",
                               kernel->name, function.empty() ? "' computes: on input " : "' on input ", seed, ", ",
                               difference));
      return false;
    }
  }
  version_ = std::move(after);
  return true;
}

std::string IrExecutionChecker::Compare(Version& before, Version& after, const IrFunction& kernel, uint64_t seed,
                                        const PassInfo& pass) {
  const IrFunction* const same_kernel = after.module->FindFunction(kernel.name);
  if (same_kernel == nullptr || same_kernel->is_declaration()) return "it is gone";
  std::unique_ptr<ReferenceRun>& run = before.runs[{kernel.name, seed}];
  if (run == nullptr) run = std::make_unique<ReferenceRun>(*before.module, FunctionsOf(*before.module), kernel, seed);
  ReferenceRun::Verdict verdict =
      run->JudgeOther(*after.module, *same_kernel,
                      pass.may_change_rounding ? ptx::FloatTolerance::kRounding : ptx::FloatTolerance::kNone);
  if (!verdict.is_decided) {
    ++num_undecided_;
    return {};
  }
  ++num_compared_;
  if (verdict.difference.empty() && verdict.after.ended_early() && after.runs.size() < kMaxKeptRuns) {
    after.runs[{same_kernel->name, seed}] = std::make_unique<ReferenceRun>(
        *after.module, FunctionsOf(*after.module), *same_kernel, seed, std::move(verdict.after));
  }
  return std::move(verdict.difference);
}

}  // namespace ptxmir
