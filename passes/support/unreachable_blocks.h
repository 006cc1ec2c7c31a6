// SPDX-License-Identifier: Apache-2.0

// Erases blocks that control cannot reach, for passes that decide branches. Passes after them, and the verifier of SSA
// form, need not expect definitions that no path reaches.

#ifndef PTXMIR_PASSES_SUPPORT_UNREACHABLE_BLOCKS_H_
#define PTXMIR_PASSES_SUPPORT_UNREACHABLE_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Removes what the PHIs of `block` take from `predecessor`, and appends the registers that lose a use to `lost_a_use`
// unless that is null. A PHI without other operands becomes an IMPLICIT_DEF: control does not reach the block any more.
void RemovePhiIncomings(MachineBasicBlock& block, const MachineBasicBlock& predecessor,
                        std::vector<Register>* lost_a_use = nullptr);

// Erases the blocks that control cannot reach from the entry or from a block whose address is taken, and returns their
// number. The operands that PHIs take from them go, too, and debug instructions that read their results become
// undefined. Appends the registers that lose a use to `lost_a_use` unless that is null. Linear in the size of the
// function.
uint64_t EraseUnreachableBlocks(MachineFunction& function, std::vector<Register>* lost_a_use = nullptr);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SUPPORT_UNREACHABLE_BLOCKS_H_
