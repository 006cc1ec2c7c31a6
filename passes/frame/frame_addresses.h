// SPDX-License-Identifier: Apache-2.0

// Cleaning of frame address arithmetic.
//
// Instruction selection takes the address of a stack object into a register (LEA_ADDR), converts it to local space
// (cvta.to.local) and accesses it from there. Where the offsets are constants the access can name the object itself,
// which frame layout turns into [%SPL+n]: the address needs no register, and the object may not need memory.
//
// A frame index stands for a generic address, so the access then names generic space; frame layout, which knows that
// the frame is local, makes it local again.

#ifndef PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_
#define PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct FoldedFrameAddresses {
  uint64_t accesses = 0;  // that name their object now
  uint64_t erased = 0;    // instructions
};

FoldedFrameAddresses FoldFrameAddresses(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_
