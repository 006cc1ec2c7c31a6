// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/generic_to_nvvm.h"

#include "analysis/frequency/machine_opt_remark_emitter.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/passes/globals/generic_variables.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

class GenericUses {
 public:
  GenericUses(MachineFunction& function, PassContext& context, const GenericVariables& variables)
      : context_(context),
        variables_(variables),
        reg_info_(function.reg_info()),
        is_64_bit_(function.module()->data_layout().PointerBits(address_space::kGeneric) == 64),
        function_(function) {}

  uint64_t Rewrite() {
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr* instr = block.front(); instr != nullptr;) {
        MachineInstr* const next = instr->next();
        if (!instr->is_debug()) RewriteInstr(*instr);
        instr = next;
      }
    }
    return num_rewritten_;
  }

 private:
  void RewriteInstr(MachineInstr& instr) {
    for (unsigned i = 0; i < instr.num_operands(); ++i) {
      if (!instr.operand(i).is_global() || !variables_.IsMoved(instr.operand(i).global())) continue;
      const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
      const bool is_address = i == info.address || i == info.second_address || i == info.third_address;
      if (i == info.address && info.space == ptx::MemorySpace::kOperand) {
        if (!AccessGlobalSpace(instr, instr.operand(info.address_space))) continue;
      } else if (is_address && info.touches_memory() && info.space != ptx::MemorySpace::kGeneric) {
        continue;  // it is an access of the space that the variable is in now
      } else if (info.is_pure() && instr.num_explicit_defs() == 1) {
        ConvertResult(instr);
      } else if (is_address) {
        UseConverted(instr, instr.operand(i));
      } else {
        context_.diagnostics.Error(
            StrCat("function '", function_.name(), "': variable '",
                   function_.module()->global_value(instr.operand(i).global()).name,
                   "' in the generic address space is named by an instruction that cannot take its generic address"));
        return;
      }
      ++num_rewritten_;
    }
  }

  // Returns false if it is an access of the space that the variable is in now.
  static bool AccessGlobalSpace(MachineInstr& instr, MachineOperand& space) {
    if (ptx::AddressSpaceFromCode(space.imm()) != ptx::MemorySpace::kGeneric) return false;
    space.set_imm(address_space::kGlobal);
    if (instr.memoperands().size() != 1) return true;
    MachineMemOperand memoperand = *instr.memoperands()[0];
    memoperand.address_space = address_space::kGlobal;
    const MachineMemOperand* const changed[] = {instr.function().CreateMemOperand(memoperand)};
    instr.SetMemOperands(changed);
    return true;
  }

  // The instruction computes an address in the global space. Converts it.
  void ConvertResult(MachineInstr& instr) {
    const Register generic = instr.operand(0).reg();
    const Register global = NewRegister();
    const uint16_t flags = instr.operand(0).reg_flags() & MachineOperand::kDead;
    instr.operand(0).SetReg(global);
    instr.operand(0).set_reg_flag(MachineOperand::kDead, false);
    BuildMI(*instr.parent(), instr.next(), Convert(), instr.debug_loc()).AddDef(generic, flags).AddUse(global).Insert();
  }

  // Computes the generic address before the instruction.
  void UseConverted(MachineInstr& instr, MachineOperand& operand) {
    const Register global = NewRegister();
    const Register generic = NewRegister();
    const Opcode move = is_64_bit_ ? ptx::op::MOV_B64_sym : ptx::op::MOV_B32_sym;
    BuildMI(*instr.parent(), &instr, move, instr.debug_loc()).AddDef(global).Add(operand).Insert();
    BuildMI(*instr.parent(), &instr, Convert(), instr.debug_loc()).AddDef(generic).AddUse(global).Insert();
    operand.ChangeTo(MachineOperand::CreateReg(generic));
  }

  Register NewRegister() {
    return reg_info_.CreateVirtualRegister(is_64_bit_ ? ptx::reg_class::kB64 : ptx::reg_class::kB32);
  }
  Opcode Convert() const { return is_64_bit_ ? ptx::op::cvta_global_64 : ptx::op::cvta_global; }

  PassContext& context_;
  const GenericVariables& variables_;
  MachineRegisterInfo& reg_info_;
  const bool is_64_bit_;
  MachineFunction& function_;
  uint64_t num_rewritten_ = 0;
};

}  // namespace

void RunGenericToNvvm(ModulePassContext& context) {
  if (!HasVariablesInGenericSpace(context.module)) return;
  GenericVariables variables(context.module);
  variables.Move();
  for (ModulePassMember& member : context.members) {
    const uint64_t rewritten = GenericUses(member.function, member.context, variables).Rewrite();
    if (rewritten == 0) continue;
    member.result.changed = true;
    member.context.AddStatistic("uses of generic variables rewritten", rewritten);
    member.context.analyses.Get<MachineOptRemarkEmitter>().Emit([&] {
      return MachineRemark(RemarkKind::kPassed, member.context.pass_name, "MovedToGlobalSpace", member.function)
             << RemarkArg("Uses", rewritten) << " uses of variables in the generic space now use the global space";
    });
  }
}

}  // namespace ptxmir
