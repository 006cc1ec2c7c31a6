// SPDX-License-Identifier: Apache-2.0

// Runs arbitrary kernels on generated inputs (ptx/interpreter/kernel_inputs.h), to compare versions of a function
// and to count the instructions that they execute.

#ifndef PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_
#define PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/code_cache.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/kernel_inputs.h"

namespace ptxmir {

// The factor by which a transformed kernel may exceed the step limit of the original. Passes may add steps, but
// not arbitrarily many.
inline constexpr uint64_t kStepFactorOfChanged = 4;

struct GeneratedRun {
  std::unique_ptr<ptx::Device> device;  // holds the memory as the kernel left it; null if no device could be created
  absl::StatusOr<ptx::LaunchResult> result = absl::UnknownError("not run");
  uint64_t usual_steps = 0;     // the step limit of a launch before any pass
  ptx::LaunchStyle style = {};  // the style of the input

  bool ended_well() const { return result.ok() && !result->fault.is_fault(); }
  // Returns true if the run ended well and would have done so within the usual number of steps. Some steps, such
  // as PHIs, are not instructions and are not counted; they are assumed to be as many as the others.
  bool ended_early() const { return ended_well() && 2 * result->counts.warp_instructions <= usual_steps; }
};

struct GeneratedRunSettings {
  uint64_t step_factor = 1;  // the factor by which it may exceed the usual number of steps
  ptx::ThreadOrder order = {};
  // The style of the input. If not set, the first style with which the kernel ends well is used, or the default if
  // there is none.
  std::optional<ptx::LaunchStyle> style = std::nullopt;
  ptx::CodeCache* code = nullptr;  // as in ptx::Device::Create
  // Whether a data race, and a store of undefined bits to global memory, is a fault.
  bool is_strict = false;
  bool detect_races = true;                  // as in ptx::LaunchConfig; without, runs are faster
  ptx::ExecutedByInstr* executed = nullptr;  // as in ptx::LaunchConfig
};

// Returns the module's machine functions, in order.
std::vector<const MachineFunction*> FunctionsOf(const Module& module);

// Runs `kernel` on the input generated from `seed`. Unless the settings are strict, a data race does not stop the run;
// the result names it. `functions` are the module's machine functions in the versions to run. Two versions get the
// same input if the settings of the second name the style of the first.
GeneratedRun RunOnGeneratedInput(const Module& module, absl::Span<const MachineFunction* const> functions,
                                 const IrFunction& kernel, uint64_t seed, const GeneratedRunSettings& settings = {});

// Returns how the second run differs from the first, which ended well, or an empty string if it does not.
std::string DifferenceOf(const GeneratedRun& first, const GeneratedRun& second, ptx::FloatTolerance tolerance);

struct ExecutedCounts {
  uint64_t before = 0;  // thread instructions
  uint64_t after = 0;
  uint64_t warps_before = 0;  // instructions of warps: one for all threads that execute it together
  uint64_t warps_after = 0;
  unsigned launches = 0;   // launches that ended well in both versions
  unsigned undecided = 0;  // the other launches
};

// Counts what a kernel executes in two versions of a module, each with its own machine functions, on `launches`
// inputs. If `executed` is not null, what the version after executes is added to it by instruction.
ExecutedCounts CountExecuted(const Module& before, const Module& after, std::string_view kernel, unsigned launches,
                             ptx::ExecutedByInstr* executed = nullptr);

// Returns the number of thread instructions that a kernel of the module executes on one input, or 0 if it does not end
// well. If `style` is not set, it becomes the style of the input, for runs of other versions of the kernel.
uint64_t CountExecuted(const Module& module, std::string_view kernel, std::optional<ptx::LaunchStyle>& style);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_GENERATED_RUN_H_
