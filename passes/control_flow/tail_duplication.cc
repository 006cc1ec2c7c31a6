// SPDX-License-Identifier: Apache-2.0

#include "passes/control_flow/tail_duplication.h"

#include "passes/control_flow/tail_duplicator.h"

namespace ptxmir {
namespace {

PassResult Run(MachineFunction& function, PassContext& context, bool is_ssa) {
  if (function.num_blocks() < 3) return {.changed = false};
  TailDuplicator duplicator(function, context, is_ssa);
  const bool changed = duplicator.Run();
  context.AddStatistic("copies of blocks", duplicator.num_copies());
  context.AddStatistic("blocks removed", duplicator.num_removed());
  context.AddStatistic("branches led past jumps", duplicator.num_led_past());
  return {.changed = changed};
}

}  // namespace

PassResult RunEarlyTailDuplication(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa)) return {.changed = false};
  return Run(function, context, /*is_ssa=*/true);
}

PassResult RunTailDuplication(MachineFunction& function, PassContext& context) {
  return Run(function, context, /*is_ssa=*/false);
}

}  // namespace ptxmir
