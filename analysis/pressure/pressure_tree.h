// SPDX-License-Identifier: Apache-2.0

// PressureTree: an array of numbers with four operations in O(log(positions)): add to a range, maximum over a
// range, the position of that maximum, and the first position over a limit.
//
// It is a segment tree over buckets of 32 positions. An amount that is added to a whole subtree stays at its root
// and is not pushed down, so queries change nothing. Within a bucket, the numbers are contiguous, which takes a
// tenth of the memory of a tree with one node per position.

#ifndef PTXMIR_ANALYSIS_PRESSURE_PRESSURE_TREE_H_
#define PTXMIR_ANALYSIS_PRESSURE_PRESSURE_TREE_H_

#include <cstdint>
#include <vector>

namespace ptxmir {

class PressureTree {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kBucket = 32;

  PressureTree() = default;
  explicit PressureTree(uint32_t size) : PressureTree(std::vector<int32_t>(size)) {}
  // Starts with the given numbers, in time linear in their number.
  explicit PressureTree(std::vector<int32_t> numbers);

  uint32_t size() const { return size_; }
  // All ranges are [first, last).
  void Add(uint32_t first, uint32_t last, int32_t amount);
  int32_t At(uint32_t position) const;
  // Returns the maximum, or 0 over an empty range.
  int32_t Max(uint32_t first, uint32_t last) const;
  // Returns the first position of the maximum, or kNone over an empty range.
  uint32_t FirstMax(uint32_t first, uint32_t last) const;
  // Returns the first position with a number greater than `limit`, or kNone if there is none.
  uint32_t FirstOver(uint32_t first, uint32_t last, int32_t limit) const;

 private:
  struct Node {
    int32_t added = 0;  // the amount added to everything below
    int32_t max = 0;    // the maximum of everything below, including `added`
  };

  void Add(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last, int32_t amount);
  int32_t Max(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last) const;
  uint32_t FirstOver(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last, int32_t limit) const;
  bool IsBucket(uint32_t node) const { return node >= num_buckets_; }

  uint32_t size_ = 0;
  uint32_t num_buckets_ = 1;  // a power of two
  std::vector<Node> nodes_;   // node n has the children 2n and 2n + 1; buckets start at num_buckets_
  std::vector<int32_t> leaves_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_PRESSURE_TREE_H_
