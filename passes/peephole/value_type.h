// SPDX-License-Identifier: Apache-2.0

// The type of the values that an instruction computes with, as its mnemonic ends: the s32 of mul.wide.s32.

#ifndef PTXMIR_PASSES_PEEPHOLE_VALUE_TYPE_H_
#define PTXMIR_PASSES_PEEPHOLE_VALUE_TYPE_H_

#include <cstdint>

#include "mir/code/instr_desc.h"

namespace ptxmir::peephole {

struct ValueType {
  // 'b', 'u', 's': bits, unsigned and signed integers; 'i': integers whose comparison says which; 'f': floating point;
  // 'p': predicates; 0: another type, or none.
  char kind = 0;
  uint8_t bits = 0;

  bool is_integer() const { return kind == 'b' || kind == 'u' || kind == 's' || kind == 'i'; }
  bool is_signed() const { return kind == 's'; }
  bool is_float() const { return kind == 'f'; }
  bool is_predicate() const { return kind == 'p'; }
};

// Returns the last type in the mnemonic: that of the sources, where they have another one than the result.
ValueType ValueTypeOf(Opcode opcode);
// Returns the type before it: that of the result of a cvt.
ValueType ResultTypeOfConversion(Opcode opcode);

// Returns true if what PTX says about the instruction decides every bit of the result: no approximation.
bool IsExact(Opcode opcode);

// Returns true if negative results become 0 (.relu).
bool IsClamped(Opcode opcode);

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_VALUE_TYPE_H_
