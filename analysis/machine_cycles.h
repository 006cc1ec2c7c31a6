// SPDX-License-Identifier: Apache-2.0

// machine-cycles: the cycles of a function, irreducible ones among them, as LLVM's CycleInfo defines them.
//
// A depth-first search from the entry decides: an outermost cycle is a strongly connected component (with an edge);
// its header is the block that the search reached first; the cycles within are those that are left without the edges
// to the header. Entries are the blocks with edges from outside; a cycle with one entry is a natural loop (which then
// dominates all of it). Havlak's construction ("Nesting of Reducible and Irreducible Loops", 1997): blocks in reverse
// preorder are candidates for headers, and a walk back from their latches, which skips cycles found before as one,
// finds what belongs to them. Near-linear.

#ifndef PTXMIR_ANALYSIS_MACHINE_CYCLES_H_
#define PTXMIR_ANALYSIS_MACHINE_CYCLES_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/cycle_forest.h"

namespace ptxmir {

class MachineCycles : public Analysis, public CycleForest {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineCycles;
  explicit MachineCycles(const MachineFunction& function);
  MachineCycles(MachineFunction& function, AnalysisManager&) : MachineCycles(function) {}

  // LLVM's layout.
  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return ForestDifferenceFrom(static_cast<const MachineCycles&>(fresh), "cycle");
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_MACHINE_CYCLES_H_
