// SPDX-License-Identifier: Apache-2.0

#include "passes/out_of_ssa/copies.h"

#include <vector>

#include "ptx/target/instr_info.h"

namespace ptxmir {

bool IsCoalescableCopy(const MachineInstr& instr, const MachineRegisterInfo& reg_info) {
  if (!instr.is_copy() || instr.num_operands() != 2) return false;
  if (instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc)) return false;
  const MachineOperand& target = instr.operand(0);
  const MachineOperand& source = instr.operand(1);
  return target.reg().is_virtual() && source.reg().is_virtual() && !source.is_undef() &&
         reg_info.reg_class(target.reg()) == reg_info.reg_class(source.reg());
}

bool IsConstantMove(const MachineInstr& instr) {
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (!info.is_move() || !info.is_rematerializable() || instr.num_explicit_defs() != 1) return false;
  for (unsigned i = 1; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (!operand.is_imm() && !operand.is_fp_imm() && !operand.is_global() && !operand.is_symbol()) return false;
  }
  return instr.num_operands() > 1 && instr.operand(0).reg().is_virtual();
}

bool IsUndefinedSource(const MachineOperand& source, const MachineRegisterInfo& reg_info) {
  if (source.is_undef()) return true;
  const MachineInstr* def = reg_info.UniqueDef(source.reg());
  return def != nullptr && def->is_implicit_def();
}

void EraseUnusedImplicitDefs(absl::Span<const Register> undefined, MachineRegisterInfo& reg_info) {
  for (const Register reg : undefined) {
    MachineInstr* def = reg_info.UniqueDef(reg);
    if (def != nullptr && def->is_implicit_def() && reg_info.HasNoUses(reg)) def->EraseFromParent();
  }
}

void DropStaleDebugUses(Register reg, ValueId value, const LiveIntervals& intervals, const CongruenceClasses& classes,
                        MachineRegisterInfo& reg_info) {
  std::vector<MachineOperand*> stale;
  for (MachineOperand& use : reg_info.Uses(reg)) {
    if (!use.is_debug()) continue;
    const SlotIndex index = intervals.indexes().IndexBefore(*use.parent()).DeadSlot();
    if (intervals.Interval(reg).LiveAt(index)) continue;
    const ValueId held = classes.ValueAt(reg.virtual_index(), index);
    if (held != kNoValue && held != value) stale.push_back(&use);
  }
  for (MachineOperand* const use : stale) use->SetReg(Register());
}

}  // namespace ptxmir
