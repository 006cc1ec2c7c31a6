// SPDX-License-Identifier: Apache-2.0

// A register allocator for testing the register checker: it does at random, and correctly, what allocators do
// (coalescing, splitting, spilling to whole, halved and shared slots, predicates by way of integers,
// rematerialization, copies on new blocks in edges), and then colours intervals. The code it makes is bad.

#ifndef PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_
#define PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_

#include <cstdint>

#include "mir/code/machine_function.h"

namespace ptxmir::testing {

// How often each is done, in percent of the occasions.
struct AllocationPolicy {
  unsigned spill = 20;
  unsigned split = 10;
  unsigned rematerialize = 50;  // of what is spilled and can be
  unsigned coalesce = 70;       // of the copies that can be
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

// The function must have no PHIs; its tied operands must have one register.
AllocationCounts AllocateForTest(MachineFunction& function, const AllocationPolicy& policy, uint64_t seed);

}  // namespace ptxmir::testing

#endif  // PTXMIR_TESTS_PASSES_REFERENCE_ALLOCATOR_H_
