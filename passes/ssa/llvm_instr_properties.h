// SPDX-License-Identifier: Apache-2.0

// What LLVM says of instructions and registers, for passes that decide as LLVM does: its MachineInstr by the flags of
// the opcode, of inline assembly by its own, and of loads by their memory operands alone; its tables of registers.

#ifndef PTXMIR_PASSES_SSA_LLVM_INSTR_PROPERTIES_H_
#define PTXMIR_PASSES_SSA_LLVM_INSTR_PROPERTIES_H_

#include "mir/code/machine_function.h"

namespace ptxmir {

bool MayLoad(const MachineInstr& instr);
bool MayStore(const MachineInstr& instr);
bool HasUnmodelledSideEffects(const MachineInstr& instr);
bool IsConvergent(const MachineInstr& instr);
// No dearer than a move.
bool IsAsCheapAsMove(const MachineInstr& instr);

// Whether a load may not change places with other accesses, or nothing says that it may (hasOrderedMemoryRef).
bool IsOrderedLoad(const MachineInstr& load);
// Whether the load reads the same wherever it stands, and may be executed there (isDereferenceableInvariantLoad).
bool IsInvariantLoad(const MachineInstr& load);

// Whether nothing but the order of loads and stores keeps the instruction where it is (isSafeToMove): loads move unless
// `saw_store`, which what stands in their way sets.
bool IsSafeToMove(const MachineInstr& instr, bool& saw_store);
// Whether the operand, a physical register, lets its instruction move: what is read is written nowhere, as the frame's
// registers are, and what is written is not read.
bool IsFreePhysical(const MachineRegisterInfo& reg_info, const MachineOperand& operand);

// The registers of a class that LLVM's tables have: what it takes for the limit of the pressure.
uint32_t LlvmPressureLimit(RegClassId reg_class);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SSA_LLVM_INSTR_PROPERTIES_H_
