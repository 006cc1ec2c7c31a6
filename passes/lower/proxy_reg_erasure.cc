// SPDX-License-Identifier: Apache-2.0

#include "passes/lower/proxy_reg_erasure.h"

#include "ptx/target/ptx_target.h"

namespace ptxmir {

PassResult RunProxyRegErasure(MachineFunction& function, PassContext& context) {
  const auto is_proxy = [](Opcode opcode) { return ptx::InstrInfo(opcode).Has(ptx::Property::kProxy); };
  if (!function.MayContainAny(is_proxy)) return {.changed = false};
  MachineRegisterInfo& reg_info = function.reg_info();
  const bool is_ssa = function.HasProperty(FunctionProperty::kIsSsa);
  uint64_t num_erased = 0;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const proxy = instr;
      instr = instr->next();
      if (!is_proxy(proxy->opcode())) continue;
      const MachineOperand& source = proxy->operand(1);
      if (!source.is_reg() || !source.reg().is_virtual()) continue;
      ++num_erased;
      if (!is_ssa || source.is_undef()) {
        proxy->set_opcode(generic::kCopy);
        continue;
      }
      const Register from = proxy->operand(0).reg();
      const Register to = source.reg();
      proxy->EraseFromParent();
      reg_info.ReplaceRegister(from, to);
      reg_info.ClearKillFlags(to);
    }
  }
  context.AddStatistic("proxy registers erased", num_erased);
  return {.changed = num_erased > 0};
}

}  // namespace ptxmir
