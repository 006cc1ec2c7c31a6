// SPDX-License-Identifier: Apache-2.0

#include "passes/memory/addressed_objects.h"

#include "ptx/target/instr_info.h"

namespace ptxmir {
namespace {

// Returns the register that holds the object's address with a constant added or in another space, or none.
Register AddressMadeOf(const MachineOperand& use) {
  const MachineInstr& instr = *use.parent();
  if (!instr.is_copy() && !ptx::InstrInfo(instr.opcode()).is_pure()) return Register();
  for (unsigned i = 1; i < instr.num_operands(); ++i) {
    if (i != use.operand_number() && !instr.operand(i).is_imm()) return Register();
  }
  const MachineOperand& def = instr.operand(0);
  return def.is_reg() && def.is_def() && def.reg().is_virtual() ? def.reg() : Register();
}

bool IsMarker(const MachineInstr& instr) {
  return instr.is_debug() || instr.opcode() == generic::kLifetimeStart || instr.opcode() == generic::kLifetimeEnd;
}

}  // namespace

AddressedObjects::AddressedObjects(MachineFunction& function) {
  if (function.frame_info().objects().empty()) return;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      for (MachineOperand& operand : instr.operands()) {
        if (operand.is_frame_index()) AddUse(operand.frame_index(), operand);
      }
    }
  }
  absl::flat_hash_set<std::pair<int, uint32_t>> seen;
  while (!addresses_.empty()) {
    const auto [index, reg] = addresses_.back();
    addresses_.pop_back();
    if (Contains(index) || !seen.insert({index, reg.bits()}).second) continue;
    for (MachineOperand& use : function.reg_info().NonDebugUses(reg)) AddUse(index, use);
  }
}

void AddressedObjects::AddUse(int index, MachineOperand& use) {
  const MachineInstr& instr = *use.parent();
  if (IsMarker(instr)) return;
  const ptx::PtxInstrInfo& info = ptx::InstrInfo(instr.opcode());
  if (info.touches_memory() && info.address == use.operand_number()) return;
  if (const Register address = AddressMadeOf(use); address.is_virtual()) {
    addresses_.push_back({index, address});
  } else {
    objects_.insert(index);
  }
}

}  // namespace ptxmir
