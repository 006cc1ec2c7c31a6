// SPDX-License-Identifier: Apache-2.0

// shared-spill-slots moves spill slots from the thread's local memory to shared memory of its CTA.
//
// ptxas promotes a value that is stored to .local and loaded back into a register, and then spills by its own
// judgement. It cannot do so with shared memory, which other threads can see. The slots that this pass moves
// therefore really reduce the registers that a kernel needs. Slots with the most accesses per word are moved
// first, until the room (passes/allocate/spill/shared_spill_room.h) is used up.
//
// Layout: word w of a thread's slots is at
//
//     __shared_depotN + w * threads * 4 + thread * 4
//
// so that the threads of a warp access consecutive words, each in a bank of its own, and one register is the base
// of all accesses. A 64-bit value occupies two such words; 8-byte lanes would need a second base register, and the
// transfer takes two cycles in any case. A thread's number in its CTA is computed once: only from %tid if .reqntid
// gives the shape, omitting dimensions of size 1, and otherwise from %tid and %ntid.
//
// In machine code, the memory is a frame object with the stack id "ptx-shared", which frame layout ignores. Its
// address is the symbol __shared_depotN, where N is the function's number, as for __local_depotN.
//
// -ra-spill-space=shared requests the pass. With auto it runs if the local memory of the SM's threads exceeds the
// part of the L1 cache that is left for it, so that spilled values would be loaded from L2. Without spill slots,
// the pass costs nothing.

#ifndef PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_SLOTS_H_
#define PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_SLOTS_H_

#include "passes/pass_context.h"

namespace ptxmir {

PassResult RunSharedSpillSlots(MachineFunction& function, PassContext& context);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPILL_SHARED_SPILL_SLOTS_H_
