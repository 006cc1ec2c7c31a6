// SPDX-License-Identifier: Apache-2.0

// PressureTree: numbers by position, with addition to a range, maximum over a range, its place, and the first place
// over a limit; all in O(log(positions)).
//
// A segment tree over buckets of 32 positions. What is added to all of a subtree stays at its root and is not pushed
// down, so that queries change nothing; within a bucket numbers stand side by side, which takes a tenth of the memory
// of a tree with a node a position.

#ifndef PTXMIR_ANALYSIS_PRESSURE_TREE_H_
#define PTXMIR_ANALYSIS_PRESSURE_TREE_H_

#include <cstdint>
#include <vector>

namespace ptxmir {

class PressureTree {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint32_t kBucket = 32;

  PressureTree() = default;
  explicit PressureTree(uint32_t size);

  uint32_t size() const { return size_; }
  // Positions are [first, last) throughout.
  void Add(uint32_t first, uint32_t last, int32_t amount);
  int32_t At(uint32_t position) const;
  // 0 over an empty range.
  int32_t Max(uint32_t first, uint32_t last) const;
  // The first place of the maximum; kNone over an empty range.
  uint32_t FirstMax(uint32_t first, uint32_t last) const;
  // The first place with a number greater than `limit`; kNone when there is none.
  uint32_t FirstOver(uint32_t first, uint32_t last, int32_t limit) const;

 private:
  struct Node {
    int32_t added = 0;  // to everything below
    int32_t max = 0;    // of everything below, with `added`
  };

  void Add(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last, int32_t amount);
  int32_t Max(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last) const;
  uint32_t FirstOver(uint32_t node, uint32_t begin, uint32_t end, uint32_t first, uint32_t last, int32_t limit) const;
  bool IsBucket(uint32_t node) const { return node >= num_buckets_; }

  uint32_t size_ = 0;
  uint32_t num_buckets_ = 1;  // a power of two
  std::vector<Node> nodes_;   // node n has 2n and 2n + 1 below it; buckets from num_buckets_ on
  std::vector<int32_t> leaves_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_PRESSURE_TREE_H_
