// SPDX-License-Identifier: Apache-2.0

// Region splitting: keeps an interval in a register where that is most profitable, and leaves the rest to be
// spilled.
//
// As in LLVM's RAGreedy, SpillPlacement decides over which edges between blocks the value should be in a register.
// Blocks that use the value have a bias towards the register, and blocks where it does not fit have a bias towards
// the stack, all weighted by block frequencies. Reloads and stores are thus placed outside loops, and pressure in
// a loop that does not use a value is relieved around the loop. In a block where the value does not fit, it stays
// out of the register altogether; the spiller divides the rest within such blocks.
//
// Where we differ: LLVM tries each physical register and takes the cheapest solution; here there is a single
// problem, the pressure. The whole live range enters the network at once instead of growing from the uses. The
// work for all splits of a function is bounded (-ra-split-effort).

#ifndef PTXMIR_PASSES_ALLOCATE_SPLIT_REGION_SPLITTER_H_
#define PTXMIR_PASSES_ALLOCATE_SPLIT_REGION_SPLITTER_H_

#include <vector>

#include "analysis/frequency/spill_placement.h"
#include "passes/allocate/split/split_analysis.h"
#include "passes/allocate/split/split_editor.h"

namespace ptxmir {

class RegionSplitter {
 public:
  // `placement` is asked for when it is first needed.
  RegionSplitter(LiveRangeEdit& edit, AnalysisManager& analyses, uint64_t effort)
      : analyses_(analyses), edit_(edit), analysis_(edit.state()), editor_(edit), effort_left_(effort) {}

  // Splits the interval, which is not assigned. Returns true on success; `created` then contains the new
  // registers, and the remainder of the old one is to be spilled. Returns false if nothing has changed.
  bool TrySplit(const LiveInterval& interval, std::vector<Register>& created);
  // Splits the interval at arbitrary places, for tests: every second block gets the register.
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

#endif  // PTXMIR_PASSES_ALLOCATE_SPLIT_REGION_SPLITTER_H_
