// SPDX-License-Identifier: Apache-2.0

// The results of shuffles, votes, matches and warp reductions, independent of the warp (semantics_collective.cc).

#ifndef PTXMIR_PTX_INTERPRETER_VALUES_COLLECTIVE_H_
#define PTXMIR_PTX_INTERPRETER_VALUES_COLLECTIVE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "ptx/interpreter/values/lanes.h"

namespace ptxmir::ptx {

// The value of some lane with its undefined bits.
struct TrackedBits {
  uint64_t value = 0;
  uint64_t undefined = 0;
  friend bool operator==(const TrackedBits&, const TrackedBits&) = default;
};

enum class ShuffleMode : uint8_t { kUp, kDown, kButterfly, kIndex };

struct ShuffleSource {
  unsigned lane = 0;
  bool in_range = false;  // the predicate p
};
// Returns the lane from which `lane` reads. b and c are the operands of shfl. Follows the pseudo-code of PTX ISA,
// "shfl".
ShuffleSource FindShuffleSource(ShuffleMode mode, unsigned lane, uint32_t b, uint32_t c);

enum class VoteMode : uint8_t { kAll, kAny, kUniform, kBallot };
// Computes a vote. In `predicates` and `undefined`, bit l is lane l's. Only the lanes of `group` count.
TrackedBits Vote(VoteMode mode, LaneMask group, LaneMask predicates, LaneMask undefined);

// Computes match.any for one lane: the lanes of the group whose value is the same as that of lane `lane`. `values`
// has an element for each lane of the warp.
TrackedBits MatchAny(absl::Span<const TrackedBits> values, LaneMask group, unsigned lane);
// Computes match.all: the group if all its lanes hold the same value, else 0.
TrackedBits MatchAll(absl::Span<const TrackedBits> values, LaneMask group);

enum class ReduxOperation : uint8_t { kAdd, kAnd, kOr, kXor, kMinS32, kMaxS32, kMinU32, kMaxU32, kMinF32, kMaxF32 };
struct ReduxOptions {
  ReduxOperation operation = ReduxOperation::kAdd;
  bool absolute = false;       // .abs
  bool propagate_nan = false;  // .NaN
};
TrackedBits Redux(const ReduxOptions& options, absl::Span<const TrackedBits> values, LaneMask group);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_VALUES_COLLECTIVE_H_
