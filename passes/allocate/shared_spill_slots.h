// SPDX-License-Identifier: Apache-2.0

// shared-spill-slots: moves spill slots from the thread's local memory to shared memory of its CTA.
//
// ptxas promotes a value that is stored to .local and loaded from there back into a register, and then spills by its
// own judgement. It cannot do so with shared memory, which other threads see. Slots that this pass moves are therefore
// registers that a kernel is rid of; what is accessed most for each word goes first, until the room
// (passes/allocate/shared_spill_room.h) is taken.
//
// Layout: word w of a thread's slots lies at
//
//     __shared_depotN + w * threads * 4 + thread * 4
//
// so that the threads of a warp access consecutive words, each in a bank of its own, and one register is the base of
// all accesses. A value of 64 bits is two such words; 8-byte lanes would need a second base register for a transfer
// that takes two cycles all the same. A thread's number in its CTA is computed once, from %tid alone where .reqntid
// gives the shape, and leaving out dimensions of size 1, else from %ntid too.
//
// In machine code the memory is an object of the frame with the stack id "ptx-shared", which frame layout leaves alone,
// and its address the symbol __shared_depotN, N being the function's number, as for __local_depotN.
//
// -ra-spill-space=shared asks for it; auto: where what the SM's threads keep in local memory exceeds what is left of
// the L1 cache for it, so that it would be loaded from L2. Without spill slots the pass costs nothing.

#ifndef PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_SLOTS_H_
#define PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_SLOTS_H_

#include "passes/pass.h"

namespace ptxmir {

PassResult RunSharedSpillSlots(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SHARED_SPILL_SLOTS_H_
