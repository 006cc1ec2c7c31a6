// SPDX-License-Identifier: Apache-2.0

// The transfer functions of known bits and ranges: what holds for the result of an integer operation, given what holds
// for its operands.
//
// Known bits follow LLVM's KnownBits (sums by the carries that are certain). Ranges are those of the exact result where
// it fits into the width, or where a flag (nuw, nsw) says that it does; else nothing is known of them. PTX defines
// what IR leaves open: shifts by the width or more, fields that go beyond the value. Division by zero is not defined,
// but gives all ones in practice, so nothing is known of a quotient by what may be zero.

#ifndef PTXMIR_ANALYSIS_VALUES_INTEGER_TRANSFER_H_
#define PTXMIR_ANALYSIS_VALUES_INTEGER_TRANSFER_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "analysis/values/integer_facts.h"
#include "analysis/values/integer_operations.h"

namespace ptxmir {

// The codes of cmp operands, as MIR has them. Those from kLowerUnsigned on compare unsigned numbers.
enum class IntegerComparison : uint8_t {
  kEqual = 0,
  kNotEqual = 1,
  kLess = 2,
  kLessEqual = 3,
  kGreater = 4,
  kGreaterEqual = 5,
  kLessUnsigned = 8,
  kLessEqualUnsigned = 9,
  kGreaterUnsigned = 10,
  kGreaterEqualUnsigned = 11,
};
// Return the comparison that holds exactly where this one does not, and the one of the exchanged operands.
IntegerComparison Inverted(IntegerComparison comparison);
IntegerComparison Exchanged(IntegerComparison comparison);
// Returns true for a code that compares integers.
bool IsIntegerComparison(int64_t code);

// Returns what a comparison of values with these facts gives, or nullopt if it may give either.
std::optional<bool> Decide(IntegerComparison comparison, const IntegerFacts& a, const IntegerFacts& b);
// Returns what holds for `a` if the comparison of it with a value of which `b` holds is true.
IntegerFacts Refine(IntegerComparison comparison, const IntegerFacts& a, const IntegerFacts& b);

// Computes the facts of result `result`, which has `result_bits` bits. `sources` are those of the operands after the
// definitions, immediates and modifiers included. `flags` are those of the instruction (MachineInstr::Flag). Loads are
// not computed here.
IntegerFacts ComputeFacts(const IntegerOperation& operation, unsigned result, unsigned result_bits,
                          absl::Span<const IntegerFacts> sources, uint32_t flags);

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_INTEGER_TRANSFER_H_
