// SPDX-License-Identifier: Apache-2.0

// Finds the sequences that occur more than once in a string of numbers.
//
// LLVM's outliner builds a suffix tree (Ukkonen, "On-line construction of suffix trees", Algorithmica 1995) and visits
// its inner nodes. Here a suffix array gives the same nodes: they are the intervals of suffixes with a common prefix
// (Abouelhoda, Kurtz and Ohlebusch, "Replacing suffix trees with enhanced suffix arrays", 2004). The array is built by
// prefix doubling (Manber and Myers, 1993), which ends at the longest prefix of interest, so that the time is linear
// in the length of the string.

#ifndef PTXMIR_PASSES_OUTLINE_REPEATED_SEQUENCES_H_
#define PTXMIR_PASSES_OUTLINE_REPEATED_SEQUENCES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace ptxmir {

// Calls `visit` for each repeated sequence that some of its occurrences continue differently: with its length, which is
// at least `min_length` and at most `max_length`, and with the positions at which it occurs, in ascending order.
// Occurrences may overlap. The order of the calls depends on the string alone.
void ForEachRepeatedSequence(absl::Span<const uint32_t> text, uint32_t min_length, uint32_t max_length,
                             absl::FunctionRef<void(uint32_t length, absl::Span<const uint32_t> positions)> visit);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUTLINE_REPEATED_SEQUENCES_H_
