// SPDX-License-Identifier: Apache-2.0

// Classifies the instructions that allocation inserts by how they move values, for the register checker. The
// classification uses the properties of opcodes in the instruction tables, never their names.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct RegisterTransfer {
  enum class Kind : uint8_t {
    kNothing,    // debug values and similar instructions
    kCopy,       // operand `target` <- operand `source`
    kSpill,      // stack <- operands [first_value, + num_values)
    kReload,     // operands [first_value, + num_values) <- stack
    kUnpack,     // operands [target, + num_values) <- bytes of `source`, starting at `offset`, `size` bytes each
    kPack,       // operand `target` <- operands [source, + num_values), lowest first
    kBoolToInt,  // operand `target` <- 1 or 0 for the predicate `source`
    kIntToBool,  // operand `target` <- whether `source` is nonzero
    kUndefine,   // operand `target` is undefined
    kBranch,     // continues unconditionally in another block
    kCompute,    // computes something and has no other effect
    kEffect,     // has an effect
  };
  Kind kind = Kind::kEffect;
  unsigned target = 0;
  unsigned source = 0;
  unsigned first_value = 0;
  unsigned num_values = 1;
  // For kSpill and kReload.
  int frame_index = 0;
  int64_t offset = 0;  // also for kUnpack
  uint32_t size = 0;   // bytes of one value in memory; also for kUnpack
};

// Classifies an inserted instruction. Frame indices from `first_new_object` on are spill slots.
RegisterTransfer ClassifyInserted(const MachineInstr& instr, int first_new_object);

// Returns true if the instruction gives the same results anywhere for the same operands: it has no effects, or it
// is a load of memory that does not change.
bool IsReproducible(const MachineInstr& instr);

// Returns the size in bytes of a value of the register's class: 1 for predicates, 0 for registers without a class.
uint32_t ValueBytes(const MachineFunction& function, Register reg);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_
