// SPDX-License-Identifier: Apache-2.0

// machine-branch-prob: how likely each edge out of a block is taken, as numerators over 2^31 (BranchProbability).
//
// What the blocks say holds. Where some edges of a block are known and some are not, those share what is left evenly;
// where none is known, all are equally likely. That is what LLVM says of machine code, and what the absence of
// probabilities means in MIR.
//
// In a function that knows no probability at all (written by hand, or made by a front end without profile or
// heuristics) that would make every loop run twice. There the estimates are: edges to blocks that end neither in a
// return nor in a branch (traps) have 2^-20 each; of the others, edges that leave the innermost loop share 4/128 and
// those that stay 124/128 (the weights of LLVM's loop branch heuristic), evenly.
//
// Computed from the blocks when asked, so that it follows edits by itself.

#ifndef PTXMIR_ANALYSIS_MACHINE_BRANCH_PROBABILITIES_H_
#define PTXMIR_ANALYSIS_MACHINE_BRANCH_PROBABILITIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/machine_loops.h"

namespace ptxmir {

// floor(value * probability), for a known probability.
uint64_t Scale(uint64_t value, BranchProbability probability);

class MachineBranchProbabilities : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineBranchProbabilities;
  // What makes an edge likely: 80 of 100, rounded as LLVM rounds its -static-likely-prob.
  static constexpr BranchProbability kLikely{
      static_cast<uint32_t>((uint64_t{80} * BranchProbability::kDenominator + 50) / 100)};
  MachineBranchProbabilities(MachineFunction& function, AnalysisManager& analyses);

  // Of the edge to the successor with that number. Always known.
  BranchProbability Probability(const MachineBasicBlock& block, size_t successor) const;
  // Of all edges between the two; 0 when there is none.
  BranchProbability Probability(const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  // Those of all successors, in their order; in less time than asking for one after the other.
  void GetProbabilities(const MachineBasicBlock& block, std::vector<BranchProbability>& result) const;
  // Whether the edge is more than likely.
  bool IsHot(const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  // The successor to which the edge is hot, or null.
  MachineBasicBlock* HotSuccessor(const MachineBasicBlock& block) const;
  // Whether nothing was known.
  bool is_estimated() const { return loops_ != nullptr; }

  // LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  void Estimate(const MachineBasicBlock& block, std::vector<BranchProbability>& result) const;

  const MachineFunction& function_;
  const MachineLoops* loops_ = nullptr;  // for estimates
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_BRANCH_PROBABILITIES_H_
