// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/value_replacement.h"

#include "mir/code/operand_ranges.h"

namespace ptxmir {

ValueReplacement::ValueReplacement(MachineFunction& function) : function_(function), dominance_(function) {
  const MachineRegisterInfo& registers = function.reg_info();
  definitions_.resize(registers.num_virtual_registers());
  class_definitions_.resize(function.target().reg_classes.size());
  uint32_t position = 0;
  for (MachineBasicBlock& block : function) {
    for (const MachineInstr& instr : block) {
      const Place place = {&block, position++};
      places_[&instr] = place;
      for (const MachineOperand& def : VirtualDefs(instr)) {
        definitions_[def.reg().virtual_index()] = place;
        const RegClassId reg_class = registers.reg_class(def.reg());
        if (reg_class < class_definitions_.size()) class_definitions_[reg_class].push_back({def.reg(), place});
      }
    }
  }
}

bool ValueReplacement::IsAvailable(Register reg, const Place& defined, const MachineInstr& instr,
                                   const Place& used) const {
  if (defined.block == nullptr || function_.reg_info().UniqueDef(reg) == nullptr) return false;
  if (defined.block == used.block) return defined.position < used.position && !instr.is_phi();
  return dominance_.IsReachable(*defined.block) && dominance_.IsReachable(*used.block) &&
         dominance_.Dominates(*defined.block, *used.block);
}

Register ValueReplacement::FirstAvailable(const MachineInstr& instr, RegClassId reg_class) const {
  const auto place = places_.find(&instr);
  if (place == places_.end() || reg_class >= class_definitions_.size()) return Register();
  for (const Definition& definition : class_definitions_[reg_class]) {
    if (definition.place.position >= place->second.position) break;
    if (IsAvailable(definition.reg, definition.place, instr, place->second)) return definition.reg;
  }
  return Register();
}

Register ValueReplacement::AvailableOperand(const MachineInstr& instr, Register result) const {
  const auto place = places_.find(&instr);
  if (place == places_.end()) return Register();
  const MachineRegisterInfo& registers = function_.reg_info();
  for (const MachineOperand& read : VirtualReads(instr)) {
    const Register reg = read.reg();
    if (reg == result) continue;
    if (registers.reg_class(reg) != registers.reg_class(result)) continue;
    if (IsAvailable(reg, definitions_[reg.virtual_index()], instr, place->second)) return reg;
  }
  return Register();
}

void ValueReplacement::Delete(MachineInstr& instr, bool leave_undefined) {
  MachineRegisterInfo& registers = function_.reg_info();
  MachineBasicBlock& block = *instr.parent();
  std::vector<Register> results;
  for (const MachineOperand& def : VirtualDefs(instr)) {
    if (!registers.HasNoUses(def.reg()) && registers.UniqueDef(def.reg()) == &instr) results.push_back(def.reg());
  }
  for (const Register result : results) {
    Register other = leave_undefined ? Register() : AvailableOperand(instr, result);
    if (!other.is_valid() && !leave_undefined) other = FirstAvailable(instr, registers.reg_class(result));
    if (!other.is_valid()) {
      BuildMI(block, instr.is_phi() ? block.FirstNonPhi() : &instr, generic::kImplicitDef).AddDef(result).Insert();
      continue;
    }
    registers.ReplaceRegister(result, other);
    registers.ClearKillFlags(other);
    for (MachineOperand& definition : registers.Defs(other)) {
      definition.set_reg_flag(MachineOperand::kDead, false);
    }
  }
  instr.EraseFromParent();
}

}  // namespace ptxmir
