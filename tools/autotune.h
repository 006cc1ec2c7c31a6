// SPDX-License-Identifier: Apache-2.0

// -autotune=ptxas: chooses the knobs of each kernel by the result of ptxas.
//
// No set of knobs is the best for all kernels. And ptxas repeats allocation and scheduling, so its result cannot
// be predicted. The tuner therefore compiles the module once under each of a few option sets (option_sets.h) and
// asks ptxas about the versions of each kernel. Each kernel gets the set that is best by these criteria, in this order:
//
//   1. the most warps resident on an SM (registers and shared memory, by ptx/target/occupancy.h),
//   2. the fewest bytes spilled: stores and loads, those of ptxas and ours,
//   3. the fewest instructions executed, on generated inputs in the interpreter, if it can execute all versions,
//   4. the fewest registers; and otherwise the first set, so that a set without effect is not chosen.
//
// ptxas is the most expensive part. It gets one kernel at a time, on all cores, each distinct text once, and no version
// that cannot be the best (tuning_search.h). A kernel's PTX contains no other kernel, but all functions of the module.
//
// Functions that are not kernels are always compiled under the default set. The result of ptxas for a kernel
// depends on its callees, so otherwise the figures of one kernel would depend on the choice for another. If there are
// any, the tuner finally runs ptxas on the module with all choices, and on the module under the set that does nothing,
// functions included. If a kernel is worse with the former, that set is used for everything. So no kernel is ever worse
// than without any pass.

#ifndef PTXMIR_TOOLS_AUTOTUNE_H_
#define PTXMIR_TOOLS_AUTOTUNE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/diagnostics.h"
#include "compiler/compilation.h"
#include "compiler/driver_options.h"
#include "compiler/option_sets.h"
#include "passes/pipeline/pipeline.h"
#include "tools/explore/ptxas_rows.h"
#include "tools/support/ptxas.h"
#include "tools/tuning_search.h"

namespace ptxmir {

class Autotuner {
 public:
  // The options must outlive the tuner.
  Autotuner(const DriverOptions& options, const Pipeline& pipeline);
  ~Autotuner();

  // Makes the choice. Returns false after an error was reported. If ptxas rejects a kernel, reports a warning and
  // chooses nothing for it.
  bool Run();

  // Returns the input after it was read.
  const std::shared_ptr<const SourceBuffer>& input() const { return input_; }
  // Returns the knobs with which the function is to be compiled.
  const Knobs* KnobsOf(const MachineFunction& function) const;
  const DiagnosticEngine& diagnostics() const { return diagnostics_; }
  // Returns a line for each kernel: the choice, the result of ptxas for it and for the default, and how many versions
  // ptxas was asked about; and a line with the processor time of ptxas and of everything else so far.
  std::string Report() const;
  // Returns what ptxas has made of each kernel under each option set that it was asked about.
  std::vector<PtxasRow> Rows() const;

 private:
  static constexpr size_t kDefaultSet = 0;
  static constexpr size_t kNothingSet = 1;

  // The module compiled under one option set.
  struct Trial {
    std::unique_ptr<Compilation> compilation;
    std::mutex mutex;  // guards the module while text is made of it
  };
  struct Kernel {
    std::string name;      // the name in MIR
    std::string ptx_name;  // the name in PTX
    size_t index = 0;      // its index among the functions of the module, in every trial
    unsigned threads = 0;  // the size of a CTA
    size_t chosen = kDefaultSet;
    std::vector<std::string> texts = {};  // the PTX of each version
    std::optional<TuningSearch> search = std::nullopt;
    unsigned num_in_flight = 0;  // runs of ptxas
    // The shared memory that it needs under every set: the least of the versions without spill slots, or 0.
    std::optional<uint32_t> shared_bytes = std::nullopt;
    std::string refusal = {};  // the message of ptxas about the first version that it does not accept
  };

  // Compiles the module. `knobs_of` returns the knobs of each function.
  std::unique_ptr<Compilation> Compile(std::function<const Knobs*(const MachineFunction&)> knobs_of);
  bool CompileTrials();
  void FindKernels();
  // Finds the distinct versions of the kernel, and what is known of them before ptxas is asked.
  void FindVersions(Kernel& kernel);
  // Returns the PTX of the kernel and of all functions that are not kernels.
  std::string TextOf(const Kernel& kernel, Trial& trial);
  // Runs ptxas on the versions of all kernels, on several threads.
  void Search(const Ptxas& ptxas);
  // Takes a version to ask about, of a kernel that nothing is being asked about if there is one.
  struct Question {
    Kernel* kernel;
    size_t version;
  };
  std::optional<Question> TakeQuestion();
  void Answer(const Question& question, const absl::StatusOr<PtxasReport>& report);
  unsigned WarpsOf(const Kernel& kernel, const PtxasFigures& figures) const;
  void ConfirmChoice(const Ptxas& ptxas);
  std::string Figures(const Kernel& kernel, size_t set) const;
  // Calls `work` with 0, 1, ... `count - 1`, on several threads.
  void InParallel(size_t count, const std::function<void(size_t)>& work) const;
  int NumThreads() const;
  static const MachineFunction& FunctionOf(const Kernel& kernel, const Compilation& compilation);

  const DriverOptions& options_;
  DriverOptions trial_options_;  // without output and checks around a compilation
  const CompilationPlan trial_plan_;
  DiagnosticEngine diagnostics_;
  std::shared_ptr<const SourceBuffer> input_;
  std::vector<OptionSet> sets_;
  std::vector<Knobs> knobs_;  // indexed by set
  std::vector<std::unique_ptr<Trial>> trials_;
  std::vector<Kernel> kernels_;
  absl::flat_hash_map<std::string, size_t> kernel_by_name_;
  bool does_nothing_ = false;  // true: the set that does nothing is used for all functions
};

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_AUTOTUNE_H_
