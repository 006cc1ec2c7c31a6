// SPDX-License-Identifier: Apache-2.0

// Sub-registers for PTX, which has none. Parts of a register are moved out of it and into it (mov.b64 {lo, hi},
// %rd).
//
// The sub-register indices of the DAG are those of SubRegIndex. Parts are numbered from the low end.

#ifndef PTXMIR_SDAG_EMIT_SUB_REGISTERS_H_
#define PTXMIR_SDAG_EMIT_SUB_REGISTERS_H_

#include <cstdint>

#include "sdag/emit/emit_target_hooks.h"

namespace ptxmir::sdag {

enum SubRegIndex : uint32_t {
  kSub16_0 = 1,  // of b32 and b64
  kSub16_1,
  kSub16_2,  // of b64
  kSub16_3,
  kSub32_0,  // of b64
  kSub32_1,
  kSub64_0,  // of b128
  kSub64_1,
};

// Implements EmitTargetHooks::insert_sub_register. EXTRACT_SUBREG unpacks the register; the parts that are not
// asked for are dead. INSERT_SUBREG unpacks it and packs it again with the new part. SUBREG_TO_REG sets the other
// parts to zero. REG_SEQUENCE leaves parts that are not given undefined.
MachineInstr* InsertSubRegister(MachineBasicBlock& block, MachineInstr* before, const SubRegOperation& operation);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_SUB_REGISTERS_H_
