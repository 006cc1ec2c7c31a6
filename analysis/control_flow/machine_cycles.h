// SPDX-License-Identifier: Apache-2.0

// machine-cycles: the cycles of a function, including irreducible ones, as LLVM's CycleInfo defines them.
//
// The definition uses a depth-first search from the entry. An outermost cycle is a strongly connected component
// with an edge. Its header is the block that the search reaches first. Its inner cycles are those that remain
// without the edges to the header. The entries are the blocks with edges from outside. A cycle with one entry is a
// natural loop, and the entry dominates all of it. The algorithm is Havlak's ("Nesting of Reducible and
// Irreducible Loops", 1997): the blocks in reverse preorder are the candidates for headers. A walk back from the
// latches finds the blocks of a candidate's cycle, and skips each cycle found before as one node. Near-linear.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_CYCLES_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_CYCLES_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/cycle_forest.h"

namespace ptxmir {

class MachineCycles : public Analysis, public CycleForest {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineCycles;
  explicit MachineCycles(const MachineFunction& function);
  MachineCycles(MachineFunction& function, AnalysisManager&) : MachineCycles(function) {}

  // Appends LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return ForestDifferenceFrom(static_cast<const MachineCycles&>(fresh), "cycle");
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_CYCLES_H_
