// SPDX-License-Identifier: Apache-2.0

#include "passes/equivalence/generated_run.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/interpreter/values/fault.h"

namespace ptxmir {
namespace {

GeneratedRun Run(const Module& module, absl::Span<const MachineFunction* const> functions, const IrFunction& kernel,
                 uint64_t seed, const GeneratedRunSettings& settings, const ptx::LaunchStyle& style) {
  GeneratedRun run;
  run.style = style;
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(module, functions, settings.code);
  if (!device.ok()) {
    run.result = device.status();
    return run;
  }
  run.device = *std::move(device);
  ptx::GeneratedLaunch launch = ptx::GenerateLaunch(*run.device, module, kernel, seed, style);
  run.usual_steps = launch.config.max_steps;
  launch.config.max_steps *= settings.step_factor;
  launch.config.stop_at_races = settings.is_strict;
  launch.config.stop_at_undefined_stores = settings.is_strict;
  launch.config.check_stated_alignments = true;
  launch.config.order = settings.order;
  launch.config.detect_races = settings.detect_races;
  launch.config.executed = settings.executed;
  run.result = run.device->Launch(launch.config, launch.arguments);
  return run;
}

ptx::FaultKind KindOfFault(const GeneratedRun& run) {
  return run.result.ok() ? run.result->fault.kind : ptx::FaultKind::kNone;
}

}  // namespace

std::vector<const MachineFunction*> FunctionsOf(const Module& module) {
  std::vector<const MachineFunction*> functions;
  for (const auto& function : module.machine_functions()) functions.push_back(function.get());
  return functions;
}

GeneratedRun RunOnGeneratedInput(const Module& module, absl::Span<const MachineFunction* const> functions,
                                 const IrFunction& kernel, uint64_t seed, const GeneratedRunSettings& settings) {
  if (settings.style.has_value()) return Run(module, functions, kernel, seed, settings, *settings.style);
  std::optional<GeneratedRun> first;
  for (const bool is_long : {false, true}) {
    bool has_exceeded = false;
    for (std::optional<ptx::LaunchStyle> style = ptx::LaunchStyle{.is_long = is_long}; style.has_value();) {
      GeneratedRun run = Run(module, functions, kernel, seed, settings, *style);
      if (run.ended_well()) return run;
      const ptx::FaultKind fault = KindOfFault(run);
      has_exceeded |= fault == ptx::FaultKind::kStepLimit;
      style = NextStyle(*style, fault);
      if (!first.has_value()) first = std::move(run);
    }
    if (!has_exceeded) break;
  }
  return *std::move(first);
}

std::string DifferenceOf(const GeneratedRun& first, const GeneratedRun& second, ptx::FloatTolerance tolerance) {
  if (!second.result.ok()) return std::string(second.result.status().message());
  if (second.result->fault.is_fault()) return second.result->fault.ToString();
  if (first.result->printed != second.result->printed) {
    return StrCat("it prints '", second.result->printed, "', and printed '", first.result->printed, "'");
  }
  if (second.result->race.is_fault() && !first.result->race.is_fault()) return second.result->race.ToString();
  return FirstDifference(*first.device, *second.device, tolerance);
}

ExecutedCounts CountExecuted(const Module& before, const Module& after, std::string_view kernel, unsigned launches,
                             ptx::ExecutedByInstr* executed) {
  ExecutedCounts counts;
  const IrFunction* before_kernel = before.FindFunction(kernel);
  const IrFunction* after_kernel = after.FindFunction(kernel);
  if (before_kernel == nullptr || after_kernel == nullptr) return counts;
  const std::vector<const MachineFunction*> functions_before = FunctionsOf(before);
  const std::vector<const MachineFunction*> functions_after = FunctionsOf(after);
  for (uint64_t seed = 0; seed < launches; ++seed) {
    const GeneratedRun first = RunOnGeneratedInput(before, functions_before, *before_kernel, seed);
    if (!first.ended_well()) {
      ++counts.undecided;
      continue;
    }
    ptx::ExecutedByInstr executed_now;
    const GeneratedRun second = RunOnGeneratedInput(after, functions_after, *after_kernel, seed,
                                                    {.step_factor = kStepFactorOfChanged,
                                                     .style = first.style,
                                                     .executed = executed == nullptr ? nullptr : &executed_now});
    if (!second.ended_well()) {
      ++counts.undecided;
      continue;
    }
    ++counts.launches;
    counts.before += first.result->counts.thread_instructions;
    counts.after += second.result->counts.thread_instructions;
    counts.warps_before += first.result->counts.warp_instructions;
    counts.warps_after += second.result->counts.warp_instructions;
    for (const auto& [instr, count] : executed_now) (*executed)[instr] += count;
  }
  return counts;
}

uint64_t CountExecuted(const Module& module, std::string_view kernel, std::optional<ptx::LaunchStyle>& style) {
  const IrFunction* ir_kernel = module.FindFunction(kernel);
  if (ir_kernel == nullptr) return 0;
  GeneratedRunSettings settings = {.style = style, .detect_races = false};
  if (style.has_value()) settings.step_factor = kStepFactorOfChanged;
  const GeneratedRun run = RunOnGeneratedInput(module, FunctionsOf(module), *ir_kernel, /*seed=*/0, settings);
  style = run.style;
  return run.ended_well() ? run.result->counts.thread_instructions : 0;
}

}  // namespace ptxmir
