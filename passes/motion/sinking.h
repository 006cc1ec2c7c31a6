// SPDX-License-Identifier: Apache-2.0

// What passes that move computations down the dominator tree have in common.

#ifndef PTXMIR_PASSES_MOTION_SINKING_H_
#define PTXMIR_PASSES_MOTION_SINKING_H_

#include <vector>

#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "analysis/machine_register_pressure.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// The block furthest down in which the results of `instr` are available for all of their uses, and which is in no cycle
// that `instr` is not in. Null when that is the block of `instr` or when there are no uses. Debug instructions count
// for nothing; an operand of a PHI is used at the end of the block that it comes from.
MachineBasicBlock* FurthestSinkTarget(const MachineInstr& instr, const MachineLoops& loops,
                                      const MachineDominatorTree& dominators);

// Whether ptxas has the value without a register: constants and parameters of kernels, which lie in constant memory.
bool IsCostless(const MachineRegisterInfo& reg_info, Register reg);

// The registers, in units of machine-rpa, that what `instr` reads takes at the beginning of `block` if `instr` is moved
// behind it, and with it the computations of its block that serve nothing else. What is live there anyway counts for
// nothing.
uint32_t UnitsOfOperands(const MachineInstr& instr, const MachineBasicBlock& block,
                         const MachineRegisterPressure& pressure);

// Where in `target`, which dominates all uses, `instr` goes: before the first of them there, or else before the
// terminators. Null: at the end.
MachineInstr* SinkPlace(const MachineInstr& instr, MachineBasicBlock& target);

// Moves `instr` into `target` before `place`, and adds the registers that it reads to `extended`: they are read where
// they were not, and their kill flags are the caller's business. Debug instructions that read its results know nothing
// from then on.
void SinkInto(MachineInstr& instr, MachineBasicBlock& target, MachineInstr* place, std::vector<Register>& extended);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_SINKING_H_
