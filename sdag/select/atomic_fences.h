// SPDX-License-Identifier: Apache-2.0

// Fences around atomic accesses whose memory order a PTX instruction does not provide by itself.

#ifndef PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_
#define PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_

#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// Puts AtomicFence nodes on the chain before and after atomic accesses:
//   - A sequentially consistent access gets a fence.sc before it.
//   - A read-modify-write operation is relaxed in the PTX instructions of LLVM's tables. It gets a releasing fence
//     before it and an acquiring fence after it, as its order requires. LLVM 22 omits these fences.
//   - Before sm_70 or PTX 6.0, loads and stores are volatile, and a membar acquires or releases.
void InsertAtomicFences(SelectionDAG& dag, const ptx::Subtarget& subtarget);

// Return the chain after the fence that an access needs before or after it. The access consists of relaxed
// instructions; `access` gives the required order. If no fence is needed, they return `chain`.
SDValue FenceBeforeAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access);
SDValue FenceBehindAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_
