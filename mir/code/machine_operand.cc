// SPDX-License-Identifier: Apache-2.0

#include "mir/code/machine_operand.h"

#include "mir/code/machine_function.h"

namespace ptxmir {

unsigned MachineOperand::operand_number() const { return static_cast<unsigned>(this - parent()->operand_array()); }

void MachineOperand::SetReg(Register reg) {
  if (is_detached()) {
    word_ = reg.bits();
    return;
  }
  MachineInstr* instr = parent();
  const ArenaId id = instr->id() + 2 + static_cast<ArenaId>(this - instr->operand_array());
  MachineRegisterInfo& reg_info = instr->function().reg_info();
  reg_info.Unlink(*this, id);
  word_ = reg.bits();
  reg_info.Link(*this, id);
}

void MachineOperand::ChangeTo(const MachineOperand& other) {
  if (is_detached()) {
    *this = other;
    back_ = 0;
    tied_ = 0;
    return;
  }
  MachineInstr* instr = parent();
  if (is_tied()) instr->UntieOperand(operand_number());
  const ArenaId id = instr->id() + 2 + static_cast<ArenaId>(this - instr->operand_array());
  MachineRegisterInfo& reg_info = instr->function().reg_info();
  if (is_reg()) reg_info.Unlink(*this, id);
  const uint32_t back = back_;
  *this = other;
  back_ = back;
  tied_ = 0;
  if (is_use() && instr->is_debug()) flags_ |= kDebug;
  if (is_reg()) reg_info.Link(*this, id);
}

bool MachineOperand::IsIdenticalTo(const MachineOperand& other) const {
  if (kind_ != other.kind_ || word_ != other.word_) return false;
  if (is_reg()) return is_def() == other.is_def();
  return payload() == other.payload();
}

}  // namespace ptxmir
