// SPDX-License-Identifier: Apache-2.0

// Liveness of locations after allocation and of registers before it, for the register checker. It keeps the sets of
// symbolic values small; forgetting too much cannot make a wrong allocation look right.

#ifndef PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LIVENESS_H_
#define PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "passes/register_check/register_checker_locations.h"

namespace ptxmir::register_check {

// A list of numbers per block, in ascending order.
using BlockLists = std::vector<std::vector<uint32_t>>;

// Return what is live on entry to each block.
BlockLists LiveLocations(const CheckerFacts& facts);
BlockLists LiveRegisters(const CheckerFacts& facts);

}  // namespace ptxmir::register_check

#endif  // PTXMIR_PASSES_REGISTER_CHECK_REGISTER_CHECKER_LIVENESS_H_
