// SPDX-License-Identifier: Apache-2.0

// Spill code: the one place that knows how a register of a class is stored to a frame index and loaded from it.
//
// Opcodes are found by what the instruction tables say of them (a load or store of one value of the class whose state
// space is an operand), and operands are filled in by their roles. Predicates are kept as integers of 32 bits: selp
// before the store, setp behind the load. b128, which no load or store of LLVM's has, goes as two halves of 64 bits.

#ifndef PTXMIR_PASSES_ALLOCATE_SPILL_CODE_H_
#define PTXMIR_PASSES_ALLOCATE_SPILL_CODE_H_

#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Code that was put in, in order. `temporaries` are the registers that are live within it alone.
struct SpillSequence {
  std::vector<MachineInstr*> instrs;
  std::vector<Register> temporaries;
};

// Whether registers of the class can be spilled.
bool CanSpillClass(RegClassId reg_class);

// Before `before` (null: at the end of the block). The first instruction of a store reads `value`; the last one of a
// load defines it.
SpillSequence InsertSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                               MetadataId debug_loc);
SpillSequence InsertSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                              MetadataId debug_loc);

// A place in shared memory (shared-spill-slots): word i of 32 bits lies at base + offset + i * stride.
struct SharedSpillPlace {
  Register base;
  int object = 0;  // of the frame, for memory operands
  int64_t offset = 0;
  int64_t stride = 0;
};

// The same for values of 16, 32 and 64 bits, the last in two words.
SpillSequence InsertSharedSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value,
                                     const SharedSpillPlace& place, MetadataId debug_loc);
SpillSequence InsertSharedSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value,
                                    const SharedSpillPlace& place, MetadataId debug_loc);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPILL_CODE_H_
