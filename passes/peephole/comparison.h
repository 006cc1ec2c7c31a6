// SPDX-License-Identifier: Apache-2.0

// The comparison that a setp makes.

#ifndef PTXMIR_PASSES_PEEPHOLE_COMPARISON_H_
#define PTXMIR_PASSES_PEEPHOLE_COMPARISON_H_

#include <cstdint>
#include <optional>

#include "mir/code/machine_function.h"
#include "passes/peephole/value_type.h"

namespace ptxmir::peephole {

// The codes of the operand that says how setp compares, as in LLVM. The unordered ones of floats are true for NaNs; for
// integers, the same numbers are unsigned.
enum ComparisonCode : uint8_t {
  kEq = 0,
  kNe = 1,
  kLt = 2,
  kLe = 3,
  kGt = 4,
  kGe = 5,
  kEqu = 6,
  kNeu = 7,
  kLtu = 8,
  kLeu = 9,
  kGtu = 10,
  kGeu = 11,
  kNum = 12,
  kNan = 13,
};

struct Comparison {
  ComparisonCode code = kEq;
  ValueType type;  // 'i' or 'f'
  bool flushes = false;

  bool is_ordering() const { return (code >= kLt && code <= kGe) || (code >= kLtu && code <= kGeu); }
  // Of integers.
  bool is_signed() const { return type.is_integer() && code >= kLt && code <= kGe; }
  bool is_less() const { return code == kLt || code == kLe || code == kLtu || code == kLeu; }
  bool is_strict() const { return code == kLt || code == kGt || code == kLtu || code == kGtu; }
  // Returns the comparison that is true where this one is false, for NaNs, too.
  ComparisonCode Inverse() const;
};

// Returns nullopt if the instruction is no comparison of two single values.
std::optional<Comparison> ComparisonOf(const MachineInstr& instr);
// Returns the number of the operand with the code.
unsigned CodeOperand(const MachineInstr& setp);

}  // namespace ptxmir::peephole

#endif  // PTXMIR_PASSES_PEEPHOLE_COMPARISON_H_
