// SPDX-License-Identifier: Apache-2.0

// Analyzes a live interval for splitting and spilling: the instructions that name its register, in order, and for
// each block in which it is live, where it is live and whether it fits.

#ifndef PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_ANALYSIS_H_
#define PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_ANALYSIS_H_

#include <vector>

#include "passes/allocate/assignment/reg_alloc_advisors.h"

namespace ptxmir {

// An instruction that names the register. An undef use neither reads nor writes.
struct RegisterTouch {
  MachineInstr* instr = nullptr;
  SlotIndex index;
  bool reads = false;
  bool writes = false;
};

// Collects the touches in the order of the code, without debug instructions.
void CollectTouches(const AllocationState& state, Register reg, std::vector<RegisterTouch>& touches);

class SplitAnalysis {
 public:
  struct BlockInfo {
    MachineBasicBlock* block = nullptr;
    uint32_t first_touch = 0;  // [first_touch, end_touch) are indices into touches()
    uint32_t end_touch = 0;
    bool is_live_in = false;
    bool is_live_out = false;
    // Whether the interval does not fit somewhere in the block, at its beginning, and at its end.
    bool interferes = false;
    bool interferes_at_entry = false;
    bool interferes_at_exit = false;
    bool has_touches() const { return first_touch != end_touch; }
  };

  explicit SplitAnalysis(const AllocationState& state) : state_(state) {}

  // Analyzes an interval that is not assigned. O((touches + blocks) * log).
  void Analyze(const LiveInterval& interval);
  const LiveInterval& interval() const { return *interval_; }
  const std::vector<RegisterTouch>& touches() const { return touches_; }
  // Returns the blocks in which the interval is live, in layout order, including those without touches.
  const std::vector<BlockInfo>& blocks() const { return blocks_; }

 private:
  BlockInfo& InfoOf(MachineBasicBlock& block);
  void AddSegment(const LiveSegment& segment);

  const AllocationState& state_;
  const LiveInterval* interval_ = nullptr;
  std::vector<RegisterTouch> touches_;
  std::vector<BlockInfo> blocks_;
};

// Returns true if a register of the class can be added between the points without exceeding a limit.
bool FitsBetween(const LiveRegMatrix& matrix, const MachineFunction& function, RegClassId reg_class, SlotIndex start,
                 SlotIndex end);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_ALLOCATE_SPLIT_SPLIT_ANALYSIS_H_
