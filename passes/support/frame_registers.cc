// SPDX-License-Identifier: Apache-2.0

#include "passes/support/frame_registers.h"

#include "ir/module.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {

FrameRegisters FrameRegistersOf(const MachineFunction& function) {
  const Module* module = function.module();
  if (module != nullptr && module->data_layout().PointerBits(0) == 32) {
    return {.generic = Register::Physical(ptx::phys_reg::kFrame32),
            .local = Register::Physical(ptx::phys_reg::kFrameLocal32),
            .depot = Register::Physical(ptx::phys_reg::kDepot),
            .move_depot_address = ptx::op::MOV_DEPOT_ADDR,
            .local_to_generic = ptx::op::cvta_local,
            .generic_to_local = ptx::op::cvta_to_local,
            .add_offset = ptx::op::LEA_ADDRi};
  }
  return {.generic = Register::Physical(ptx::phys_reg::kFrame64),
          .local = Register::Physical(ptx::phys_reg::kFrameLocal64),
          .depot = Register::Physical(ptx::phys_reg::kDepot),
          .move_depot_address = ptx::op::MOV_DEPOT_ADDR_64,
          .local_to_generic = ptx::op::cvta_local_64,
          .generic_to_local = ptx::op::cvta_to_local_64,
          .add_offset = ptx::op::LEA_ADDRi64};
}

}  // namespace ptxmir
