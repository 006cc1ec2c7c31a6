// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/sink_to_save_registers.h"

#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/values/memory_dependence.h"
#include "passes/motion/register_saving.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

class SavingPolicy : public SinkPolicy {
 public:
  SavingPolicy(MachineFunction& function, PassContext& context, const MachineRegisterPressure& pressure)
      : reg_info_(function.reg_info()),
        loops_(context.analyses.Get<MachineLoops>()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(pressure) {}

  bool EnterBlock(const MachineBasicBlock& block) override { return !block.successors().empty(); }

  bool MayMove(const MachineInstr& instr) override {
    if (instr.num_explicit_defs() == 0 || IsUsedAtHome(instr)) return false;
    return IsMovable(reg_info_, instr);
  }

  MachineBasicBlock* FindTarget(const MachineInstr& instr) override {
    return FurthestSinkTarget(instr, loops_, dominators_, frequencies_);
  }

  bool Pays(const MachineInstr& instr, const MachineBasicBlock& target) override {
    const int saved = RegistersSavedAt(target, instr, pressure_);
    return saved > 0 || (saved == 0 && frequencies_.IsMoreOften(*instr.parent(), target));
  }

  MachineInstr* FindPlace(const MachineInstr& instr, MachineBasicBlock& target) const override {
    return PlaceBeforeUses(instr, target);
  }

  bool IsSafe(const SinkMove& move) override {
    if (IsPlainComputation(*move.instr)) return true;
    return ReadsSameValueIn(*move.target, *move.instr, memory_, [&] { return IsLoadChangedBefore(move); });
  }

 private:
  // Returns true if the first use of the result is in the instruction's own block, which rules out every target. Most
  // values are such.
  bool IsUsedAtHome(const MachineInstr& instr) const {
    if (!instr.operand(0).is_reg() || !instr.operand(0).reg().is_virtual()) return false;
    const auto uses = reg_info_.NonDebugUses(instr.operand(0).reg());
    if (uses.empty()) return false;
    const MachineInstr& user = *uses.begin()->parent();
    return user.parent() == instr.parent() && !user.is_phi();
  }

  // Returns true if something between the load's places may change what it reads.
  bool IsLoadChangedBefore(const SinkMove& move) const {
    const auto is_changed = [&](const MachineInstr* begin, const MachineInstr* end) {
      for (const MachineInstr* instr = begin; instr != end; instr = instr->next()) {
        if (memory_.MayChange(*instr, *move.instr)) return true;
      }
      return false;
    };
    return is_changed(move.instr->next(), nullptr) || is_changed(move.target->front(), move.place);
  }

  const MachineRegisterInfo& reg_info_;
  const MachineLoops& loops_;
  const MachineDominatorTree& dominators_;
  const MachineBlockFrequencies& frequencies_;
  const MemoryDependence& memory_;
  const MachineRegisterPressure& pressure_;
};

}  // namespace

std::unique_ptr<SinkPolicy> MakeSinkPolicyToSaveRegisters(MachineFunction& function, PassContext& context,
                                                          const MachineRegisterPressure& pressure) {
  return std::make_unique<SavingPolicy>(function, context, pressure);
}

}  // namespace ptxmir
