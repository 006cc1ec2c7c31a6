// SPDX-License-Identifier: Apache-2.0

// Splits a register in two at block boundaries: a new register replaces it in part of the function, and copies
// move the value between the two.
//
// LLVM's SplitEditor builds the live ranges of the parts point by point. Here the code is edited block by block,
// with at most two copies per block, and the ranges of the two registers are recomputed from the code.

#ifndef PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_EDITOR_H_
#define PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_EDITOR_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/allocate/assignment/live_range_edit.h"
#include "passes/allocate/split/split_analysis.h"

namespace ptxmir {

// The places in a block of SplitAnalysis where the new register has the value.
struct BlockPlacement {
  bool at_entry = false;    // if the value is live-in
  bool at_exit = false;     // if the value is live-out
  bool at_touches = false;  // at the instructions that name the register; if there are none, in between
};

class SplitEditor {
 public:
  explicit SplitEditor(LiveRangeEdit& edit) : edit_(edit), state_(edit.state()) {}

  // Splits the register that was analyzed. `placements` has an entry for each block of the analysis; the
  // placements of two blocks must agree on the edge between them. Returns the new register. Each connected
  // component of both registers gets its own register. Appends all new registers to `created`, including the
  // returned one.
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

#endif  // PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_EDITOR_H_
