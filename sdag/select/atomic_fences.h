// SPDX-License-Identifier: Apache-2.0

// Fences around atomic accesses whose order PTX instructions do not have by themselves.

#ifndef PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_
#define PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_

#include <cstdint>

#include "ptx/target/subtarget.h"
#include "sdag/graph/selection_dag.h"

namespace ptxmir::sdag {

// The scopes that the second operand of AtomicFence names: the numbers that instructions have for them (modifier
// atom.scope of ptx/isa/tables/prelude.isa).
enum class FenceScope : int64_t { kSingleThread = 0, kBlock = 1, kCluster = 2, kDevice = 3, kSystem = 4 };

// Puts AtomicFence nodes on the chain in front of and behind atomic accesses:
//   - sequentially consistent accesses have a fence.sc in front;
//   - read-modify-write operations, which PTX instructions of LLVM's tables do as relaxed ones, have a fence in front
//     that releases and one behind that acquires, as their order asks. LLVM 22 leaves these out.
//   - before sm_70, or PTX 6.0, loads and stores are volatile, and a membar acquires or releases.
void InsertAtomicFences(SelectionDAG& dag, const ptx::Subtarget& subtarget);

// The chain behind the fence that an access of relaxed instructions, with what the memory operand asks for, has in
// front of it or behind it; the chain given where it has none.
SDValue FenceBeforeAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access);
SDValue FenceBehindAccess(SelectionDAG& dag, SDLoc loc, SDValue chain, const MachineMemOperand& access);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_SELECT_ATOMIC_FENCES_H_
