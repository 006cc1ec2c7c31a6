// SPDX-License-Identifier: Apache-2.0

#include "passes/pipeliner/modulo_values.h"

#include "mir/code/operand_ranges.h"

namespace ptxmir {

ModuloValues::ModuloValues(const LoopBody& body, const ModuloSchedule& schedule, uint32_t num_copies)
    : body_(body),
      schedule_(schedule),
      num_copies_(static_cast<int32_t>(num_copies)),
      num_prologue_steps_(static_cast<int32_t>(schedule.num_stages) - 1) {
  for (const MachineInstr* instr : body.instrs) {
    for (const MachineOperand& def : VirtualDefs(*instr)) {
      slot_of_.emplace(def.reg(), static_cast<uint32_t>(registers_.size()));
      registers_.push_back(def.reg());
    }
  }
  prologue_.assign(static_cast<size_t>(num_prologue_steps_), std::vector<Register>(registers_.size()));
  kernel_.assign(num_copies, std::vector<Register>(registers_.size()));
  MachineRegisterInfo& reg_info = body.block->function().reg_info();
  for (std::vector<Register>& copy : kernel_) {
    for (size_t slot = 0; slot < registers_.size(); ++slot) {
      copy[slot] = reg_info.CreateVirtualRegister(reg_info.reg_class(registers_[slot]));
    }
  }
}

Register ModuloValues::Define(Register reg, int32_t step, const Place& place) {
  const uint32_t slot = SlotOf(reg);
  if (!place.is_epilogue && step >= 0) return kernel_[static_cast<size_t>(step)][slot];
  MachineRegisterInfo& reg_info = body_.block->function().reg_info();
  const Register result = reg_info.CreateVirtualRegister(reg_info.reg_class(reg));
  if (!place.is_epilogue) {
    prologue_[static_cast<size_t>(step + num_prologue_steps_)][slot] = result;
    return result;
  }
  const auto index = static_cast<size_t>(step - place.exit_step - 1);
  if (place.epilogue->size() <= index) place.epilogue->resize(index + 1, std::vector<Register>(registers_.size()));
  (*place.epilogue)[index][slot] = result;
  return result;
}

Register ModuloValues::Read(const LoopValue& value, uint32_t stage, int32_t step, const Place& place) {
  if (value.is_invariant()) return value.reg;
  // The iteration in question executes `stage` now. The one that computed the value is `distance` iterations older, and
  // executed the stage of the definition at this step:
  const int32_t def_step =
      step - static_cast<int32_t>(stage + value.distance()) + static_cast<int32_t>(StageOfDef(value));
  const bool is_before_kernel = place.is_epilogue ? place.exit_step < 0 : step < 0;
  const bool is_after_exit = place.is_epilogue && def_step > place.exit_step;
  if (is_after_exit && !(is_before_kernel && IterationOf(value, def_step) < 0)) {
    if (value.node == LoopValue::kNoNode) return value.reg;
    return (*place.epilogue)[static_cast<size_t>(def_step - place.exit_step - 1)][SlotOf(value.reg)];
  }
  return is_before_kernel ? ReadFromPrologue(value, def_step) : ReadFromKernel(value, def_step);
}

int32_t ModuloValues::IterationOf(const LoopValue& value, int32_t def_step) const {
  return def_step + num_prologue_steps_ - static_cast<int32_t>(StageOfDef(value));
}

Register ModuloValues::ReadFromPrologue(const LoopValue& value, int32_t def_step) const {
  const int32_t iteration = IterationOf(value, def_step);
  if (iteration < 0) return value.initial[static_cast<size_t>(iteration + static_cast<int32_t>(value.distance()))];
  if (value.node == LoopValue::kNoNode) return value.reg;
  return prologue_[static_cast<size_t>(def_step + num_prologue_steps_)][SlotOf(value.reg)];
}

Register ModuloValues::ReadFromKernel(const LoopValue& value, int32_t def_step) {
  if (def_step >= 0) {
    if (value.node == LoopValue::kNoNode) return value.reg;
    return kernel_[static_cast<size_t>(def_step)][SlotOf(value.reg)];
  }
  const Register from_prologue = ReadFromPrologue(value, def_step);
  const Register from_kernel = ReadFromKernel(value, def_step + num_copies_);
  if (from_prologue == from_kernel) return from_prologue;
  Register& result = phi_of_[{from_prologue, from_kernel}];
  if (!result.is_valid()) {
    MachineRegisterInfo& reg_info = body_.block->function().reg_info();
    result = reg_info.CreateVirtualRegister(reg_info.reg_class(value.reg));
    kernel_phis_.push_back({.result = result, .from_prologue = from_prologue, .from_kernel = from_kernel});
  }
  return result;
}

}  // namespace ptxmir
