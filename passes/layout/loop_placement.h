// SPDX-License-Identifier: Apache-2.0

// Where the blocks of one loop begin and end in the layout: block-placement's decisions about a loop.
//
// A latch that ends in a jump back can stand before the header, with the blocks that lead only to it: the loop is then
// entered by a jump, but turns without one. If the header is best at the top, the loop's blocks may still be rotated
// such that the exit that is taken most falls out of the loop's end.

#ifndef PTXMIR_PASSES_LAYOUT_LOOP_PLACEMENT_H_
#define PTXMIR_PASSES_LAYOUT_LOOP_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_branch_probabilities.h"
#include "analysis/machine_loops.h"
#include "passes/layout/block_chains.h"

namespace ptxmir {

class LoopPlacement {
 public:
  // Where a block has more predecessors, what would look at each of them again and again is not done. LLVM's
  // -block-placement-predecessor-limit.
  static constexpr size_t kMaxPredecessors = 1000;

  // `chosen_successors`: by block, what shall stand behind it, where that is decided.
  LoopPlacement(AnalysisManager& analyses, CycleId loop, BlockChains& chains,
                std::vector<MachineBasicBlock*>& chosen_successors)
      : probabilities_(analyses.Get<MachineBranchProbabilities>()),
        frequencies_(analyses.Get<MachineBlockFrequencies>()),
        loops_(analyses.Get<MachineLoops>()),
        loop_(loop),
        header_(*loops_.Header(loop)),
        chains_(chains),
        chosen_successors_(chosen_successors) {}

  // The block that the loop's chain grows from: the header, or one that leads to it.
  MachineBasicBlock& ChooseTop();
  // Finds the block whose exit the loop is to end with.
  void ChooseExit();
  // Rotates the chain, which has all blocks of the loop, to end with that block, where that is a gain.
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
  // How often control falls into `top` from outside of the loop, if it stands there; 0: never can.
  uint64_t FallIntoTop(const MachineBasicBlock& top) const;
  bool CanBeFallenInto(const MachineBasicBlock& top, const MachineBasicBlock& predecessor) const;
  // Whether `block`, the end of a chain, is the best exiting block so far; `best` then tells of it.
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
