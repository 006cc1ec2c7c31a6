// SPDX-License-Identifier: Apache-2.0

#include "mir/code/function_fingerprint.h"

namespace ptxmir {
namespace {

void AddMemOperand(const MachineMemOperand& memoperand, Fingerprint& out) {
  out.Add(memoperand.flags, static_cast<uint32_t>(memoperand.value_kind));
  out.Add(static_cast<uint32_t>(memoperand.success_ordering), static_cast<uint32_t>(memoperand.failure_ordering));
  out.Add(uint32_t{memoperand.align_log2} << 8 | memoperand.base_align_log2, memoperand.address_space);
  out.Add(memoperand.SizeInBytes());
  out.Add(static_cast<uint32_t>(memoperand.frame_index));
  out.Add(static_cast<uint64_t>(memoperand.offset));
  out.Add(memoperand.text);
  out.Add(memoperand.syncscope);
  out.Add(memoperand.tbaa, memoperand.alias_scope);
  out.Add(memoperand.noalias, memoperand.range);
}

void AddObjects(const std::vector<StackObject>& objects, Fingerprint& out) {
  out.Add(objects.size());
  for (const StackObject& object : objects) {
    out.Add(static_cast<uint32_t>(object.type),
            uint32_t{object.stack_id} << 16 | uint32_t{object.align_log2} << 1 | object.is_dead);
    out.Add(static_cast<uint64_t>(object.offset));
    out.Add(object.size);
  }
}

}  // namespace

void AddInstrFingerprint(const MachineInstr& instr, Fingerprint& out) {
  out.Add(instr.opcode(), instr.num_operands());
  out.Add(instr.flags(), instr.debug_loc());
  for (const MachineOperand& operand : instr.operands()) {
    if (operand.is_reg()) {
      out.Add(operand.reg().bits(), operand.reg_flags());
      if (operand.is_tied()) out.Add(instr.FindTiedOperand(operand.operand_number()));
    } else {
      out.Add(static_cast<uint32_t>(operand.kind()), operand.index());
      out.Add(static_cast<uint64_t>(operand.imm()));
    }
  }
  for (const MachineMemOperand* memoperand : instr.memoperands()) AddMemOperand(*memoperand, out);
}

uint64_t FunctionFingerprint(const MachineFunction& function) {
  Fingerprint out;
  AddObjects(function.frame_info().objects(), out);
  AddObjects(function.frame_info().fixed_objects(), out);
  out.Add(function.frame_info().stack_size);
  out.Add(function.frame_info().max_alignment);
  for (const JumpTable& table : function.jump_tables()) {
    out.Add(table.blocks.size());
    for (const BlockNumber block : table.blocks) out.Add(block);
  }
  const MachineRegisterInfo& reg_info = function.reg_info();
  for (uint32_t i = 0; i < reg_info.num_virtual_registers(); ++i) out.Add(reg_info.reg_class(Register::Virtual(i)));
  for (const MachineBasicBlock& block : function) {
    out.Add(block.number(), static_cast<uint32_t>(block.successors().size()));
    for (size_t i = 0; i < block.successors().size(); ++i) {
      out.Add(block.successors()[i]->number(), block.successor_probabilities()[i].numerator());
    }
    for (const MachineBasicBlock::LiveIn& live_in : block.live_ins()) out.Add(live_in.reg.bits());
    for (const MachineInstr& instr : block) AddInstrFingerprint(instr, out);
  }
  return out.value();
}

}  // namespace ptxmir
