// SPDX-License-Identifier: Apache-2.0

// Chains of blocks that will be laid out consecutively, for block-placement. Initially each block is a chain of
// its own.

#ifndef PTXMIR_PASSES_LAYOUT_BLOCK_CHAINS_H_
#define PTXMIR_PASSES_LAYOUT_BLOCK_CHAINS_H_

#include <cstdint>
#include <numeric>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

using ChainId = BlockNumber;  // the block that the chain was created for

class BlockChains {
 public:
  explicit BlockChains(const MachineFunction& function)
      : function_(function),
        chain_of_(function.block_number_bound()),
        next_(function.block_number_bound(), kNone),
        head_(function.block_number_bound()),
        tail_(function.block_number_bound()),
        unplaced_predecessors_(function.block_number_bound(), 0) {
    std::iota(chain_of_.begin(), chain_of_.end(), 0);
    head_ = tail_ = chain_of_;
  }

  ChainId Of(const MachineBasicBlock& block) const { return chain_of_[block.number()]; }
  MachineBasicBlock& Head(ChainId chain) const { return *function_.block(head_[chain]); }
  MachineBasicBlock& Tail(ChainId chain) const { return *function_.block(tail_[chain]); }
  bool IsHead(const MachineBasicBlock& block) const { return head_[Of(block)] == block.number(); }
  bool IsTail(const MachineBasicBlock& block) const { return tail_[Of(block)] == block.number(); }
  // Returns the block after `block` in its chain, or null if there is none.
  MachineBasicBlock* Next(const MachineBasicBlock& block) const {
    const BlockNumber next = next_[block.number()];
    return next == kNone ? nullptr : function_.block(next);
  }
  // The number of edges into the chain from blocks that are not yet placed before it, among the edges that
  // currently count.
  uint32_t& UnplacedPredecessors(ChainId chain) { return unplaced_predecessors_[chain]; }

  // Appends `other` to `chain` and makes it a part of that chain.
  void Append(ChainId chain, ChainId other) {
    next_[tail_[chain]] = head_[other];
    tail_[chain] = tail_[other];
    for (BlockNumber block = head_[other]; block != kNone; block = next_[block]) chain_of_[block] = chain;
  }
  // Rotates the chain of `tail` so that it ends with `tail`.
  void Rotate(const MachineBasicBlock& tail) {
    const ChainId chain = Of(tail);
    const BlockNumber new_head = next_[tail.number()];
    if (new_head == kNone) return;
    next_[tail_[chain]] = head_[chain];
    head_[chain] = new_head;
    tail_[chain] = tail.number();
    next_[tail.number()] = kNone;
  }

 private:
  static constexpr BlockNumber kNone = ~BlockNumber{0};
  const MachineFunction& function_;
  std::vector<ChainId> chain_of_;                // by block
  std::vector<BlockNumber> next_;                // by block
  std::vector<BlockNumber> head_, tail_;         // by chain
  std::vector<uint32_t> unplaced_predecessors_;  // by chain
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_BLOCK_CHAINS_H_
