// SPDX-License-Identifier: Apache-2.0

// Orders blocks by the extended-TSP model (Newell and Pupyrev, "Improved Basic Block Reordering", IEEE Transactions on
// Computers, 2020; LLVM's CodeLayout.cpp), for block-placement.
//
// The score of an order is a sum over all jumps, weighted by how often they are taken: 1 if the target follows the
// source directly, and else 0.1, less the farther it is, up to 1,024 bytes ahead or 640 bytes back. The method is
// greedy. Each block is a chain at first. As long as the score grows, the two chains are merged that gain most, one
// behind the other or one between the parts of the other. At last, chains follow each other by their density:
// executions per byte.
//
// Where we differ from LLVM: gains are kept in a queue and computed anew only for chains next to the merged one, a
// chain of more than kMaxSplitChain blocks is not split, and functions with more than kMaxBlocks blocks are left alone,
// which bounds the time.

#ifndef PTXMIR_PASSES_LAYOUT_EXT_TSP_H_
#define PTXMIR_PASSES_LAYOUT_EXT_TSP_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ptxmir {

struct ExtTspJump {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t frequency = 0;
};

struct ExtTspBlocks {
  std::vector<uint64_t> sizes;        // in bytes
  std::vector<uint64_t> frequencies;  // executions
  std::vector<ExtTspJump> jumps;
  // The block that must follow each block directly, or kNone.
  std::vector<uint32_t> forced_next;

  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr size_t kMaxBlocks = 2000;
};

// Returns the score of an order of all blocks.
double ExtTspScore(const ExtTspBlocks& blocks, absl::Span<const uint32_t> order);

// Returns an order that begins with block 0.
std::vector<uint32_t> OrderByExtTsp(const ExtTspBlocks& blocks);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_EXT_TSP_H_
