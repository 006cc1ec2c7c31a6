// SPDX-License-Identifier: Apache-2.0

// What an instruction that allocation inserted does with values: for the register checker. Recognised by
// what the instruction tables say of an opcode, never by its name.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir {

struct RegisterTransfer {
  enum class Kind : uint8_t {
    kNothing,    // debug values and the like
    kCopy,       // operand `target` <- operand `source`
    kSpill,      // stack <- operands [first_value, + num_values)
    kReload,     // operands [first_value, + num_values) <- stack
    kUnpack,     // operands [target, + num_values) <- bytes of `source`, from `offset` on, `size` each
    kPack,       // operand `target` <- operands [source, + num_values), lowest first
    kBoolToInt,  // operand `target` <- 1 or 0 for the predicate `source`
    kIntToBool,  // operand `target` <- whether `source` is not 0
    kUndefine,   // operand `target` is undefined
    kBranch,     // goes on in another block, whatever happens
    kCompute,    // computes something and has no effect beside that
    kEffect,     // has an effect
  };
  Kind kind = Kind::kEffect;
  unsigned target = 0;
  unsigned source = 0;
  unsigned first_value = 0;
  unsigned num_values = 1;
  // Of kSpill and kReload.
  int frame_index = 0;
  int64_t offset = 0;  // also of kUnpack
  uint32_t size = 0;   // bytes of one value in memory; also of kUnpack
};

// `first_new_object`: frame indices from there on are spill slots.
RegisterTransfer ClassifyInserted(const MachineInstr& instr, int first_new_object);

// Whether the same operands give the same results anywhere: an instruction without effects, or a load of
// memory that does not change.
bool IsReproducible(const MachineInstr& instr);

// Size of a value of the register's class in bytes (1 for predicates); 0 for registers without a class.
uint32_t ValueBytes(const MachineFunction& function, Register reg);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_TRANSFER_H_
