// SPDX-License-Identifier: Apache-2.0

#include "analysis/pressure/pressure_tree.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace ptxmir {
namespace {

// The numbers behind the last position, which are no maximum.
constexpr int32_t kPadding = std::numeric_limits<int32_t>::min() / 2;

}  // namespace

PressureTree::PressureTree(std::vector<int32_t> numbers)
    : size_(static_cast<uint32_t>(numbers.size())), leaves_(std::move(numbers)) {
  const uint32_t num_used = (size_ + kBucket - 1) / kBucket;
  num_buckets_ = std::bit_ceil(std::max<uint32_t>(1, num_used));
  nodes_.resize(2 * num_buckets_, {.added = 0, .max = kPadding});
  leaves_.resize(num_used * kBucket, kPadding);
  for (uint32_t bucket = 0; bucket < num_used; ++bucket) {
    const auto first = leaves_.begin() + bucket * kBucket;
    nodes_[num_buckets_ + bucket].max = *std::max_element(first, first + kBucket);
  }
  for (uint32_t node = num_buckets_ - 1; node > 0; --node) {
    nodes_[node].max = std::max(nodes_[2 * node].max, nodes_[2 * node + 1].max);
  }
}

void PressureTree::Add(uint32_t first, uint32_t last, int32_t amount) {
  if (first < last) Add(1, 0, num_buckets_ * kBucket, first, last, amount);
}

void PressureTree::Add(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last, int32_t amount) {
  Node& at = nodes_[node];
  if (first <= begin && end <= last) {
    at.added += amount;
    at.max += amount;
    return;
  }
  if (IsBucket(node)) {
    for (uint32_t i = std::max(first, begin); i < std::min(last, end); ++i) leaves_[i] += amount;
    at.max = at.added + *std::max_element(leaves_.begin() + begin, leaves_.begin() + end);
    return;
  }
  const uint32_t middle = begin + (end - begin) / 2;
  if (first < middle) Add(2 * node, begin, middle, first, last, amount);
  if (last > middle) Add(2 * node + 1, middle, end, first, last, amount);
  at.max = at.added + std::max(nodes_[2 * node].max, nodes_[2 * node + 1].max);
}

int32_t PressureTree::At(uint32_t position) const {
  int32_t sum = leaves_[position];
  for (uint32_t node = num_buckets_ + position / kBucket; node > 0; node /= 2) sum += nodes_[node].added;
  return sum;
}

int32_t PressureTree::Max(uint32_t first, uint32_t last) const {
  if (first >= last) return 0;
  return first == 0 && last == size_ ? nodes_[1].max : Max(1, 0, num_buckets_ * kBucket, first, last);
}

int32_t PressureTree::Max(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last) const {
  const Node& at = nodes_[node];
  if (first <= begin && end <= last) return at.max;
  if (IsBucket(node)) {
    return at.added +
           *std::max_element(leaves_.begin() + std::max(first, begin), leaves_.begin() + std::min(last, end));
  }
  const uint32_t middle = begin + (end - begin) / 2;
  int32_t max = std::numeric_limits<int32_t>::min();
  if (first < middle) max = std::max(max, Max(2 * node, begin, middle, first, last));
  if (last > middle) max = std::max(max, Max(2 * node + 1, middle, end, first, last));
  return at.added + max;
}

uint32_t PressureTree::FirstMax(uint32_t first, uint32_t last) const {
  return first < last ? FirstOver(first, last, Max(first, last) - 1) : kNone;
}

uint32_t PressureTree::FirstOver(uint32_t first, uint32_t last, int32_t limit) const {
  return first < last ? FirstOver(1, 0, num_buckets_ * kBucket, first, last, limit) : kNone;
}

uint32_t PressureTree::FirstOver(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last,
                                 int32_t limit) const {
  const Node& at = nodes_[node];
  // A subtree inside the range that passes this test contains such a position. At most two subtrees per level are
  // entered in vain.
  if (at.max <= limit) return kNone;
  limit -= at.added;
  if (IsBucket(node)) {
    for (uint32_t i = std::max(first, begin); i < std::min(last, end); ++i) {
      if (leaves_[i] > limit) return i;
    }
    return kNone;
  }
  const uint32_t middle = begin + (end - begin) / 2;
  if (first < middle) {
    const uint32_t found = FirstOver(2 * node, begin, middle, first, last, limit);
    if (found != kNone) return found;
  }
  return last > middle ? FirstOver(2 * node + 1, middle, end, first, last, limit) : kNone;
}

}  // namespace ptxmir
