#include "passes/generated_run.h"

#include <utility>

#include "ptx/interpreter/kernel_inputs.h"

namespace ptxmir {

GeneratedRun RunOnGeneratedInput(const Module& module, absl::Span<const MachineFunction* const> functions,
                                 const IrFunction& kernel, uint64_t seed, uint64_t step_factor) {
  GeneratedRun run;
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::Device::Create(module, functions);
  if (!device.ok()) {
    run.result = device.status();
    return run;
  }
  run.device = *std::move(device);
  ptx::GeneratedLaunch launch = ptx::GenerateLaunch(*run.device, module, kernel, seed);
  launch.config.max_steps *= step_factor;
  run.result = run.device->Launch(launch.config, launch.arguments);
  return run;
}

ExecutedCounts CountExecuted(const Module& before_module, absl::Span<const MachineFunction* const> before,
                             const Module& after_module, absl::Span<const MachineFunction* const> after,
                             std::string_view kernel, unsigned launches) {
  ExecutedCounts counts;
  const IrFunction* before_kernel = before_module.FindFunction(kernel);
  const IrFunction* after_kernel = after_module.FindFunction(kernel);
  if (before_kernel == nullptr || after_kernel == nullptr) return counts;
  for (uint64_t seed = 0; seed < launches; ++seed) {
    const GeneratedRun first = RunOnGeneratedInput(before_module, before, *before_kernel, seed);
    if (!first.ended_well()) {
      ++counts.undecided;
      continue;
    }
    const GeneratedRun second = RunOnGeneratedInput(after_module, after, *after_kernel, seed, kStepFactorOfChanged);
    if (!second.ended_well()) {
      ++counts.undecided;
      continue;
    }
    ++counts.launches;
    counts.before += first.result->counts.thread_instructions;
    counts.after += second.result->counts.thread_instructions;
  }
  return counts;
}

}  // namespace ptxmir
