// What LLVM's MachineInstr says of an instruction, for passes that decide as LLVM does: by the flags of the opcode, of
// inline assembly by its own, and of loads by their memory operands alone.

#ifndef PTXMIR_PASSES_LLVM_INSTR_PROPERTIES_H_
#define PTXMIR_PASSES_LLVM_INSTR_PROPERTIES_H_

#include "mir/machine_function.h"

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

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LLVM_INSTR_PROPERTIES_H_
