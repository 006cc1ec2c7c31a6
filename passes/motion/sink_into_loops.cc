// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/sink_into_loops.h"

#include <algorithm>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "analysis/pressure/register_budget.h"
#include "passes/motion/register_saving.h"
#include "passes/motion/sinking.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

// The most readers of a result, and the most definitions of an operand, that are looked at.
constexpr int kMaxOperands = 32;
// The most computations that are sunk into one loop. Each one asks for the peak of the loop again.
constexpr int kMaxSunk = 64;

class LoopSinker {
 public:
  LoopSinker(MachineFunction& function, PassContext& context, MachineRegisterPressure& pressure)
      : reg_info_(function.reg_info()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        loops_(context.analyses.Get<MachineLoops>()),
        pressure_(pressure),
        target_(ComputeRegisterBudget(function, context.analyses.inputs()).registers),
        editor_(function, &pressure) {}

  uint64_t Run() {
    for (CycleId loop = loops_.num_cycles(); loop-- > 0;) {
      MachineBasicBlock* const preheader = loops_.Preheader(loop);
      if (preheader != nullptr && Peak(loop) > target_) SinkFrom(*preheader, loop);
    }
    editor_.Finish();
    return editor_.num_changes();
  }

  uint32_t target() const { return target_; }
  // The number of loops that stay over the budget.
  uint64_t num_over() const { return num_over_; }

 private:
  uint32_t Peak(CycleId loop) const {
    uint32_t peak = 0;
    for (const MachineBasicBlock* block : loops_.Blocks(loop)) {
      peak = std::max(peak, pressure_.Block(*block).peak.units);
    }
    return peak;
  }

  void SinkFrom(MachineBasicBlock& preheader, CycleId loop) {
    int num_sunk = 0;
    for (MachineInstr *instr = preheader.back(), *previous; instr != nullptr && num_sunk < kMaxSunk; instr = previous) {
      previous = instr->previous();
      MachineBasicBlock* const target = TargetIn(loop, *instr);
      if (target == nullptr || RegistersSavedAt(*loops_.Header(loop), *instr, pressure_) <= 0) continue;
      MachineInstr* const place = PlaceBeforeUses(*instr, *target);
      editor_.Move({.instr = instr, .target = target, .place = place});
      ++num_sunk;
      if (Peak(loop) <= target_) return;
    }
    ++num_over_;
  }

  // Returns the block of the loop in which the computation can be placed; null if there is none.
  MachineBasicBlock* TargetIn(CycleId loop, const MachineInstr& instr) const {
    if (instr.is_copy() || instr.num_explicit_defs() != 1 || !IsPlainComputation(instr)) return nullptr;
    const Register result = instr.operand(0).reg();
    if (!result.is_virtual() || reg_info_.UniqueDef(result) != &instr || !AreOperandsInvariant(loop, instr)) {
      return nullptr;
    }
    MachineBasicBlock* common = nullptr;
    int num_uses = 0;
    for (const MachineOperand& use : reg_info_.NonDebugUses(result)) {
      MachineBasicBlock& block = BlockOfUse(use);
      if (++num_uses > kMaxOperands || use.is_tied() || !loops_.Contains(loop, block)) return nullptr;
      common = common == nullptr ? &block : dominators_.NearestCommonDominator(*common, block);
    }
    // In a loop further inside, it would be computed even more often.
    if (common == nullptr || !loops_.Contains(loop, *common)) return nullptr;
    while (loops_.InnermostCycle(*common) != loop) common = dominators_.ImmediateDominator(*common);
    return common;
  }

  bool AreOperandsInvariant(CycleId loop, const MachineInstr& instr) const {
    for (const MachineOperand& operand : instr.operands().subspan(1)) {
      if (!operand.is_reg() || !operand.reg().is_valid()) continue;
      if (operand.is_def() || operand.is_tied() || operand.is_implicit()) return false;
      int num_defs = 0;
      for (const MachineOperand& def : reg_info_.Defs(operand.reg())) {
        const MachineBasicBlock& block = *def.parent()->parent();
        // A later definition in the preheader would change what it reads.
        const bool is_only = reg_info_.UniqueDef(operand.reg()) != nullptr;
        if (++num_defs > kMaxOperands || loops_.Contains(loop, block)) return false;
        if (!is_only && &block == instr.parent()) return false;
      }
    }
    return true;
  }

  MachineRegisterInfo& reg_info_;
  const MachineDominatorTree& dominators_;
  const MachineLoops& loops_;
  const MachineRegisterPressure& pressure_;
  const uint32_t target_;
  SinkEditor editor_;
  uint64_t num_over_ = 0;
};

}  // namespace

uint64_t SinkIntoLoops(MachineFunction& function, PassContext& context, MachineRegisterPressure& pressure) {
  if (context.analyses.Get<MachineLoops>().num_cycles() == 0) return 0;
  LoopSinker sinker(function, context, pressure);
  const uint64_t num_sunk = sinker.Run();
  if (sinker.num_over() != 0) {
    context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kMissed, context.pass_name, "LoopOverBudget", function)
             << RemarkArg("NumLoops", sinker.num_over()) << " loops need more than "
             << RemarkArg("Target", sinker.target()) << " registers, and nothing more can be sunk into them";
    });
  }
  return num_sunk;
}

}  // namespace ptxmir
