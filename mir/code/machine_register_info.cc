// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_register_info.h"

#include "base/str_cat.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

Register MachineRegisterInfo::CreateVirtualRegister(RegClassId reg_class) {
  virtual_.push_back({.head = 0, .reg_class = reg_class});
  return Register::Virtual(static_cast<uint32_t>(virtual_.size() - 1));
}

LowLevelType MachineRegisterInfo::type(Register reg) const {
  const auto it = types_.find(reg.virtual_index());
  return it == types_.end() ? LowLevelType() : it->second;
}

std::string_view MachineRegisterInfo::name(Register reg) const {
  if (names_.empty()) return {};
  const auto it = names_.find(reg.virtual_index());
  return it == names_.end() ? std::string_view() : it->second;
}

Register MachineRegisterInfo::preferred(Register reg) const {
  if (preferred_.empty()) return Register();
  const auto it = preferred_.find(reg.virtual_index());
  return it == preferred_.end() ? Register() : it->second;
}

bool MachineRegisterInfo::HasOneNonDebugUse(Register reg) const {
  const OperandRange<Filter::kNonDebugUses> range = NonDebugUses(reg);
  auto it = range.begin();
  return it != range.end() && ++it == range.end();
}

void MachineRegisterInfo::ReplaceRegister(Register from, Register to) {
  if (from == to) return;
  while (MachineOperand* operand = Resolve(HeadOf(from))) operand->SetReg(to);
}

void MachineRegisterInfo::ClearKillFlags(Register reg) {
  for (MachineOperand& operand : Uses(reg)) operand.set_reg_flag(MachineOperand::kKill, false);
}

void MachineRegisterInfo::Unlink(MachineOperand& operand, ArenaId id) {
  const Register reg = operand.reg();
  if (!reg.is_valid()) return;
  ArenaId& head = MutableHead(reg);
  const ArenaId previous = operand.links_.previous;
  const ArenaId next = operand.links_.next;
  if (head == id) {
    head = next;
  } else {
    Resolve(previous)->links_.next = next;
  }
  // The next operand takes over the predecessor of `operand`. If there is none, `operand` was the tail. Its
  // predecessor is then the new tail, which the head's `previous` must name.
  if (next != 0) {
    Resolve(next)->links_.previous = previous;
  } else if (head != 0) {
    Resolve(head)->links_.previous = previous;
  }
  operand.links_ = {0, 0};
}

std::string MachineRegisterInfo::CheckUseLists() const {
  size_t linked = 0;
  const auto check_list = [&](Register reg) -> std::string {
    const ArenaId head = HeadOf(reg);
    ArenaId previous = 0;
    bool seen_use = false;
    for (ArenaId id = head; id != 0;) {
      const MachineOperand* operand = Resolve(id);
      if (!operand->is_reg() || operand->reg() != reg) {
        return StrCat("use list of register ", reg.bits(), " holds an operand of another");
      }
      if (operand->is_def() && seen_use) {
        return StrCat("use list of register ", reg.bits(), " has a definition after a use");
      }
      seen_use |= operand->is_use();
      if (id != head && operand->links_.previous != previous) {
        return StrCat("use list of register ", reg.bits(), " is broken backwards");
      }
      ++linked;
      previous = id;
      id = operand->links_.next;
    }
    if (head != 0 && Resolve(head)->links_.previous != previous) {
      return StrCat("use list of register ", reg.bits(), " has a wrong tail");
    }
    return {};
  };
  for (uint32_t i = 0; i < num_virtual_registers(); ++i) {
    if (std::string flaw = check_list(Register::Virtual(i)); !flaw.empty()) return flaw;
  }
  for (uint32_t i = 1; i < physical_heads_.size(); ++i) {
    if (std::string flaw = check_list(Register::Physical(i)); !flaw.empty()) return flaw;
  }
  size_t in_blocks = 0;
  for (const MachineBasicBlock& block : function_) {
    for (const MachineInstr& instr : block) {
      for (const MachineOperand& operand : instr.operands()) {
        in_blocks += operand.is_reg() && operand.reg().is_valid();
      }
    }
  }
  if (linked < in_blocks) {
    return StrCat("use lists hold ", linked, " operands, the function ", in_blocks);
  }
  return {};
}

}  // namespace ptxmir
