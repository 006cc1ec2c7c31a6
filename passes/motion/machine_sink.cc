// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/machine_sink.h"

#include <memory>

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "passes/motion/sink_groups.h"
#include "passes/motion/sink_into_loops.h"
#include "passes/motion/sink_like_llvm.h"
#include "passes/motion/sink_to_save_registers.h"
#include "passes/motion/sinking.h"

namespace ptxmir {
namespace {

enum class BlockOrder { kFirstToLast, kLastToFirst };

// Sinks instructions until none moves. They only move down the dominator tree, so the loop terminates.
void SinkAll(MachineFunction& function, BlockOrder order, SinkPolicy& policy, SinkEditor& editor) {
  const bool is_forward = order == BlockOrder::kFirstToLast;
  for (bool changed = true; changed;) {
    const uint64_t before = editor.num_changes();
    for (MachineBasicBlock* block = is_forward ? function.front() : function.back(); block != nullptr;
         block = is_forward ? block->next() : block->previous()) {
      SinkFrom(*block, policy, editor);
    }
    changed = editor.num_changes() != before;
  }
  editor.Finish();
}

uint64_t SinkToSaveRegisters(MachineFunction& function, PassContext& context) {
  auto& pressure = context.analyses.Get<MachineRegisterPressure>();
  SinkEditor editor(function, &pressure);
  SinkGroups(function, context, pressure, editor);
  SinkAll(function, BlockOrder::kLastToFirst, *MakeSinkPolicyToSaveRegisters(function, context, pressure), editor);
  return editor.num_changes();
}

uint64_t SinkLikeLlvm(MachineFunction& function, PassContext& context) {
  SinkEditor editor(function, /*pressure=*/nullptr);
  SinkAll(function, BlockOrder::kFirstToLast, *like_llvm::MakeSinkPolicy(function, context), editor);
  return editor.num_changes();
}

}  // namespace

PassResult RunMachineSink(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.num_blocks() < 2) return {.changed = false};
  const bool is_like_llvm = context.knobs.nvptx_enable_machine_sink();
  const uint64_t num_sunk = is_like_llvm ? SinkLikeLlvm(function, context) : SinkToSaveRegisters(function, context);
  uint64_t num_into_loops = 0;
  if (context.knobs.sink_insts_to_avoid_spills()) {
    if (is_like_llvm && num_sunk != 0) context.analyses.Invalidate(PreservedAnalyses::ControlFlow());
    num_into_loops = SinkIntoLoops(function, context, context.analyses.Get<MachineRegisterPressure>());
    context.AddStatistic("computations sunk into loops", num_into_loops);
  }
  if (num_sunk + num_into_loops == 0) return {.changed = false};
  context.AddStatistic("instructions sunk", num_sunk);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "Sunk", function)
           << RemarkArg("NumSunk", num_sunk + num_into_loops) << " instructions sunk";
  });
  PreservedAnalyses preserved = PreservedAnalyses::ControlFlow();
  if (!is_like_llvm) preserved = preserved.Preserve(AnalysisKind::kMachineRegisterPressure);
  return {.changed = true, .preserved = preserved};
}

}  // namespace ptxmir
