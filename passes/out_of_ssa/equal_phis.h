// SPDX-License-Identifier: Apache-2.0

// Replaces PHIs by others of their block that have the same value on every edge, where an undefined value matches any
// value. Loop unrolling leaves such pairs, one for the path that runs the loop and one for the path that skips it.
// Their two webs hold what could be one value, and they interfere.

#ifndef PTXMIR_PASSES_OUT_OF_SSA_EQUAL_PHIS_H_
#define PTXMIR_PASSES_OUT_OF_SSA_EQUAL_PHIS_H_

#include <cstddef>

#include "mir/code/machine_function.h"

namespace ptxmir {

// Returns the number of PHIs erased.
size_t MergeEqualPhis(MachineFunction& function);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUT_OF_SSA_EQUAL_PHIS_H_
