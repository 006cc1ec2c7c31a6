// SPDX-License-Identifier: Apache-2.0

// Splits a register in two at the borders of blocks: a new one takes its place in part of the function, and copies
// move the value between the two.
//
// LLVM's SplitEditor builds the live ranges of the parts point by point. Here the code is edited block by block, with
// at most two copies in each, and the ranges of the two registers are computed anew from it.

#ifndef PTXMIR_PASSES_ALLOCATE_SPLIT_EDITOR_H_
#define PTXMIR_PASSES_ALLOCATE_SPLIT_EDITOR_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/allocate/live_range_edit.h"
#include "passes/allocate/split_analysis.h"

namespace ptxmir {

// Where the new register has the value, for a block of SplitAnalysis.
struct BlockPlacement {
  bool at_entry = false;    // if it is live-in
  bool at_exit = false;     // if it is live-out
  bool at_touches = false;  // if the block names the register; else whether it has the value in between
};

class SplitEditor {
 public:
  explicit SplitEditor(LiveRangeEdit& edit) : edit_(edit), state_(edit.state()) {}

  // Splits the register that was analyzed; placements are by the analysis' blocks. The two must agree over edges.
  // Returns the new register. Components of both get registers of their own, which are appended to `created`, the
  // new one too.
  Register Split(const SplitAnalysis& analysis, absl::Span<const BlockPlacement> placements,
                 std::vector<Register>& created);
  uint64_t num_copies() const { return num_copies_; }

 private:
  void EditBlock(const SplitAnalysis& analysis, const SplitAnalysis::BlockInfo& info, const BlockPlacement& placement);
  void Copy(MachineBasicBlock& block, MachineInstr* before, Register from, Register to);
  void Rename(const SplitAnalysis& analysis, absl::Span<const BlockPlacement> placements);

  LiveRangeEdit& edit_;
  AllocationState& state_;
  Register old_;
  Register new_;
  uint64_t num_copies_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPLIT_EDITOR_H_
