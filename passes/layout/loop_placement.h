// SPDX-License-Identifier: Apache-2.0

// block-placement's decisions about one loop: the blocks with which the loop begins and ends in the layout.
//
// A latch that ends in a jump back may be placed before the header, together with the blocks that lead only to it.
// The loop is then entered by a jump but iterates without one. If the header is the best top, the loop's blocks
// may still be rotated so that the most frequent exit falls through at the end of the loop.

#ifndef PTXMIR_PASSES_LAYOUT_LOOP_PLACEMENT_H_
#define PTXMIR_PASSES_LAYOUT_LOOP_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "passes/layout/block_chains.h"

namespace ptxmir {

class LoopPlacement {
 public:
  // The most predecessors that a block may have before searches that would repeatedly visit all of them are
  // skipped. LLVM's -block-placement-predecessor-limit.
  static constexpr size_t kMaxPredecessors = 1000;

  // `chosen_successors` maps each block, by number, to the block that will follow it, if that is decided.
  LoopPlacement(AnalysisManager& analyses, CycleId loop, BlockChains& chains,
                std::vector<MachineBasicBlock*>& chosen_successors)
      : probabilities_(analyses.Get<MachineBranchProbabilities>()),
        frequencies_(analyses.Get<MachineBlockFrequencies>()),
        loops_(analyses.Get<MachineLoops>()),
        loop_(loop),
        header_(*loops_.Header(loop)),
        chains_(chains),
        chosen_successors_(chosen_successors) {}

  // Returns the block that the loop's chain grows from: the header, or a block that leads to it.
  MachineBasicBlock& ChooseTop();
  // Finds the block with whose exit the loop should end.
  void ChooseExit();
  // Rotates the chain, which contains all blocks of the loop, to end with that block if this is profitable.
  void Rotate(ChainId chain);

 private:
  struct Exit {
    MachineBasicBlock* block = nullptr;
    uint64_t frequency = 0;
  };

  bool Contains(const MachineBasicBlock& block) const { return loops_.Contains(loop_, block); }
  MachineBasicBlock& BetterTop(MachineBasicBlock& old_top);
  bool CanMoveToTop(const MachineBasicBlock& latch, const MachineBasicBlock& old_top) const;
  uint64_t GainOfTop(const MachineBasicBlock& new_top, const MachineBasicBlock& old_top,
                     const MachineBasicBlock* exit) const;
  // Returns how often control falls into `top` from outside the loop if `top` is placed first; 0 if it never can.
  uint64_t FallIntoTop(const MachineBasicBlock& top) const;
  bool CanBeFallenInto(const MachineBasicBlock& top, const MachineBasicBlock& predecessor) const;
  // Returns true if `block`, the tail of a chain, is the best exiting block so far, and records it in `best`.
  bool ConsiderExits(MachineBasicBlock& block, Exit& best, bool& leads_to_outer_loop);

  const MachineBranchProbabilities& probabilities_;
  const MachineBlockFrequencies& frequencies_;
  const MachineLoops& loops_;
  const CycleId loop_;
  MachineBasicBlock& header_;
  BlockChains& chains_;
  std::vector<MachineBasicBlock*>& chosen_successors_;
  Exit exit_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_LAYOUT_LOOP_PLACEMENT_H_
