// SPDX-License-Identifier: Apache-2.0

// Folds frame address arithmetic into loads and stores.
//
// Instruction selection takes the address of a stack object into a register (LEA_ADDR), converts it to local space
// (cvta.to.local) and accesses the object through it. If the offsets are constants, the access can name the object
// itself, which frame layout lowers to [%SPL+n]. The address then needs no register, and the object may not need
// memory at all.
//
// A frame index stands for a generic address, so a folded access names generic space. Frame layout, which knows
// that the frame is local, makes the access local again.

#ifndef PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_
#define PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct FoldedFrameAddresses {
  uint64_t accesses = 0;  // accesses that now name their object
  uint64_t erased = 0;    // instructions that were erased
};

FoldedFrameAddresses FoldFrameAddresses(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_FRAME_FRAME_ADDRESSES_H_
