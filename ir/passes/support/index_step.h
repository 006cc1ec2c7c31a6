// SPDX-License-Identifier: Apache-2.0

// Steps of an index: how an integer that is extended to the width of an address is a sum, a product or an extension of
// other integers. Extensions are carried down to the operands where the flags of the operations promise that nothing
// wraps:
//
//     sext(a +nsw b) = sext(a) + sext(b)        zext(a +nuw b) = zext(a) + zext(b)

#ifndef PTXMIR_IR_PASSES_SUPPORT_INDEX_STEP_H_
#define PTXMIR_IR_PASSES_SUPPORT_INDEX_STEP_H_

#include <cstdint>

#include "ir/code/function.h"

namespace ptxmir::ir {

// How a value becomes as wide as an address. kNone: it is that wide, and operations on it may wrap.
enum class IndexExtension : uint8_t { kNone, kSign, kZero };

// The outermost operation of an extended value. Operands are to be extended by `extension`.
struct IndexStep {
  enum class Kind : uint8_t {
    kLeaf,
    kConstant,   // `constant`, extended
    kExtension,  // of operand 0
    kSum,
    kDifference,
    kProduct,
    kShift,  // operand 0 times `constant`, a power of two
  };
  Kind kind = Kind::kLeaf;
  IndexExtension extension = IndexExtension::kNone;
  uint64_t constant = 0;
};

// Returns the outermost operation of `value`, an integer of at most 64 bits, extended by `extension`. A zext that
// promises that its operand is not negative counts as a sext where that is what can be carried down.
IndexStep IndexStepOf(const Value& value, IndexExtension extension);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_INDEX_STEP_H_
