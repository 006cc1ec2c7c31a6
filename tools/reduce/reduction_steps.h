// SPDX-License-Identifier: Apache-2.0

// The steps by which the reducer makes a MIR file smaller.
//
// A step knows one kind of change (delete an instruction, keep one successor of a block ...) and where in a file it
// can be made: its targets, which it numbers in the order of the file. Applied, it makes the change at those targets
// that it is told to; the reducer finds out which of them it can have. A change keeps the code well-formed where that
// is easy (PHIs follow the edges, uses of a deleted value get another one that dominates them, blocks that nothing
// reaches go away); where it is not, the verifier refuses the file and the change has cost little.

#ifndef PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_
#define PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"

namespace ptxmir {

// Numbers the targets of a step in the order in which it asks, and says which of them to change: those in
// [begin, end).
class TargetChooser {
 public:
  TargetChooser(size_t begin, size_t end) : begin_(begin), end_(end) {}

  // To be called once for each target.
  bool Choose() {
    const size_t number = num_targets_++;
    return number >= begin_ && number < end_;
  }
  size_t num_targets() const { return num_targets_; }

 private:
  size_t begin_;
  size_t end_;
  size_t num_targets_ = 0;
};

// A step has either of the two: some work on what was read, some on the text of the IR document.
struct ReductionStep {
  std::string_view name;
  void (*change_module)(Module& module, TargetChooser& chooser) = nullptr;
  // The lines of the IR document, without the "---" before and the "..." behind them.
  void (*change_ir)(std::vector<std::string>& ir_lines, TargetChooser& chooser) = nullptr;
};

// In the order in which they should be tried: what makes the most disappear comes first.
absl::Span<const ReductionStep> ReductionSteps();

// Gives blocks and virtual registers the numbers 0, 1, ... in the order of the text.
void RenumberForReading(Module& module);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_
