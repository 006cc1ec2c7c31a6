// SPDX-License-Identifier: Apache-2.0

// Common parts of the benchmarks: the clock, and how time grows with size.

#ifndef PTXMIR_BENCH_MEASURING_H_
#define PTXMIR_BENCH_MEASURING_H_

#include <time.h>

#include <cmath>
#include <cstdint>
#include <map>

namespace ptxmir::bench {

// Returns the processor time of this thread in seconds. Other load on the machine has less influence on it.
inline double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Returns the slope of the least-squares line through (log size, log time): 1 is linear. Returns 0 with fewer than
// two sizes.
inline double LogLogSlope(const std::map<int64_t, double>& seconds_by_size) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, seconds] : seconds_by_size) {
    if (size <= 0 || seconds <= 0) continue;
    const double log_size = std::log(static_cast<double>(size));
    const double log_seconds = std::log(seconds);
    n += 1;
    x += log_size;
    y += log_seconds;
    xx += log_size * log_size;
    xy += log_size * log_seconds;
  }
  const double spread = n * xx - x * x;
  return n < 2 || spread <= 0 ? 0 : (n * xy - x * y) / spread;
}

}  // namespace ptxmir::bench

#endif  // PTXMIR_BENCH_MEASURING_H_
