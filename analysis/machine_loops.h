// SPDX-License-Identifier: Apache-2.0

// machine-loops: the natural loops of a function. A loop is all blocks that reach an edge from a block to one that
// dominates it, its header, without going through that header; loops of one header are one loop.
//
// Loops are found from the inside out, along the dominator tree, by walking back from the latches; loops found
// before are skipped as one. Near-linear. Irreducible cycles are no loops: see machine_cycles.h.

#ifndef PTXMIR_ANALYSIS_MACHINE_LOOPS_H_
#define PTXMIR_ANALYSIS_MACHINE_LOOPS_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/cycle_forest.h"
#include "analysis/dominator_tree.h"

namespace ptxmir {

class MachineLoops : public Analysis, public CycleForest {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineLoops;
  MachineLoops(const MachineFunction& function, const DominatorTree& dominators);
  MachineLoops(MachineFunction& function, AnalysisManager& analyses);

  bool IsHeader(const MachineBasicBlock& block) const {
    const CycleId loop = InnermostCycle(block);
    return loop != kNoCycle && Header(loop) == &block;
  }

  // LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return ForestDifferenceFrom(static_cast<const MachineLoops&>(fresh), "loop");
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_LOOPS_H_
