// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/process_implicit_defs.h"

#include <algorithm>
#include <vector>

namespace ptxmir {
namespace {

// Returns true if the instruction only moves values and all of them are undefined.
bool IsUndefined(const MachineInstr& instr) {
  const bool moves = instr.is_copy() || instr.is_phi() || instr.opcode() == generic::kRegSequence;
  return moves && instr.operand(0).is_def() && instr.operand(0).reg().is_virtual() &&
         std::none_of(instr.operands().begin(), instr.operands().end(),
                      [](const MachineOperand& operand) { return operand.reads_reg(); });
}

// Marks all uses of the register as undefined. Users that become IMPLICIT_DEFs are appended to `work`.
void MarkReadersUndefined(Register reg, MachineRegisterInfo& reg_info, std::vector<MachineInstr*>& work) {
  std::vector<MachineOperand*> debug_uses;
  for (MachineOperand& use : reg_info.Uses(reg)) {
    if (use.is_debug()) {
      debug_uses.push_back(&use);
      continue;
    }
    use.set_reg_flag(MachineOperand::kUndef, true);
    use.set_reg_flag(MachineOperand::kKill, false);
    MachineInstr& user = *use.parent();
    if (IsUndefined(user) && reg_info.UniqueDef(user.operand(0).reg()) == &user) work.push_back(&user);
  }
  for (MachineOperand* const use : debug_uses) use->SetReg(Register());
}

}  // namespace

PassResult RunProcessImplicitDefs(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(generic::kImplicitDef)) return {};
  MachineRegisterInfo& reg_info = function.reg_info();
  std::vector<MachineInstr*> work;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      if (instr.is_implicit_def() && instr.num_operands() == 1 && instr.operand(0).reg().is_virtual() &&
          reg_info.UniqueDef(instr.operand(0).reg()) == &instr) {
        work.push_back(&instr);
      }
    }
  }
  // Erased at the end: an instruction that reads an undefined register twice is found twice.
  std::vector<MachineInstr*> removed;
  while (!work.empty()) {
    MachineInstr* const instr = work.back();
    work.pop_back();
    if (!instr->is_linked()) continue;
    MarkReadersUndefined(instr->operand(0).reg(), reg_info, work);
    instr->RemoveFromParent();
    removed.push_back(instr);
  }
  for (MachineInstr* const instr : removed) function.DeleteInstr(instr);
  context.AddStatistic("undefined values removed", removed.size());
  return {.changed = removed.size() > 0, .preserved = PreservedAnalyses::ControlFlow()};
}

}  // namespace ptxmir
