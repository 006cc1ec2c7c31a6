// SPDX-License-Identifier: Apache-2.0

#include "passes/motion/register_saving.h"

#include <algorithm>

#include "passes/motion/sinking.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/machine_model.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns the units of the registers that become live at the beginning of `block` if `instr` moves past that point,
// together with the computations of its own block that only it uses.
uint32_t UnitsOfOperands(const MachineInstr& instr, const MachineBasicBlock& block,
                         const MachineRegisterPressure& pressure, int depth) {
  constexpr int kMaxDepth = 3;
  const MachineFunction& function = block.function();
  const MachineRegisterInfo& reg_info = function.reg_info();
  uint32_t total = 0;
  for (const MachineOperand& operand : instr.operands().subspan(instr.num_explicit_defs())) {
    if (!operand.reads_reg() || !operand.reg().is_virtual()) continue;
    const Register reg = operand.reg();
    if (pressure.IsLiveIn(block, reg) || IsCostless(reg_info, reg)) continue;
    uint32_t units = PressureUnitsOf(function, reg);
    const MachineInstr* def = reg_info.UniqueDef(reg);
    const bool can_follow = depth < kMaxDepth && def != nullptr && def->parent() == instr.parent() &&
                            IsPlainComputation(*def) && def->num_explicit_defs() == 1 &&
                            reg_info.HasOneNonDebugUse(reg);
    if (can_follow) units = std::min(units, UnitsOfOperands(*def, block, pressure, depth + 1));
    total += units;
  }
  return total;
}

bool ReadsResultOf(const MachineInstr& instr, const MachineInstr& def) {
  if (instr.is_debug()) return false;
  return std::any_of(def.explicit_defs().begin(), def.explicit_defs().end(), [&](const MachineOperand& result) {
    return std::any_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
      return operand.is_use() && operand.reg() == result.reg();
    });
  });
}

}  // namespace

bool IsMovable(const MachineRegisterInfo& reg_info, const MachineInstr& instr) {
  if (instr.is_phi() || instr.is_debug() || instr.num_explicit_defs() == 0) return false;
  if (!IsPlainComputation(instr)) {
    if (instr.is_copy() || instr.is_inline_asm() || ptx::IsOrderedAccess(instr)) return false;
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
    if (!info.reads_memory() || info.is_collective() || !info.is_deletable_if_unused()) return false;
  }
  return std::all_of(instr.operands().begin(), instr.operands().end(), [&](const MachineOperand& operand) {
    return !operand.is_reg() || !operand.reg().is_valid() ||
           (operand.reg().is_virtual() && (!operand.is_def() || reg_info.UniqueDef(operand.reg()) == &instr)) ||
           (operand.is_use() && reg_info.Defs(operand.reg()).empty());
  });
}

bool ReadsSameValueIn(const MachineBasicBlock& target, const MachineInstr& load, const MemoryDependence& memory,
                      absl::FunctionRef<bool()> is_changed) {
  if (memory.ReadsConstantMemory(load)) return true;
  return target.predecessors().size() == 1 && target.predecessors()[0] == load.parent() && !is_changed();
}

bool IsCostless(const MachineRegisterInfo& reg_info, Register reg) {
  constexpr int kMaxSteps = 4;
  const MachineInstr* def = reg_info.UniqueDef(reg);
  for (int steps = 0; def != nullptr && steps < kMaxSteps; ++steps) {
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(def->opcode());
    if (info.reads_memory()) {
      return info.address < def->num_operands() && def->operand(info.address).is_symbol() &&
             ptx::MemorySpaceOf(*def) == ptx::MemorySpace::kParam;
    }
    const bool passes_on = def->is_copy() || info.is_move() || ptx::op::cvta_to_global_64 == def->opcode();
    if (!passes_on || def->num_operands() < 2) return false;
    if (!def->operand(1).is_reg()) return true;
    if (!def->operand(1).reg().is_virtual()) return false;
    def = reg_info.UniqueDef(def->operand(1).reg());
  }
  return false;
}

int RegistersSavedAt(const MachineBasicBlock& block, const MachineInstr& instr,
                     const MachineRegisterPressure& pressure) {
  const MachineRegisterInfo& reg_info = block.function().reg_info();
  uint32_t saved = 0;
  for (const MachineOperand& result : instr.explicit_defs()) {
    if (!IsCostless(reg_info, result.reg())) saved += PressureUnitsOf(block.function(), result.reg());
  }
  return static_cast<int>(saved) - static_cast<int>(UnitsOfOperands(instr, block, pressure, 0));
}

MachineBasicBlock* FurthestSinkTarget(const MachineInstr& instr, const MachineLoops& loops,
                                      const MachineDominatorTree& dominators,
                                      const MachineBlockFrequencies& frequencies) {
  const MachineFunction& function = instr.parent()->function();
  if (!dominators.Contains(*instr.parent())) return nullptr;
  MachineBasicBlock* common = nullptr;
  for (const MachineOperand& result : instr.explicit_defs()) {
    for (const MachineOperand& use : function.reg_info().NonDebugUses(result.reg())) {
      MachineBasicBlock& block = BlockOfUse(use);
      if (!dominators.Contains(block)) return nullptr;  // control never reaches it
      common = common == nullptr ? &block : dominators.NearestCommonDominator(*common, block);
      if (common == nullptr || common == instr.parent()) return nullptr;
    }
  }
  while (common != nullptr && common != instr.parent() && loops.InnermostCycle(*common) != CycleForest::kNoCycle &&
         !loops.Contains(loops.InnermostCycle(*common), *instr.parent())) {
    common = dominators.ImmediateDominator(*common);
  }
  if (common == nullptr || common == instr.parent()) return nullptr;
  if (frequencies.IsMoreOften(*common, *instr.parent())) return nullptr;
  return dominators.Dominates(*instr.parent(), *common) ? common : nullptr;
}

MachineInstr* PlaceBeforeUses(const MachineInstr& instr, MachineBasicBlock& target) {
  const MachineRegisterInfo& reg_info = target.function().reg_info();
  MachineInstr* user = nullptr;
  bool has_several = false;
  for (const MachineOperand& result : instr.explicit_defs()) {
    for (const MachineOperand& use : reg_info.NonDebugUses(result.reg())) {
      MachineInstr* const other = use.parent();
      if (other->parent() != &target || other->is_phi() || other == user) continue;
      has_several = user != nullptr;
      user = other;
    }
  }
  if (user == nullptr || (user->is_terminator() && !has_several)) return target.FirstTerminator();
  if (!has_several) return user;
  MachineInstr* place = target.FirstNonPhi();
  while (!place->is_terminator() && !ReadsResultOf(*place, instr)) place = place->next();
  return place;
}

}  // namespace ptxmir
