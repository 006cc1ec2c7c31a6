// SPDX-License-Identifier: Apache-2.0

// Sub-registers of PTX, which has none: parts of a register are moved out of it and into it (mov.b64 {lo, hi}, %rd).
//
// A sub-register index of the DAG is one of SubRegIndex. Parts are numbered from the low end.

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

// EmitTargetHooks::insert_sub_register. EXTRACT_SUBREG takes the register apart, into registers of which the others
// are dead; INSERT_SUBREG does that and puts it together with the part; SUBREG_TO_REG makes the other parts zero;
// REG_SEQUENCE leaves those that are not given undefined.
MachineInstr* InsertSubRegister(MachineBasicBlock& block, MachineInstr* before, const SubRegOperation& operation);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_EMIT_SUB_REGISTERS_H_
