// SPDX-License-Identifier: Apache-2.0

// What is known of the bits of an integer without knowing the integer: of vectors, of every element.

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

// Looks at most a few nodes deep, so that the cost is bounded. Nothing is known of what is no integer.
KnownBits ComputeKnownBits(const SDValue& value, unsigned depth = 0);

// How many of the highest bits are equal to the highest: at least 1 for integers.
unsigned ComputeNumSignBits(const SDValue& value, unsigned depth = 0);

// The value of every element, or of the scalar, when it is the same constant.
bool MatchConstant(const SDValue& value, absl::uint128* bits);

}  // namespace ptxmir::sdag

#endif  // PTXMIR_SDAG_COMBINE_KNOWN_BITS_H_
