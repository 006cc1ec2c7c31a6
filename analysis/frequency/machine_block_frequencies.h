// SPDX-License-Identifier: Apache-2.0

// machine-block-freq: how often each block is executed per entry of the function, according to branch
// probabilities.
//
// The results equal LLVM's to the last bit, so that they can be compared. block_mass.h describes the algorithm:
// the mass that enters a loop or the function is distributed along its edges, with inner loops packaged as one
// block. A loop's scale is the inverse of the mass that leaves it. Irreducible cycles become loops with several
// headers. An endless loop counts as 4,096 iterations. All arithmetic is on integers.
//
// Frequencies are integers, and only their ratios are meaningful. They are scaled so that the most frequent block
// has about 2^54, and reachable blocks have at least 1. Unreachable blocks have 0.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BLOCK_FREQUENCIES_H_
#define PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BLOCK_FREQUENCIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/frequency/machine_branch_probabilities.h"

namespace ptxmir {

class MachineBlockFrequencies : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineBlockFrequencies;
  MachineBlockFrequencies(MachineFunction& function, AnalysisManager& analyses);

  uint64_t Frequency(const MachineBasicBlock& block) const {
    return block.number() < frequencies_.size() ? frequencies_[block.number()] : 0;
  }
  // Returns true if the block is executed more often than that, by more than the rounding of frequencies can
  // explain.
  bool IsMoreOften(const MachineBasicBlock& block, double frequency) const {
    constexpr double kRounding = 1.001;
    return static_cast<double>(Frequency(block)) > frequency * kRounding;
  }
  bool IsMoreOften(const MachineBasicBlock& block, const MachineBasicBlock& than) const {
    return IsMoreOften(block, static_cast<double>(Frequency(than)));
  }
  uint64_t EntryFrequency() const { return function_.empty() ? 0 : Frequency(*function_.front()); }
  // Returns the executions of the block per `entries` executions of the function, rounded down. Saturates.
  uint64_t Executions(const MachineBasicBlock& block, uint64_t entries) const;
  uint64_t EdgeFrequency(const MachineBasicBlock& block, size_t successor) const {
    return Scale(Frequency(block), probabilities_.Probability(block, successor));
  }
  // Returns the frequency of all edges between the two blocks together.
  uint64_t EdgeFrequency(const MachineBasicBlock& from, const MachineBasicBlock& to) const {
    return Scale(Frequency(from), probabilities_.Probability(from, to));
  }

  void SetFrequency(const MachineBasicBlock& block, uint64_t frequency);
  // Adds `middle`, a new block in the middle of an edge. It has one predecessor and one successor, the two ends of
  // the former edge. `edge_frequency` is the frequency of that edge.
  void AddMiddleOfEdge(const MachineBasicBlock& middle, uint64_t edge_frequency) {
    SetFrequency(middle, edge_frequency);
  }

  // Appends LLVM's layout, except for the number of decimals.
  void Print(std::string& out) const override;
  // Frequencies relative to the entry may differ by 1/65,536, because a new block changes how masses are rounded.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  const MachineFunction& function_;
  const MachineBranchProbabilities& probabilities_;
  std::vector<uint64_t> frequencies_;  // indexed by block number
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BLOCK_FREQUENCIES_H_
