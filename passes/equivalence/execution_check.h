// SPDX-License-Identifier: Apache-2.0

// -verify-exec: compares, after every pass, what a function computes with what it computed before the pass.
//
// The affected kernels are the changed function itself, if it is one, and those from which the module calls it.
// Each is run in the interpreter with both versions, on generated inputs, and must compute the same
// (passes/equivalence/reference_run.h). Memory that the first version defines must match bit by bit, except after
// passes that may change rounding according to the pass table.
//
// Each version of the function runs together with the other functions as they were read. The function after a pass
// is written as MIR and read back, so the version that runs is the one that the text describes.

#ifndef PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_
#define PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/diagnostics.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/equivalence/reference_run.h"
#include "passes/pass_info.h"
#include "ptx/interpreter/code/code_cache.h"
#include "ptx/interpreter/values/fault.h"

namespace ptxmir {

inline constexpr std::string_view kExecutionRemarks = "verify-exec";

class ExecutionChecker {
 public:
  // `module` is the input as it was read, for the checker's exclusive use. `inputs` is the number of launches of
  // each kernel.
  ExecutionChecker(std::unique_ptr<Module> module, unsigned inputs);
  ~ExecutionChecker();

  // Starts checking a function. To be called before the first pass over it.
  void Begin(const MachineFunction& function);
  // Compares the function with its previous version. To be called after a pass that changed it. Returns false if a
  // difference was found and reported.
  bool Check(const MachineFunction& function, const PassInfo& pass, DiagnosticEngine& diagnostics);

  // Compares all kernels before and after a pass over the whole module. `module` is the module after the pass, without
  // its machine functions; the texts are its functions as MIR. From then on, functions are compared with what they are
  // after the pass. Returns false if a difference was found and reported.
  bool CheckModulePass(const Module& module, const std::string& before, const std::string& after, const PassInfo& pass,
                       DiagnosticEngine& diagnostics);

  // Reports the inputs on which kernels decided nothing, and why. To be called after the last pass.
  void EmitRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks);

  // Return the number of comparisons of runs so far, and the number of runs that decided nothing.
  uint64_t num_compared() const { return num_compared_; }
  uint64_t num_undecided() const { return num_undecided_; }
  // Returns how many times kernels were run for these comparisons. The run after one pass also serves as the run
  // before the next one.
  uint64_t num_runs() const { return num_runs_; }
  // Returns the undecided runs by what went wrong before the pass, indexed by FaultKind (kNone: the launch was
  // impossible).
  const std::vector<uint64_t>& undecided_by_kind() const { return undecided_by_kind_; }

 private:
  struct Version;  // a version of the function: a module that contains only the function
  struct UndecidedInput {
    std::string_view kernel;
    uint64_t seed;
    bool is_fault;  // a fault of the kernel that no pass affects; otherwise a difference that the order of threads
                    // explains
    ptx::Fault why;
  };

  // Runs of kernels, keyed by the kernel's id and the seed of the input. Only a few are kept, because each holds
  // the memory of a device.
  using References = absl::flat_hash_map<std::pair<GlobalId, uint64_t>, std::unique_ptr<ReferenceRun>>;

  // Makes `module` the input.
  void Start(std::unique_ptr<Module> module);
  std::unique_ptr<Version> Read(const MachineFunction& function);
  // Returns the module's functions as they were read, except the one in `version`. If null, that one is as it was
  // read too.
  std::vector<const MachineFunction*> FunctionsWith(const Version* version) const;
  // Returns the run of the current version, from a cache or by running the kernel. A run that is not cached is
  // owned by `own`.
  ReferenceRun& Reference(const IrFunction& kernel, uint64_t seed, std::unique_ptr<ReferenceRun>& own);
  // Returns a description of the difference, or an empty string if there is none.
  std::string Compare(const Version& after, const IrFunction& kernel, uint64_t seed, const PassInfo& pass,
                      References& references);
  std::vector<UndecidedInput>::const_iterator FindUndecided(const IrFunction& kernel, uint64_t seed) const;
  void CountUndecided(ptx::FaultKind kind);

  std::unique_ptr<Module> module_;
  unsigned inputs_;
  ptx::CodeCache code_;  // the code of current and later versions; a version removes its code when it is destroyed
  std::string header_;   // the module without its functions, as text
  absl::flat_hash_map<std::string_view, const MachineFunction*> functions_;  // as read, by name
  std::unique_ptr<Version> version_;  // the current version of the function; null if it is as it was read
  References references_as_read_;
  References references_;  // runs of the current version, unless it is as it was read
  uint64_t num_compared_ = 0;
  uint64_t num_undecided_ = 0;
  uint64_t num_runs_ = 0;
  std::vector<uint64_t> undecided_by_kind_;
  std::vector<UndecidedInput> undecided_inputs_;  // since Begin
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_
