// SPDX-License-Identifier: Apache-2.0

#include "passes/frame/frame_addresses.h"

#include <limits>
#include <vector>

#include "passes/support/frame_registers.h"
#include "passes/support/unused_instrs.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/machine_model.h"

namespace ptxmir {
namespace {

bool FitsFrame(int64_t offset) {
  return offset >= std::numeric_limits<int32_t>::min() && offset <= std::numeric_limits<int32_t>::max();
}

class AddressFolder {
 public:
  explicit AddressFolder(MachineFunction& function)
      : function_(function), reg_info_(function.reg_info()), registers_(FrameRegistersOf(function)) {}

  FoldedFrameAddresses Run() {
    std::vector<MachineInstr*> addresses;
    for (MachineBasicBlock& block : function_) {
      for (MachineInstr& instr : block) {
        if (instr.opcode() == registers_.add_offset && instr.operand(1).is_frame_index()) addresses.push_back(&instr);
      }
    }
    for (MachineInstr* address : addresses) FoldAddress(*address);
    return folded_;
  }

 private:
  // Returns true if the register always holds the result of `def` where it is read.
  bool IsAlways(Register reg, const MachineInstr& def) const {
    return reg.is_virtual() && reg_info_.UniqueDef(reg) == &def;
  }

  void FoldAddress(MachineInstr& address) {
    const Register reg = address.operand(0).reg();
    if (!address.operand(2).is_imm() || !FitsFrame(address.operand(2).imm()) || !IsAlways(reg, address)) return;
    std::vector<MachineInstr*> conversions;
    for (MachineOperand& use : reg_info_.NonDebugUses(reg)) {
      MachineInstr& user = *use.parent();
      if (user.opcode() == registers_.generic_to_local && IsAlways(user.operand(0).reg(), user)) {
        conversions.push_back(&user);
      }
    }
    FoldUses(reg, address, ptx::MemorySpace::kGeneric);
    for (MachineInstr* conversion : conversions) {
      FoldUses(conversion->operand(0).reg(), address, ptx::MemorySpace::kLocal);
      EraseIfUnused(*conversion);
    }
    EraseIfUnused(address);
  }

  void FoldUses(Register reg, const MachineInstr& address, ptx::MemorySpace space) {
    std::vector<MachineOperand*> uses;
    for (MachineOperand& use : reg_info_.NonDebugUses(reg)) uses.push_back(&use);
    for (MachineOperand* use : uses) FoldUse(*use, address, space);
  }

  void FoldUse(MachineOperand& use, const MachineInstr& address, ptx::MemorySpace space) {
    MachineInstr& user = *use.parent();
    const unsigned operand = use.operand_number();
    const ptx::PtxInstrInfo& info = ptx::InstrInfo(user.opcode());
    if (info.space != ptx::MemorySpace::kOperand || info.address != operand || use.is_tied()) return;
    // The user must be an access of a kind that can name an object.
    if (ptx::MemorySpaceOf(user) != space || ptx::IsOrderedAccess(user) || !user.operand(operand + 1).is_imm()) return;
    // An immediate may have any value; the sum of two values that fit a frame does not overflow.
    const int64_t own = user.operand(operand + 1).imm();
    const int64_t offset = FitsFrame(own) ? own + address.operand(2).imm() : own;
    if (!FitsFrame(own) || !FitsFrame(offset)) return;
    use.ChangeTo(address.operand(1));
    user.operand(operand + 1).set_imm(offset);
    user.operand(info.address_space).set_imm(0);
    ++folded_.accesses;
  }

  void EraseIfUnused(MachineInstr& instr) {
    const Register reg = instr.operand(0).reg();
    if (!reg_info_.NonDebugUses(reg).empty()) return;
    DropDebugUses(reg_info_, reg);
    instr.EraseFromParent();
    ++folded_.erased;
  }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  const FrameRegisters registers_;
  FoldedFrameAddresses folded_;
};

}  // namespace

FoldedFrameAddresses FoldFrameAddresses(MachineFunction& function) {
  const FrameRegisters registers = FrameRegistersOf(function);
  if (function.frame_info().objects().empty() || !function.MayContain(registers.add_offset)) return {};
  return AddressFolder(function).Run();
}

}  // namespace ptxmir
