// SPDX-License-Identifier: Apache-2.0

// -verify-exec: after every pass, what the function computes is compared with what it computed before.
//
// Each kernel that the changed function is or that the module calls it from is run in the interpreter, before and
// after, on generated inputs, and must compute the same (passes/equivalence/reference_run.h): bit by bit where the
// memory of before is defined, but for passes that the pass table says may change rounding.
//
// The two versions of the function stand among the other functions as they were read. The function after a pass is
// written as MIR and read back, so that what is run is what the text says.

#ifndef PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_
#define PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/machine_opt_remark_emitter.h"
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
  // `module`: the input as it was read, for the checker alone. `inputs`: launches of each kernel.
  ExecutionChecker(std::unique_ptr<Module> module, unsigned inputs);
  ~ExecutionChecker();

  // To be called before the first pass over a function.
  void Begin(const MachineFunction& function);
  // To be called after a pass that changed the function. False when a difference was found and reported.
  bool Check(const MachineFunction& function, const PassInfo& pass, DiagnosticEngine& diagnostics);

  // To be called behind the last pass: on which inputs kernels decided nothing, and why.
  void EmitRemarks(const MachineFunction& function, MachineOptRemarkEmitter& remarks);

  // Comparisons of runs so far, and runs that decided nothing.
  uint64_t num_compared() const { return num_compared_; }
  uint64_t num_undecided() const { return num_undecided_; }
  // Times that kernels were run for these. What ran after a pass is what ran before the next one.
  uint64_t num_runs() const { return num_runs_; }
  // The latter by what went wrong before the pass; index: FaultKind (kNone: the launch was impossible).
  const std::vector<uint64_t>& undecided_by_kind() const { return undecided_by_kind_; }

 private:
  struct Version;  // of the function: a module that holds it alone
  struct UndecidedInput {
    std::string_view kernel;
    uint64_t seed;
    bool is_fault;  // of the kernel, whatever passes do; otherwise a difference that the order of threads explains
    ptx::Fault why;
  };

  // Runs of kernels, by the kernel's id and the seed of the input. Few are kept: each has the memory of a device.
  using References = absl::flat_hash_map<std::pair<GlobalId, uint64_t>, std::unique_ptr<ReferenceRun>>;

  std::unique_ptr<Version> Read(const MachineFunction& function);
  // The module's functions as they were read, but for one. null: that one as well.
  std::vector<const MachineFunction*> FunctionsWith(const Version* version) const;
  // The run of the version at hand.
  ReferenceRun& Reference(const IrFunction& kernel, uint64_t seed, std::unique_ptr<ReferenceRun>& own);
  // What differs, or an empty string.
  std::string Compare(const Version& after, const IrFunction& kernel, uint64_t seed, const PassInfo& pass,
                      References& references);
  std::vector<UndecidedInput>::const_iterator FindUndecided(const IrFunction& kernel, uint64_t seed) const;
  void CountUndecided(ptx::FaultKind kind);

  std::unique_ptr<Module> module_;
  unsigned inputs_;
  ptx::CodeCache code_;  // of what runs now and later: versions take theirs out when they go
  std::string header_;   // the module without its functions, as text
  absl::flat_hash_map<std::string_view, const MachineFunction*> functions_;  // as read, by name
  std::unique_ptr<Version> version_;  // of the function at hand; null: as it was read
  References references_as_read_;
  References references_;  // of the version at hand, if it is not as it was read
  uint64_t num_compared_ = 0;
  uint64_t num_undecided_ = 0;
  uint64_t num_runs_ = 0;
  std::vector<uint64_t> undecided_by_kind_;
  std::vector<UndecidedInput> undecided_inputs_;  // since Begin
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_EXECUTION_CHECK_H_
