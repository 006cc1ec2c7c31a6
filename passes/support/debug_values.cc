// SPDX-License-Identifier: Apache-2.0

#include "passes/support/debug_values.h"

#include <algorithm>

namespace ptxmir {

void MakeDebugValueUndefined(MachineInstr& instr) {
  const bool is_value = instr.opcode() == generic::kDbgValue;
  const bool is_list = instr.opcode() == generic::kDbgValueList || instr.opcode() == generic::kDbgInstrRef;
  if (!is_value && !is_list) return;
  // A list has the variable and the expression first.
  const unsigned first = is_value ? 0 : 2;
  const unsigned end = is_value ? std::min(1u, instr.num_operands()) : instr.num_operands();
  for (unsigned i = first; i < end; ++i) {
    instr.operand(i).ChangeTo(MachineOperand::CreateReg(Register(), MachineOperand::kDebug));
  }
}

}  // namespace ptxmir
