// SPDX-License-Identifier: Apache-2.0

// machine-loops: the natural loops of a function. An edge from a block to a header that dominates it forms a loop:
// all blocks that reach the edge without going through the header. Loops with the same header are one loop.
//
// Loops are found from the inside out, along the dominator tree, by walking back from the latches. Loops found
// before are skipped as one node. Near-linear. Irreducible cycles are not loops; see machine_cycles.h.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_LOOPS_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_LOOPS_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/cycle_forest.h"
#include "analysis/control_flow/dominator_tree.h"

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

  // Appends LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return ForestDifferenceFrom(static_cast<const MachineLoops&>(fresh), "loop");
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_LOOPS_H_
