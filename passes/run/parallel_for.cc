// SPDX-License-Identifier: Apache-2.0

#include "passes/run/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ptxmir {

void ParallelFor(size_t count, int num_threads, absl::FunctionRef<void(size_t)> work) {
  std::atomic<size_t> next = 0;
  const auto work_all = [&] {
    for (size_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(static_cast<size_t>(std::max(num_threads, 1)), count); ++i) {
    threads.emplace_back(work_all);
  }
  work_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ptxmir
