// SPDX-License-Identifier: Apache-2.0

// Known bits: the bits of an integer that are known although the integer is not. For a vector, the bits known of
// every element.

#ifndef PTXMIR_SDAG_COMBINE_KNOWN_BITS_H_
#define PTXMIR_SDAG_COMBINE_KNOWN_BITS_H_

#include "absl/numeric/int128.h"
#include "sdag/graph/sdnode.h"

namespace ptxmir::sdag {

struct KnownBits {
  absl::uint128 zero = 0;  // bits that are 0
  absl::uint128 one = 0;   // bits that are 1
  unsigned width = 0;

  absl::uint128 mask() const;
  absl::uint128 UnsignedMin() const { return one; }
  absl::uint128 UnsignedMax() const { return mask() & ~zero; }
  bool IsConstant() const { return (zero | one) == mask(); }
  bool IsNonNegative() const { return width > 0 && ((zero >> static_cast<int>(width - 1)) & 1) != 0; }
  bool IsNegative() const { return width > 0 && ((one >> static_cast<int>(width - 1)) & 1) != 0; }
};

// Computes the known bits of a value. Looks at most a few nodes deep, so the cost is bounded. Of a value that is
// not an integer, nothing is known.
KnownBits ComputeKnownBits(const SDValue& value, unsigned depth = 0);

// Returns how many of the highest bits are known to equal the highest bit: at least 1 for integers.
unsigned ComputeNumSignBits(const SDValue& value, unsigned depth = 0);

// Returns true if the value is a constant, or a vector whose elements are all the same constant; sets `bits` to it.
bool MatchConstant(const SDValue& value, absl::uint128* bits);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_KNOWN_BITS_H_
