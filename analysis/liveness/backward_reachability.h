// SPDX-License-Identifier: Apache-2.0

// Finds the blocks that a value is live into and out of: a search from the uses of the value up to its definitions.
// Registers, parts of stack objects and whatever else has uses and definitions can be values.
//
// The values of a function are searched for one after another and share the tables, so a search takes time linear in
// the blocks that it finds and their predecessors, whatever the size of the function.

#ifndef PTXMIR_ANALYSIS_LIVENESS_BACKWARD_REACHABILITY_H_
#define PTXMIR_ANALYSIS_LIVENESS_BACKWARD_REACHABILITY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

// For each value: Begin, then AddDef and AddDefOnEdges, then ReachTop and ReachEnd, then Search. The order matters,
// because the search goes on from a block as soon as the block is reached. The graph must not change meanwhile.
class BackwardReachability {
 public:
  explicit BackwardReachability(const MachineFunction& function);

  // Begins the search for another value.
  void Begin() {
    ++value_;
    live_in_.clear();
    live_out_.clear();
  }
  // Adds a definition in the block. A value that is live out of the block is then not live into it, unless ReachTop
  // says so.
  void AddDef(BlockNumber block) { blocks_[block].defined = value_; }
  // Adds a definition on every edge into the block, such as that of a PHI. A value that is live into the block is then
  // not live out of its predecessors, unless ReachEnd or another successor says so.
  void AddDefOnEdges(BlockNumber block) { blocks_[block].defined_on_edges = value_; }
  // Adds a use in the block that reads the value on entry to it.
  void ReachTop(BlockNumber block) {
    if (blocks_[block].live_in == value_) return;
    blocks_[block].live_in = value_;
    live_in_.push_back(block);
  }
  // Adds a use at the end of the block, such as that of a PHI in a successor.
  void ReachEnd(BlockNumber block) {
    if (blocks_[block].live_out == value_) return;
    blocks_[block].live_out = value_;
    live_out_.push_back(block);
    if (blocks_[block].defined != value_) ReachTop(block);
  }
  // Finds all blocks that the value is live into or out of.
  void Search();

  // Return what Search found, in no particular order.
  absl::Span<const BlockNumber> live_in() const { return live_in_; }
  absl::Span<const BlockNumber> live_out() const { return live_out_; }
  bool IsDefined(BlockNumber block) const { return blocks_[block].defined == value_; }
  bool IsLiveIn(BlockNumber block) const { return blocks_[block].live_in == value_; }
  bool IsLiveOut(BlockNumber block) const { return blocks_[block].live_out == value_; }

 private:
  // For each property, the last value that has it.
  struct Block {
    uint32_t defined = 0;
    uint32_t defined_on_edges = 0;
    uint32_t live_in = 0;
    uint32_t live_out = 0;
  };

  std::vector<Block> blocks_;
  std::vector<uint32_t> first_predecessor_;  // by block: where its predecessors begin
  std::vector<BlockNumber> predecessors_;
  uint32_t value_ = 0;  // the number of values so far
  std::vector<BlockNumber> live_in_;
  std::vector<BlockNumber> live_out_;
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_LIVENESS_BACKWARD_REACHABILITY_H_
