// SPDX-License-Identifier: Apache-2.0

// The registers and opcodes for a function's frame, according to its pointer width.

#ifndef PTXMIR_PASSES_SUPPORT_FRAME_REGISTERS_H_
#define PTXMIR_PASSES_SUPPORT_FRAME_REGISTERS_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

struct FrameRegisters {
  Register generic;           // %SP: the generic address of the frame
  Register local;             // %SPL: the frame's address in local space
  Register depot;             // the name of the frame in debug values
  Opcode move_depot_address;  // local = address of __local_depotN
  Opcode local_to_generic;    // generic = cvta.local local
  Opcode generic_to_local;    // cvta.to.local
  Opcode add_offset;          // LEA_ADDRi*: frame register plus offset
};

FrameRegisters FrameRegistersOf(const MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_FRAME_REGISTERS_H_
