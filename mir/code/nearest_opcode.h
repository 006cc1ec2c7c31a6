// SPDX-License-Identifier: Apache-2.0

// "Did you mean ...?" for opcodes.

#ifndef PTXMIR_MIR_CODE_NEAREST_OPCODE_H_
#define PTXMIR_MIR_CODE_NEAREST_OPCODE_H_

#include "base/nearest_name.h"
#include "mir/code/instr_desc.h"

namespace ptxmir {

// Offers the names of all opcodes of a target, in both spellings.
void ConsiderOpcodes(const TargetInfo& target, NearestName& nearest);

}  // namespace ptxmir

#endif  // PTXMIR_MIR_CODE_NEAREST_OPCODE_H_
