// SPDX-License-Identifier: Apache-2.0

// Region splitting: keeps an interval in a register where that is worth most, and leaves the rest to be spilled.
//
// As LLVM's RAGreedy: where the value should be in a register over the edges between blocks is asked of
// SpillPlacement, with a bias towards the register in the blocks that use it and towards the stack in those where it
// does not fit, all weighted with how often the blocks run. So reloads and stores come to stand outside of loops, and
// pressure within a loop that does not use a value is relieved around it. In blocks where the value does not fit it
// stays out of the register altogether; the spiller divides what is left within them.
//
// Where we differ: LLVM tries each physical register and takes the cheapest solution; here there is one question, the
// pressure. The whole live range goes into the network at once instead of growing from the uses; the work for all
// splits of a function is bounded (-ra-split-effort).

#ifndef PTXMIR_PASSES_ALLOCATE_REGION_SPLITTER_H_
#define PTXMIR_PASSES_ALLOCATE_REGION_SPLITTER_H_

#include <vector>

#include "analysis/spill_placement.h"
#include "passes/allocate/split_analysis.h"
#include "passes/allocate/split_editor.h"

namespace ptxmir {

class RegionSplitter {
 public:
  // `placement` is asked for when it is first needed.
  RegionSplitter(LiveRangeEdit& edit, AnalysisManager& analyses, uint64_t effort)
      : analyses_(analyses), edit_(edit), analysis_(edit.state()), editor_(edit), effort_left_(effort) {}

  // Splits the interval, which is not assigned. On success the new registers are in `created`, and what is left of the
  // old one is to be spilled. False: nothing has changed.
  bool TrySplit(const LiveInterval& interval, std::vector<Register>& created);
  // The same, with the parts of the function chosen without reason: for tests. Every second block is in the register.
  bool SplitAtRandom(const LiveInterval& interval, uint64_t seed, std::vector<Register>& created);
  uint64_t num_splits() const { return num_splits_; }
  uint64_t num_copies() const { return editor_.num_copies(); }

 private:
  bool FindPlacement(SpillPlacement& placement);
  void AddConstraints(SpillPlacement& placement) const;

  AnalysisManager& analyses_;
  LiveRangeEdit& edit_;
  SplitAnalysis analysis_;
  SplitEditor editor_;
  uint64_t effort_left_;
  uint64_t num_splits_ = 0;
  std::vector<BlockPlacement> placements_;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_REGION_SPLITTER_H_
