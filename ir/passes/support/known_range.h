// SPDX-License-Identifier: Apache-2.0

// KnownRange: the unsigned values that an integer can have, as far as a short look at its definition tells: constants,
// ranges that calls and loads state (nvvm-intr-range does so for special registers), extensions, masks, shifts, and
// sums and products that cannot wrap. The bound of a loop's counter is not looked for.

#ifndef PTXMIR_IR_PASSES_SUPPORT_KNOWN_RANGE_H_
#define PTXMIR_IR_PASSES_SUPPORT_KNOWN_RANGE_H_

#include <cstdint>
#include <optional>

#include "ir/code/function.h"

namespace ptxmir::ir {

// Both ends are inclusive.
struct KnownRange {
  uint64_t least = 0;
  uint64_t most = ~uint64_t{0};
};

// Returns the range of an integer of at most 64 bits: all values of the width if nothing is known.
KnownRange KnownRangeOf(const Value& value);

// Returns the result of a comparison that is the same for all values of the two ranges. `width` is that of both
// operands.
std::optional<bool> CompareRanges(Predicate predicate, const KnownRange& a, const KnownRange& b, uint32_t width);

}  // namespace ptxmir::ir

#endif  // PTXMIR_IR_PASSES_SUPPORT_KNOWN_RANGE_H_
