// SPDX-License-Identifier: Apache-2.0

// -autotune=ptxas: chooses the knobs of each kernel by the result of ptxas.
//
// No set of knobs is the best for all kernels. And ptxas repeats allocation and scheduling, so its result cannot
// be predicted. The tuner therefore compiles the module once under each of a few option sets (option_sets.h) and
// runs ptxas on each result. Each kernel gets the set that is best by these criteria, in this order:
//
//   1. the most warps resident on an SM (registers and shared memory, by ptx/target/occupancy.h),
//   2. the fewest bytes spilled: stores and loads, those of ptxas and ours,
//   3. the fewest instructions executed, on generated inputs in the interpreter, if it can execute the kernel,
//   4. the fewest registers; and otherwise the first set, so that a set without effect is not chosen.
//
// Functions that are not kernels are always compiled under the default set. The result of ptxas for a kernel
// depends on its callees, so otherwise the figures of one kernel would depend on the choice for another. Finally
// the tuner runs ptxas on the module with all choices. If a kernel is then worse than under the set that does
// nothing (for all functions, kernels or not), that set is used for everything. So no kernel is ever worse than
// without any pass.

#ifndef PTXMIR_TOOLS_AUTOTUNE_H_
#define PTXMIR_TOOLS_AUTOTUNE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/diagnostics.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "compiler/option_sets.h"
#include "ir/module.h"
#include "passes/pipeline/pipeline.h"
#include "tools/support/ptxas.h"

namespace ptxmir {

class Autotuner {
 public:
  // The options must outlive the tuner.
  Autotuner(const DriverOptions& options, const Pipeline& pipeline);
  ~Autotuner();

  // Makes the choice. Returns false after an error was reported. If ptxas rejects the module, reports a warning
  // and chooses nothing.
  bool Run();

  // Returns the input after it was read.
  const std::shared_ptr<const SourceBuffer>& input() const { return input_; }
  // Returns the knobs with which the function is to be compiled.
  const Knobs* KnobsOf(const MachineFunction& function) const;
  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  // Returns a line for each kernel: the choice, and the result of ptxas for it, for the default and for doing
  // nothing.
  std::string Report() const;

 private:
  static constexpr size_t kDefaultSet = 0;
  static constexpr size_t kNothingSet = 1;

  // The module compiled under one option set.
  struct Trial {
    std::unique_ptr<Compilation> compilation;
    std::string ptx;
    absl::StatusOr<PtxasReport> report = absl::UnknownError("not asked");
    size_t same_as = 0;  // the first trial with the same PTX
    bool is_usable() const { return report.ok(); }
  };
  struct Kernel {
    std::string name;      // the name in MIR
    std::string ptx_name;  // the name in PTX
    size_t index = 0;      // its index among the functions of the module, in every trial
    unsigned threads = 0;  // the size of a CTA
    size_t chosen = kDefaultSet;
  };
  // The criteria, in order of priority.
  struct Score {
    unsigned warps = 0;
    uint64_t spill_bytes = 0;  // by ptxas and by the passes
    uint64_t executed = 0;     // 0: not known
    unsigned registers = 0;
  };

  bool ReadInput();
  // Compiles the module. `knobs_of` returns the knobs of each function.
  std::unique_ptr<Compilation> Compile(std::function<const Knobs*(const MachineFunction&)> knobs_of);
  bool CompileTrials();
  void FindKernels();
  // Runs ptxas on each distinct PTX text, on several threads.
  void JudgeTrials(const Ptxas& ptxas);
  absl::StatusOr<Ptxas> FindPtxas() const;
  void Choose(Kernel& kernel);
  // Returns the result of ptxas for a kernel of `compilation`, or nullopt if the report does not have it.
  std::optional<Score> ScoreOf(const Kernel& kernel, const Compilation& compilation, const PtxasReport& report) const;
  static const MachineFunction& FunctionOf(const Kernel& kernel, const Compilation& compilation);
  // Returns the number of instructions that a kernel executes in the trial, or 0 if the interpreter cannot tell.
  uint64_t Executed(const Kernel& kernel, const Trial& trial);
  void ConfirmChoice(const Ptxas& ptxas);
  std::string Figures(const Kernel& kernel, size_t set) const;

  const DriverOptions& options_;
  DriverOptions trial_options_;  // without output and checks around a compilation
  const CompilationPlan trial_plan_;
  DiagnosticEngine diagnostics_;
  std::shared_ptr<const SourceBuffer> input_;
  std::vector<OptionSet> sets_;
  std::vector<Knobs> knobs_;  // indexed by set
  std::vector<Trial> trials_;
  std::vector<Kernel> kernels_;
  absl::flat_hash_map<std::string, size_t> kernel_by_name_;
  std::unique_ptr<Module> input_module_;  // for Executed; read when it is first needed
  bool does_nothing_ = false;             // true: the set that does nothing is used for all functions
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_AUTOTUNE_H_
