// SPDX-License-Identifier: Apache-2.0

// Moves that save registers, for the policies of sinking (sinking.h) that make only such moves: how far they go, to
// which place, and what they cost in registers.

#ifndef PTXMIR_PASSES_MOTION_REGISTER_SAVING_H_
#define PTXMIR_PASSES_MOTION_REGISTER_SAVING_H_

#include "absl/functional/function_ref.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns true if the instruction is a computation or a load with results in virtual registers, whose operands are the
// same wherever it stands.
bool IsMovable(const MachineRegisterInfo& reg_info, const MachineInstr& instr);

// Returns true if a load reads the same value once it has moved to `target`. It reads constant memory, or only its own
// block leads to `target`, and nothing that it passes changes what it reads, which `is_changed` tells. If the load left
// a loop, later iterations might write that memory.
bool ReadsSameValueIn(const MachineBasicBlock& target, const MachineInstr& load, const MemoryDependence& memory,
                      absl::FunctionRef<bool()> is_changed);

// Returns the furthest block down the dominator tree in which the results of `instr` are available for all of
// their uses, and which is in no cycle that `instr` is not in. Returns null if that is the block of `instr` itself,
// if it executes more often than that, or if there are no uses. Debug instructions are ignored.
MachineBasicBlock* FurthestSinkTarget(const MachineInstr& instr, const MachineLoops& loops,
                                      const MachineDominatorTree& dominators,
                                      const MachineBlockFrequencies& frequencies);

// Returns the instruction of `target` before which `instr` is to be placed: the first use of its results there, or
// else the first terminator. `target` must dominate all uses. Returns null for the end of the block.
MachineInstr* PlaceBeforeUses(const MachineInstr& instr, MachineBasicBlock& target);

// Returns true if ptxas needs no register for the value: it is a constant or a kernel parameter, which lies in
// constant memory.
bool IsCostless(const MachineRegisterInfo& reg_info, Register reg);

// Returns by how many registers, in units of machine-rpa, fewer are live at the beginning of `block` once `instr` has
// moved past that point, together with the computations of its own block that only it uses. Negative: more are live.
// Its results must be live there. Operands that are live there anyway do not count.
int RegistersSavedAt(const MachineBasicBlock& block, const MachineInstr& instr,
                     const MachineRegisterPressure& pressure);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_MOTION_REGISTER_SAVING_H_
