// SPDX-License-Identifier: Apache-2.0

// Shared helpers for passes that move computations down the dominator tree.

#ifndef PTXMIR_PASSES_MOTION_SINKING_H_
#define PTXMIR_PASSES_MOTION_SINKING_H_

#include <vector>

#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the furthest block down the dominator tree in which the results of `instr` are available for all of
// their uses, and which is in no cycle that `instr` is not in. Returns null if that is the block of `instr` itself
// or if there are no uses. Debug instructions are ignored. A PHI's operand is used at the end of the block that it
// comes from.
MachineBasicBlock* FurthestSinkTarget(const MachineInstr& instr, const MachineLoops& loops,
                                      const MachineDominatorTree& dominators);

// Returns true if ptxas needs no register for the value: it is a constant or a kernel parameter, which lies in
// constant memory.
bool IsCostless(const MachineRegisterInfo& reg_info, Register reg);

// Returns the registers, in units of machine-rpa, that become live at the beginning of `block` if `instr` moves
// past that point, together with the computations of its own block that only it uses. Operands that are live there
// anyway do not count.
uint32_t UnitsOfOperands(const MachineInstr& instr, const MachineBasicBlock& block,
                         const MachineRegisterPressure& pressure);

// Returns the instruction of `target` before which `instr` is to be placed: the first use of its results there, or
// else the first terminator. `target` must dominate all uses. Returns null for the end of the block.
MachineInstr* SinkPlace(const MachineInstr& instr, MachineBasicBlock& target);

// Moves `instr` into `target` before `place`, and appends the registers that it reads to `extended`: they are now
// read at a new place, and the caller must update their kill flags. Debug instructions that read the results of
// `instr` become undefined.
void SinkInto(MachineInstr& instr, MachineBasicBlock& target, MachineInstr* place, std::vector<Register>& extended);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINKING_H_
