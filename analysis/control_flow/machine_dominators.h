// SPDX-License-Identifier: Apache-2.0

// machine-dom-tree and machine-post-dom-tree; see dominator_tree.h.

#ifndef PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_DOMINATORS_H_
#define PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_DOMINATORS_H_

#include <string>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/dominator_tree.h"

namespace ptxmir {

class MachineDominatorTree : public Analysis, public DominatorTree {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachineDominatorTree;
  explicit MachineDominatorTree(const MachineFunction& function) : DominatorTree(function, Direction::kDominators) {}
  MachineDominatorTree(MachineFunction& function, AnalysisManager&) : MachineDominatorTree(function) {}
  void Print(std::string& out) const override { PrintTree(out); }
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return TreeDifferenceFrom(static_cast<const MachineDominatorTree&>(fresh));
  }
};

class MachinePostDominatorTree : public Analysis, public DominatorTree {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kMachinePostDominatorTree;
  explicit MachinePostDominatorTree(const MachineFunction& function)
      : DominatorTree(function, Direction::kPostDominators) {}
  MachinePostDominatorTree(MachineFunction& function, AnalysisManager&) : MachinePostDominatorTree(function) {}
  void Print(std::string& out) const override { PrintTree(out); }
  std::string DifferenceFrom(const Analysis& fresh) const override {
    return TreeDifferenceFrom(static_cast<const MachinePostDominatorTree&>(fresh));
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_CONTROL_FLOW_MACHINE_DOMINATORS_H_
