// SPDX-License-Identifier: Apache-2.0

// Sorting of what is large.

#ifndef PTXMIR_BASE_SORT_H_
#define PTXMIR_BASE_SORT_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ptxmir {

// Sorts the values, stably, by moving each once. std::stable_sort moves a value for each level of its merges.
template <typename T, typename Less>
void StableSortByMovingOnce(std::vector<T>& values, Less less) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return less(values[a], values[b]); });
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const uint32_t i : order) sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

}  // namespace ptxmir

#endif  // PTXMIR_BASE_SORT_H_
