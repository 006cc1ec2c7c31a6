// SPDX-License-Identifier: Apache-2.0

// A register allocator for testing the register checker. It does the same things as real allocators, at random but
// correctly: coalescing, splitting, spilling to whole, halved and shared slots, moving predicates through integers,
// rematerialization, and copies in new blocks on edges. Then it colors intervals. The code that it makes is bad.

#ifndef PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_
#define PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// How often each transformation is done, as a percentage of the opportunities.
struct AllocationPolicy {
  unsigned spill = 20;
  unsigned split = 10;
  unsigned rematerialize = 50;  // of the spilled registers that can be rematerialized
  unsigned coalesce = 70;       // of the copies that can be coalesced
  unsigned split_edges = 10;
};

struct AllocationCounts {
  size_t spills = 0;
  size_t reloads = 0;
  size_t rematerializations = 0;
  size_t coalesced = 0;
  size_t splits = 0;
  size_t edge_blocks = 0;
  size_t registers_before = 0;
  size_t registers_after = 0;
};

// Allocates registers. The function must have no PHIs, and its tied operands must have the same register.
AllocationCounts AllocateForTest(MachineFunction& function, const AllocationPolicy& policy, uint64_t seed);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_
