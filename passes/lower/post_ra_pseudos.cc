// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/post_ra_pseudos.h"

#include "base/str_cat.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Returns the class of a register; for a physical register, the first class that contains it as well as
// allocatable registers.
RegClassId ClassOf(Register reg, const MachineFunction& function) {
  if (reg.is_virtual()) return function.reg_info().reg_class(reg);
  const TargetInfo& target = function.target();
  for (RegClassId reg_class = 0; reg_class < target.reg_classes.size(); ++reg_class) {
    if (target.reg_classes[reg_class].allocatable && target.IsMember(reg.bits(), reg_class)) return reg_class;
  }
  return kNoRegClass;
}

// Turns a copy that moves nothing into a KILL, which only keeps its implicit operands live.
void TurnIntoKill(MachineInstr& copy) {
  if (copy.num_operands() == 2) {
    copy.EraseFromParent();
  } else {
    copy.set_opcode(generic::kKill);
  }
}

}  // namespace

PassResult RunPostRaPseudos(MachineFunction& function, PassContext& context) {
  uint64_t num_lowered = 0;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const copy = instr;
      instr = instr->next();
      if (!copy->is_copy()) continue;
      ++num_lowered;
      const Register target = copy->operand(0).reg();
      const Register source = copy->operand(1).reg();
      if (target == source) {
        TurnIntoKill(*copy);
        continue;
      }
      if (copy->operand(1).is_undef()) {
        // The target is defined but has no value.
        while (copy->num_operands() > 1) copy->RemoveOperand(copy->num_operands() - 1);
        copy->set_opcode(generic::kImplicitDef);
        continue;
      }
      const RegClassId target_class = ClassOf(target, function);
      const std::optional<Opcode> move = ptx::RegisterMoveOpcode(target_class);
      if (!move.has_value() || target_class != ClassOf(source, function)) {
        context.diagnostics.Error(
            StrCat("in function '", function.name(), "': a COPY between registers of different or no class"));
        return {.changed = true};
      }
      copy->set_opcode(*move);
    }
  }
  context.AddStatistic("copies lowered to moves", num_lowered);
  return {.changed = num_lowered > 0};
}

}  // namespace ptxmir
