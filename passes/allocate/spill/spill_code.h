// SPDX-License-Identifier: Apache-2.0

// Spill code: the only place that knows how a register of a class is stored to a frame index and loaded from it.
//
// Opcodes are found by their properties in the instruction tables (a load or store of one value of the class whose
// state space is an operand), and operands are filled in by their roles. Predicates are spilled as 32-bit
// integers: selp before the store, setp after the load. No load or store in LLVM supports b128, so such a value is
// spilled as two 64-bit halves.

#ifndef PTXMIR_PASSES_ALLOCATE_SPILL_SPILL_CODE_H_
#define PTXMIR_PASSES_ALLOCATE_SPILL_SPILL_CODE_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// The inserted instructions, in order. `temporaries` are the registers that are live only within the sequence.
struct SpillSequence {
  std::vector<MachineInstr*> instrs;
  std::vector<Register> temporaries;
};

// Returns true if registers of the class can be spilled.
bool CanSpillClass(RegClassId reg_class);

// Insert a store of `value` to a slot, or a load from it, before `before` (null: at the end of the block). The
// first instruction of a store reads `value`; the last instruction of a load defines it.
SpillSequence InsertSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                               MetadataId debug_loc);
SpillSequence InsertSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value, int slot,
                              MetadataId debug_loc);

inline constexpr uint32_t kSharedSpillWordBytes = 4;

// A place in shared memory (shared-spill-slots). 32-bit word i is at base + offset + i * stride.
struct SharedSpillPlace {
  Register base;
  int object = 0;  // the frame object, for memory operands
  int64_t offset = 0;
  int64_t stride = 0;
};

// Insert a store of `value` to a place in shared memory, or a load from it. Values may have 16, 32 or 64 bits; a
// 64-bit value takes two words.
SpillSequence InsertSharedSpillStore(MachineBasicBlock& block, MachineInstr* before, Register value,
                                     const SharedSpillPlace& place, MetadataId debug_loc);
SpillSequence InsertSharedSpillLoad(MachineBasicBlock& block, MachineInstr* before, Register value,
                                    const SharedSpillPlace& place, MetadataId debug_loc);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPILL_SPILL_CODE_H_
