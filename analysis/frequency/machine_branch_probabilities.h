// SPDX-License-Identifier: Apache-2.0

// machine-branch-prob: how likely each edge out of a block is taken, as a numerator over 2^31 (BranchProbability).
//
// The probabilities in the blocks are authoritative. If some edges of a block are known and others are not, the
// unknown edges share the rest evenly. If none is known, all are equally likely. LLVM does the same for machine
// code, and that is the meaning of missing probabilities in MIR.
//
// If a function has no probabilities at all (written by hand, or by a front end without a profile or heuristics),
// every loop would run twice under that rule. The analysis then estimates: edges to blocks that end neither in a
// return nor in a branch (traps) have 2^-20 each. Of the other edges, those that leave the innermost loop share
// 4/128 evenly, and those that stay in it share 124/128 (the weights of LLVM's loop branch heuristic).
//
// Queries compute their answers from the blocks, so the analysis follows edits automatically.

#ifndef PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BRANCH_PROBABILITIES_H_
#define PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BRANCH_PROBABILITIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/machine_loops.h"

namespace ptxmir {

// Returns floor(value * probability). The probability must be known.
uint64_t Scale(uint64_t value, BranchProbability probability);

class MachineBranchProbabilities : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineBranchProbabilities;
  // An edge is hot if it is likelier than this: 80 of 100, rounded as LLVM rounds its -static-likely-prob.
  static constexpr BranchProbability kLikely{
      static_cast<uint32_t>((uint64_t{80} * BranchProbability::kDenominator + 50) / 100)};
  MachineBranchProbabilities(MachineFunction& function, AnalysisManager& analyses);

  // Returns the probability of the edge to the successor with that index. It is always known.
  BranchProbability Probability(const MachineBasicBlock& block, size_t successor) const;
  // Returns the probability of all edges between the two blocks together; 0 if there is none.
  BranchProbability Probability(const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  // Sets `result` to the probabilities of all successors, in order. This is faster than asking for each.
  void GetProbabilities(const MachineBasicBlock& block, std::vector<BranchProbability>& result) const;
  // Returns true if the edge is likelier than kLikely.
  bool IsHot(const MachineBasicBlock& from, const MachineBasicBlock& to) const;
  // Returns the successor at the end of the hot edge, or null if there is none.
  MachineBasicBlock* HotSuccessor(const MachineBasicBlock& block) const;
  // Returns true if the function has no probabilities.
  bool is_estimated() const { return loops_ != nullptr; }

  // Appends LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

 private:
  void Estimate(const MachineBasicBlock& block, std::vector<BranchProbability>& result) const;

  const MachineFunction& function_;
  const MachineLoops* loops_ = nullptr;  // non-null if probabilities are estimated
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_FREQUENCY_MACHINE_BRANCH_PROBABILITIES_H_
