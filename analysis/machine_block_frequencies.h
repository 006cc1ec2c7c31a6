// SPDX-License-Identifier: Apache-2.0

// machine-block-freq: how often each block is executed for each time that the function is entered, by the
// probabilities of branches.
//
// LLVM's algorithm, to the last bit, so that figures can be compared (block_mass.h describes it): the mass that enters
// a loop or the function is distributed along its edges, inner loops packaged as one block; a loop's scale is the
// inverse of the mass that leaves it; irreducible cycles become loops with several headers. An endless loop counts as
// 4,096 turns. Integer arithmetic only.
//
// Frequencies are integers of which only the ratios mean something: scaled so that the most frequent block has about
// 2^54, and 1 at least for what is reached at all. Blocks that cannot be reached have 0.

#ifndef PTXMIR_ANALYSIS_MACHINE_BLOCK_FREQUENCIES_H_
#define PTXMIR_ANALYSIS_MACHINE_BLOCK_FREQUENCIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/machine_branch_probabilities.h"

namespace ptxmir {

class MachineBlockFrequencies : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineBlockFrequencies;
  MachineBlockFrequencies(MachineFunction& function, AnalysisManager& analyses);

  uint64_t Frequency(const MachineBasicBlock& block) const {
    return block.number() < frequencies_.size() ? frequencies_[block.number()] : 0;
  }
  // By more than the rounding of frequencies may account for.
  bool IsMoreOften(const MachineBasicBlock& block, double frequency) const {
    constexpr double kRounding = 1.001;
    return static_cast<double>(Frequency(block)) > frequency * kRounding;
  }
  bool IsMoreOften(const MachineBasicBlock& block, const MachineBasicBlock& than) const {
    return IsMoreOften(block, static_cast<double>(Frequency(than)));
  }
  uint64_t EntryFrequency() const { return function_.empty() ? 0 : Frequency(*function_.front()); }
  // Executions for `entries` executions of the function, rounded down; saturates.
  uint64_t Executions(const MachineBasicBlock& block, uint64_t entries) const;
  uint64_t EdgeFrequency(const MachineBasicBlock& block, size_t successor) const {
    return Scale(Frequency(block), probabilities_.Probability(block, successor));
  }
  // Of all edges between the two.
  uint64_t EdgeFrequency(const MachineBasicBlock& from, const MachineBasicBlock& to) const {
    return Scale(Frequency(from), probabilities_.Probability(from, to));
  }

  void SetFrequency(const MachineBasicBlock& block, uint64_t frequency);
  // `middle` is new, with nothing but an edge from and one to the ends of what was an edge of that frequency.
  void AddMiddleOfEdge(const MachineBasicBlock& middle, uint64_t edge_frequency) {
    SetFrequency(middle, edge_frequency);
  }

  // LLVM's layout, but for the number of decimals.
  void Print(std::string& out) const override;
  // Frequencies relative to the entry's may differ by a 65,536th: a new block changes how masses are rounded.
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  const MachineFunction& function_;
  const MachineBranchProbabilities& probabilities_;
  std::vector<uint64_t> frequencies_;  // by block number
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_BLOCK_FREQUENCIES_H_
