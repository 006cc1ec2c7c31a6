// SPDX-License-Identifier: Apache-2.0

// LLVM's view of instructions and registers, for passes that make the same decisions as LLVM. The properties of an
// instruction come from the flags of its opcode, those of inline assembly from its own flags, and those of loads
// only from their memory operands. Pressure limits come from LLVM's register tables.

#ifndef PTXMIR_PASSES_SSA_INSTR_PROPERTIES_LIKE_LLVM_H_
#define PTXMIR_PASSES_SSA_INSTR_PROPERTIES_LIKE_LLVM_H_

#include "mir/code/machine_function.h"

namespace ptxmir::like_llvm {

bool MayLoad(const MachineInstr& instr);
bool MayStore(const MachineInstr& instr);
bool HasUnmodeledSideEffects(const MachineInstr& instr);
bool IsConvergent(const MachineInstr& instr);
// Returns true if the instruction costs no more than a move.
bool IsAsCheapAsMove(const MachineInstr& instr);

// Returns true if a load must not be reordered with other accesses, or if no memory operand says that it may be
// (hasOrderedMemoryRef).
bool IsOrderedLoad(const MachineInstr& load);
// Returns true if the load reads the same value anywhere and may be executed anywhere
// (isDereferenceableInvariantLoad).
bool IsInvariantLoad(const MachineInstr& load);

// Returns true if the instruction may move (isSafeToMove). A load that is not invariant may move only if
// `saw_store` is false. Instructions that such loads must not cross set `saw_store`.
bool IsSafeToMove(const MachineInstr& instr, bool& saw_store);
// Returns true if the operand, a physical register, does not keep its instruction from moving: a register that is
// read must have no definition, as is the case for the frame registers, and one that is written must be dead.
bool IsFreePhysical(const MachineRegisterInfo& reg_info, const MachineOperand& operand);

// Returns the number of registers of a class in LLVM's tables, which LLVM uses as the pressure limit.
uint32_t PressureLimit(RegClassId reg_class);

}  // namespace ptxmir::like_llvm

#endif  // PTXMIR_PASSES_SSA_INSTR_PROPERTIES_LIKE_LLVM_H_
