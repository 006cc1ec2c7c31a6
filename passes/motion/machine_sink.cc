// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/machine_sink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_opt_remark_emitter.h"
#include "analysis/machine_register_pressure.h"
#include "analysis/memory_dependence.h"
#include "passes/motion/sink_like_llvm.h"
#include "passes/motion/sinking.h"
#include "passes/support/unused_instrs.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

class MachineSinker {
 public:
  MachineSinker(MachineFunction& function, PassContext& context)
      : function_(function),
        reg_info_(function.reg_info()),
        loops_(context.analyses.Get<MachineLoops>()),
        dominators_(context.analyses.Get<MachineDominatorTree>()),
        frequencies_(context.analyses.Get<MachineBlockFrequencies>()),
        memory_(context.analyses.Get<MemoryDependence>()),
        pressure_(context.analyses.Get<MachineRegisterPressure>()) {}

  // Returns the number of instructions that have moved.
  uint64_t Run() {
    // Each move takes an instruction further down the dominator tree, so the loop terminates.
    for (bool changed = true; changed;) {
      changed = false;
      for (MachineBasicBlock* block = function_.back(); block != nullptr; block = block->previous()) {
        changed = SinkFrom(*block) || changed;
      }
    }
    ClearKillFlags(reg_info_, std::move(extended_));
    return num_sunk_;
  }

 private:
  bool SinkFrom(MachineBasicBlock& block) {
    if (block.successors().empty()) return false;
    const uint64_t before = num_sunk_;
    for (MachineInstr* instr = block.back(); instr != nullptr;) {
      MachineInstr* const candidate = instr;
      instr = instr->previous();
      if (!MayMove(*candidate)) continue;
      MachineBasicBlock* target = FurthestSinkTarget(*candidate, loops_, dominators_);
      if (target == nullptr || frequencies_.IsMoreOften(*target, block)) continue;
      if (!SavesRegisters(*candidate, *target)) continue;
      MachineInstr* const place = SinkPlace(*candidate, *target);
      if (!IsPlainComputation(*candidate) && !CanLoadMoveTo(*candidate, *target, place)) continue;
      pressure_.WillErase(*candidate);
      SinkInto(*candidate, *target, place, extended_);
      pressure_.DidInsert(*candidate);
      ++num_sunk_;
    }
    return num_sunk_ > before;
  }

  // Returns true if the instruction is a computation or a load with results in virtual registers.
  bool MayMove(const MachineInstr& instr) const {
    if (instr.is_phi() || instr.is_debug() || instr.num_explicit_defs() == 0) return false;
    if (!IsPlainComputation(instr)) {
      if (instr.is_copy() || instr.is_inline_asm() || ptx::IsOrderedAccess(instr)) return false;
      const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
      if (!info.reads_memory() || info.is_collective() || !info.is_deletable_if_unused()) return false;
    }
    return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      return !operand.is_reg() || !operand.reg().is_valid() ||
             (operand.reg().is_virtual() && (!operand.is_def() || reg_info_.UniqueDef(operand.reg()) == &instr)) ||
             (operand.is_use() && reg_info_.Defs(operand.reg()).empty());
    });
  }

  bool SavesRegisters(const MachineInstr& instr, const MachineBasicBlock& target) const {
    uint32_t units = 0;
    for (const MachineOperand& result : instr.explicit_defs()) {
      if (!IsCostless(reg_info_, result.reg())) units += PressureUnitsOf(function_, result.reg());
    }
    return UnitsOfOperands(instr, target, pressure_) < units;
  }

  // The load must read the same value in the new place. If it leaves a loop, later iterations may write the memory
  // that it reads.
  bool CanLoadMoveTo(const MachineInstr& load, const MachineBasicBlock& target, const MachineInstr* place) const {
    if (memory_.ReadsConstantMemory(load)) return true;
    if (target.predecessors().size() != 1 || target.predecessors()[0] != load.parent()) return false;
    for (const MachineInstr* instr = load.next(); instr != nullptr; instr = instr->next()) {
      if (memory_.MayChange(*instr, load)) return false;
    }
    for (const MachineInstr* instr = target.front(); instr != place; instr = instr->next()) {
      if (memory_.MayChange(*instr, load)) return false;
    }
    return true;
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const MachineLoops& loops_;
  const MachineDominatorTree& dominators_;
  const MachineBlockFrequencies& frequencies_;
  const MemoryDependence& memory_;
  MachineRegisterPressure& pressure_;
  std::vector<Register> extended_;  // registers that are read at a new place
  uint64_t num_sunk_ = 0;
};

}  // namespace

PassResult RunMachineSink(MachineFunction& function, PassContext& context) {
  if (!function.HasProperty(FunctionProperty::kIsSsa) || function.num_blocks() < 2) return {.changed = false};
  const uint64_t num_sunk = context.knobs.nvptx_enable_machine_sink() ? like_llvm::Sink(function, context)
                                                                      : MachineSinker(function, context).Run();
  if (num_sunk == 0) return {.changed = false};
  context.AddStatistic("instructions sunk", num_sunk);
  context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
    return MachineRemark(RemarkKind::kPassed, context.pass_name, "Sunk", function)
           << RemarkArg("NumSunk", num_sunk) << " instructions sunk";
  });
  return {.changed = true, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
