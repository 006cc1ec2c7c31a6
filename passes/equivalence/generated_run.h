// SPDX-License-Identifier: Apache-2.0

// Running kernels that nobody has described: on generated inputs (ptx/interpreter/kernel_inputs.h), for comparing
// and counting what versions of a function do.

#ifndef PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_
#define PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/code_cache.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/kernel_inputs.h"

namespace ptxmir {

// What passes make of a kernel may take more steps than the kernel, but not any number of them.
inline constexpr uint64_t kStepFactorOfChanged = 4;

struct GeneratedRun {
  std::unique_ptr<ptx::Device> device;  // with the memory as the kernel left it; null when there could be none
  absl::StatusOr<ptx::LaunchResult> result = absl::UnknownError("not run");
  uint64_t usual_steps = 0;     // what a launch may take before any pass
  ptx::LaunchStyle style = {};  // of the input

  bool ended_well() const { return result.ok() && !result->fault.is_fault(); }
  // Whether it did, and would have with no more steps than are usual. Some steps are no instructions and not counted
  // (PHIs): these are taken to be as many as the others.
  bool ended_early() const { return ended_well() && 2 * result->counts.warp_instructions <= usual_steps; }
};

struct GeneratedRunSettings {
  uint64_t step_factor = 1;    // how many times the usual number of steps it may take
  bool reverse_order = false;  // as in ptx::LaunchConfig
  // Of the input. Unless set: the first that has the kernel end well, or the default where none has.
  std::optional<ptx::LaunchStyle> style = std::nullopt;
  ptx::CodeCache* code = nullptr;  // as in ptx::Device::Create
};

// Runs `kernel` on the input with that seed, through data races, which the result names. `functions`: the module's
// machine functions in the versions to run. Two versions get the same input where the settings of the second name the
// first one's style.
GeneratedRun RunOnGeneratedInput(const Module& module, absl::Span<const MachineFunction* const> functions,
                                 const IrFunction& kernel, uint64_t seed, const GeneratedRunSettings& settings = {});

struct ExecutedCounts {
  uint64_t before = 0;  // instructions of threads
  uint64_t after = 0;
  unsigned launches = 0;   // that ended well in both versions
  unsigned undecided = 0;  // the others
};

// What a kernel executes in two versions of a module, each with its machine functions, on `launches` inputs.
ExecutedCounts CountExecuted(const Module& before, const Module& after, std::string_view kernel, unsigned launches);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_
