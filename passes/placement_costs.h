// What block-placement weighs: frequencies of blocks and edges.

#ifndef PTXMIR_PASSES_PLACEMENT_COSTS_H_
#define PTXMIR_PASSES_PLACEMENT_COSTS_H_

#include <cstddef>
#include <cstdint>

#include "analysis/machine_block_frequencies.h"
#include "analysis/machine_branch_probabilities.h"

namespace ptxmir {

class PlacementCosts {
 public:
  // Where a block has more predecessors, what would look at each of them again and again is not done. LLVM's
  // -block-placement-predecessor-limit.
  static constexpr size_t kMaxPredecessors = 1000;

  explicit PlacementCosts(AnalysisManager& analyses)
      : probabilities_(analyses.Get<MachineBranchProbabilities>()),
        frequencies_(analyses.Get<MachineBlockFrequencies>()) {}

  uint64_t Frequency(const MachineBasicBlock& block) const { return frequencies_.Frequency(block); }
  BranchProbability Probability(const MachineBasicBlock& from, const MachineBasicBlock& to) const {
    return probabilities_.Probability(from, to);
  }
  uint64_t EdgeFrequency(const MachineBasicBlock& from, const MachineBasicBlock& to) const {
    return Scale(Frequency(from), Probability(from, to));
  }

 private:
  const MachineBranchProbabilities& probabilities_;
  const MachineBlockFrequencies& frequencies_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PLACEMENT_COSTS_H_
