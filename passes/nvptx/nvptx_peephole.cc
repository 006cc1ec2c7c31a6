// SPDX-License-Identifier: Apache-2.0

#include "passes/nvptx/nvptx_peephole.h"

#include "passes/support/frame_registers.h"

namespace ptxmir {
namespace {

// Returns the LEA of a generic frame address that `conversion` converts to a local one, or null if there is none.
MachineInstr* FindFrameAddress(const MachineInstr& conversion, const FrameRegisters& registers) {
  const MachineOperand& source = conversion.operand(1);
  if (!source.is_reg() || !source.reg().is_virtual()) return nullptr;
  MachineInstr* def = conversion.function().reg_info().UniqueDef(source.reg());
  if (def == nullptr || def->opcode() != registers.add_offset) return nullptr;
  const MachineOperand& base = def->operand(1);
  return base.is_reg() && base.reg() == registers.generic ? def : nullptr;
}

}  // namespace

PassResult RunNvptxPeephole(MachineFunction& function, PassContext& context) {
  const FrameRegisters registers = FrameRegistersOf(function);
  MachineRegisterInfo& reg_info = function.reg_info();
  uint64_t num_combined = 0;
  for (MachineBasicBlock& block : function) {
    for (MachineInstr* instr = block.front(); instr != nullptr;) {
      MachineInstr* const conversion = instr;
      instr = instr->next();
      if (conversion->opcode() != registers.generic_to_local) continue;
      MachineInstr* const address = FindFrameAddress(*conversion, registers);
      if (address == nullptr) continue;
      const Register old_address = address->operand(0).reg();
      BuildMI(block, conversion, registers.add_offset, address->debug_loc())
          .AddDef(conversion->operand(0).reg())
          .AddUse(registers.local)
          .Add(address->operand(2))
          .Insert();
      conversion->EraseFromParent();
      if (reg_info.NonDebugUses(old_address).empty()) address->EraseFromParent();
      ++num_combined;
    }
  }
  MachineInstr* const setup = reg_info.UniqueDef(registers.generic);
  const bool setup_is_unused = setup != nullptr && reg_info.NonDebugUses(registers.generic).empty();
  if (setup_is_unused) setup->EraseFromParent();
  context.AddStatistic("frame addresses taken in local space", num_combined);
  return {.changed = num_combined > 0 || setup_is_unused};
}

}  // namespace ptxmir
