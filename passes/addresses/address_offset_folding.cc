// SPDX-License-Identifier: Apache-2.0

#include "passes/addresses/address_offset_folding.h"

#include "passes/addresses/loop_addresses.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

bool IsAddressOfAccess(const MachineOperand& use) {
  const MachineInstr& instr = *use.parent();
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  const unsigned number = use.operand_number();
  return (number == info.address || number == info.second_address || number == info.third_address) &&
         IsAddress(instr, number);
}

int64_t Sum(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

bool FoldInto(MachineInstr& addition, int64_t limit) {
  MachineRegisterInfo& reg_info = addition.function().reg_info();
  const Register sum = addition.operand(0).reg();
  const MachineOperand& base = addition.operand(1);
  if (!sum.is_virtual() || !base.reads_reg() || !base.reg().is_virtual() || !addition.operand(2).is_imm()) return false;
  const int64_t constant = addition.operand(2).imm();
  bool is_used = false;
  for (const MachineOperand& use : reg_info.NonDebugUses(sum)) {
    if (!IsAddressOfAccess(use)) return false;
    const int64_t offset = Sum(use.parent()->operand(use.operand_number() + 1).imm(), constant);
    if (offset < -limit || offset >= limit) return false;
    is_used = true;
  }
  if (!is_used) return false;
  const Register address = base.reg();
  const auto uses = reg_info.NonDebugUses(sum);
  for (auto it = uses.begin(); it != uses.end();) {
    MachineOperand& use = *it++;
    MachineOperand& offset = use.parent()->operand(use.operand_number() + 1);
    offset.set_imm(Sum(offset.imm(), constant));
    use.set_reg_flag(MachineOperand::kKill, false);
    use.SetReg(address);
  }
  reg_info.ClearKillFlags(address);
  DropDebugUses(reg_info, sum);
  addition.EraseFromParent();
  return true;
}

}  // namespace

bool FoldAddressOffsets(MachineFunction& function, PassContext& context) {
  if (!function.MayContain(ptx::op::ADD64ri)) return false;
  const int64_t limit = int64_t{1} << (context.knobs.induction_merge_offset_bits() - 1);
  uint64_t num_folded = 0;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const addition = instr;
      instr = instr->next();
      if (addition->opcode() == ptx::op::ADD64ri && FoldInto(*addition, limit)) ++num_folded;
    }
  }
  context.AddStatistic("additions folded into offsets", num_folded);
  return num_folded > 0;
}

}  // namespace ptxmir
