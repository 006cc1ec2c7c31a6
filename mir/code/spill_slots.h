// SPDX-License-Identifier: Apache-2.0

// Recognizes accesses to spill slots by the memory operands of instructions. Pressure reports, profiles and the
// interpreter's counters all use these functions. They work both before and after frame indices are eliminated.

#ifndef PTXMIR_MIR_CODE_SPILL_SLOTS_H_
#define PTXMIR_MIR_CODE_SPILL_SLOTS_H_

#include <algorithm>

#include "mir/code/machine_function.h"

namespace ptxmir {

inline bool IsSpillSlot(const MachineFrameInfo& frame, int index) {
  return frame.IsValid(index) && frame.object(index).type == StackObject::Type::kSpillSlot;
}

inline bool NamesSpillSlot(const MachineMemOperand& memoperand, const MachineFrameInfo& frame) {
  return memoperand.value_kind == MachineMemOperand::ValueKind::kFrameIndex &&
         IsSpillSlot(frame, memoperand.frame_index);
}

// Returns true if the instruction loads from or stores to a spill slot.
inline bool IsSpillAccess(const MachineInstr& instr) {
  const auto memoperands = instr.memoperands();
  if (memoperands.empty()) return false;
  const MachineFrameInfo& frame = instr.function().frame_info();
  return std::any_of(memoperands.begin(), memoperands.end(),
                     [&](const MachineMemOperand* memoperand) { return NamesSpillSlot(*memoperand, frame); });
}

// Returns true if the instruction's only memory access is a load from a spill slot.
inline bool IsReload(const MachineInstr& instr) {
  const auto memoperands = instr.memoperands();
  return memoperands.size() == 1 && memoperands[0]->is_load() && !memoperands[0]->is_store() && IsSpillAccess(instr);
}

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_SPILL_SLOTS_H_
