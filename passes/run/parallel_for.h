// SPDX-License-Identifier: Apache-2.0

// Work on numbered items, on several threads.

#ifndef PTXMIR_PASSES_RUN_PARALLEL_FOR_H_
#define PTXMIR_PASSES_RUN_PARALLEL_FOR_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace ptxmir {

// Calls `work` for each number below `count`, on up to `num_threads` threads including the caller's, in any order.
// Returns after all calls have returned.
void ParallelFor(size_t count, int num_threads, absl::FunctionRef<void(size_t)> work);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_RUN_PARALLEL_FOR_H_
