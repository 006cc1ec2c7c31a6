// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/instr_properties_like_llvm.h"

#include <algorithm>

#include "mir/code/inline_asm.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::like_llvm {
namespace {

bool HasFlag(const MachineInstr& instr, uint32_t flag, uint32_t inline_asm_property) {
  if (instr.is_inline_asm()) return InlineAsmHas(instr, inline_asm_property);
  return instr.desc().Has(flag);
}

bool IsUnordered(const MachineMemOperand& memoperand) {
  return !memoperand.is_volatile() && memoperand.success_ordering <= AtomicOrdering::kUnordered;
}

}  // namespace

bool MayLoad(const MachineInstr& instr) { return HasFlag(instr, InstrFlag::kMayLoad, InlineAsmProperty::kMayLoad); }

bool MayStore(const MachineInstr& instr) { return HasFlag(instr, InstrFlag::kMayStore, InlineAsmProperty::kMayStore); }

bool HasUnmodeledSideEffects(const MachineInstr& instr) {
  return HasFlag(instr, InstrFlag::kSideEffects, InlineAsmProperty::kSideEffects);
}

bool IsConvergent(const MachineInstr& instr) {
  return HasFlag(instr, InstrFlag::kConvergent, InlineAsmProperty::kConvergent);
}

bool IsAsCheapAsMove(const MachineInstr& instr) { return instr.desc().Has(InstrFlag::kCheapAsMove); }

bool IsOrderedLoad(const MachineInstr& load) {
  const auto memoperands = load.memoperands();
  return memoperands.empty() ||
         !std::all_of(memoperands.begin(), memoperands.end(),
                      [](const MachineMemOperand* memoperand) { return IsUnordered(*memoperand); });
}

bool IsInvariantLoad(const MachineInstr& load) {
  constexpr uint16_t kBoth = MachineMemOperand::kInvariant | MachineMemOperand::kDereferenceable;
  const auto memoperands = load.memoperands();
  return !memoperands.empty() &&
         std::all_of(memoperands.begin(), memoperands.end(), [](const MachineMemOperand* memoperand) {
           return IsUnordered(*memoperand) && !memoperand->is_store() && (memoperand->flags & kBoth) == kBoth;
         });
}

bool IsSafeToMove(const MachineInstr& instr, bool& saw_store) {
  const bool may_load = MayLoad(instr);
  if (MayStore(instr) || instr.desc().Has(InstrFlag::kCall) || instr.is_phi() || (may_load && IsOrderedLoad(instr))) {
    saw_store = true;
    return false;
  }
  if (instr.is_terminator() || HasUnmodeledSideEffects(instr) || instr.num_explicit_defs() == 0) return false;
  return !may_load || IsInvariantLoad(instr) || !saw_store;
}

bool IsFreePhysical(const MachineRegisterInfo& reg_info, const MachineOperand& operand) {
  return operand.is_use() ? reg_info.Defs(operand.reg()).empty() : operand.is_dead();
}

uint32_t PressureLimit(RegClassId reg_class) {
  constexpr uint32_t kNumbered = 5;        // %p0 to %p4 and so on
  constexpr uint32_t kFrameRegisters = 2;  // one of 32 and one of 64 bits
  const bool has_frame_registers = reg_class == ptx::reg_class::kB32 || reg_class == ptx::reg_class::kB64;
  return kNumbered + (has_frame_registers ? kFrameRegisters : 0);
}

}  // namespace ptxmir::like_llvm
