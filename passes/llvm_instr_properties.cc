#include "passes/llvm_instr_properties.h"

#include <algorithm>

#include "mir/inline_asm.h"

namespace ptxmir {
namespace {

bool HasFlag(const MachineInstr& instr, uint32_t flag, uint32_t inline_asm_property) {
  if (instr.is_inline_asm()) return (instr.operand(1).imm() & inline_asm_property) != 0;
  return instr.desc().Has(flag);
}

bool IsUnordered(const MachineMemOperand& memoperand) {
  return !memoperand.is_volatile() && memoperand.success_ordering <= AtomicOrdering::kUnordered;
}

}  // namespace

bool MayLoad(const MachineInstr& instr) { return HasFlag(instr, InstrFlag::kMayLoad, InlineAsmProperty::kMayLoad); }

bool MayStore(const MachineInstr& instr) { return HasFlag(instr, InstrFlag::kMayStore, InlineAsmProperty::kMayStore); }

bool HasUnmodelledSideEffects(const MachineInstr& instr) {
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

}  // namespace ptxmir
