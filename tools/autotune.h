// SPDX-License-Identifier: Apache-2.0

// -autotune=ptxas: chooses the knobs of each kernel by what ptxas makes of it.
//
// No set of knobs is the best for all kernels, and ptxas, which allocates and schedules anew, is not foreseeable. So
// the module is compiled once under each of a few option sets (option_sets.h), ptxas is asked about each, and each
// kernel gets the set after which
//
//   1. the most warps are resident on an SM (registers and shared memory, by ptx/target/occupancy.h),
//   2. the fewest bytes are spilled: stores and loads, ptxas's and ours,
//   3. the fewest instructions are executed, on generated inputs in the interpreter, where it can say,
//   4. the fewest registers are used; and else the first, so that what changes nothing is not chosen for nothing.
//
// Functions that are no kernels are compiled under the default set throughout: what ptxas gives a kernel depends on
// what it calls, and so the figures of one kernel do not depend on what is chosen for another. The module with all
// choices is put to ptxas as well. Where a kernel is then worse than under the set that does nothing, which does
// nothing for functions either, that set is taken for all. So no kernel is ever worse than without any pass.

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

  // Chooses. False: an error was reported. Where ptxas refuses the module, a warning says so and nothing is chosen.
  bool Run();

  // The input, read.
  const std::shared_ptr<const SourceBuffer>& input() const { return input_; }
  // The knobs to compile the function with.
  const Knobs* KnobsOf(const MachineFunction& function) const;
  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  // A line for each kernel: what was chosen, and what ptxas gives it there, under the default and with nothing done.
  std::string Report() const;

 private:
  static constexpr size_t kDefaultSet = 0;
  static constexpr size_t kNothingSet = 1;

  // The module under one option set.
  struct Trial {
    std::unique_ptr<Compilation> compilation;
    std::string ptx;
    absl::StatusOr<PtxasReport> report = absl::UnknownError("not asked");
    size_t same_as = 0;  // the first trial with the same PTX
    bool is_usable() const { return report.ok(); }
  };
  struct Kernel {
    std::string name;      // in MIR
    std::string ptx_name;  // in PTX
    size_t index = 0;      // among the functions of the module, in every trial
    unsigned threads = 0;  // of a CTA
    size_t chosen = kDefaultSet;
  };
  // What is compared, in this order.
  struct Score {
    unsigned warps = 0;
    uint64_t spill_bytes = 0;  // ptxas's and those of the passes
    uint64_t executed = 0;     // 0: not known
    unsigned registers = 0;
  };

  bool ReadInput();
  // Compiles the module with the knobs that `knobs_of` gives each function.
  std::unique_ptr<Compilation> Compile(std::function<const Knobs*(const MachineFunction&)> knobs_of);
  bool CompileTrials();
  void FindKernels();
  // Asks ptxas about each of the PTX texts, on several threads.
  void JudgeTrials(const Ptxas& ptxas);
  absl::StatusOr<Ptxas> FindPtxas() const;
  void Choose(Kernel& kernel);
  // What ptxas says of a kernel that came from `compilation`; nullopt where it says nothing.
  std::optional<Score> ScoreOf(const Kernel& kernel, const Compilation& compilation, const PtxasReport& report) const;
  static const MachineFunction& FunctionOf(const Kernel& kernel, const Compilation& compilation);
  // What a kernel executes in the trial; 0 where the interpreter cannot say.
  uint64_t Executed(const Kernel& kernel, const Trial& trial);
  void ConfirmChoice(const Ptxas& ptxas);
  std::string Figures(const Kernel& kernel, size_t set) const;

  const DriverOptions& options_;
  DriverOptions trial_options_;  // without what is shown and checked around a compilation
  const CompilationPlan trial_plan_;
  DiagnosticEngine diagnostics_;
  std::shared_ptr<const SourceBuffer> input_;
  std::vector<OptionSet> sets_;
  std::vector<Knobs> knobs_;  // by set
  std::vector<Trial> trials_;
  std::vector<Kernel> kernels_;
  absl::flat_hash_map<std::string, size_t> kernel_by_name_;
  std::unique_ptr<Module> input_module_;  // for Executed; read when it is first needed
  bool does_nothing_ = false;             // for all functions
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_AUTOTUNE_H_
