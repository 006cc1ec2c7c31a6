// SPDX-License-Identifier: Apache-2.0

// The steps by which the reducer makes a MIR file smaller.
//
// A step knows one kind of change (delete an instruction, keep one successor of a block ...) and its targets: the
// places in a file where the change is possible, numbered in file order. It makes the change at the targets that
// it is told to; the reducer finds out which of them are possible. A change keeps the code well-formed where that
// is easy: PHIs follow the edges, uses of a deleted value get another value that dominates them, and unreachable
// blocks go away. Otherwise the verifier rejects the file, which costs little.

#ifndef PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_
#define PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"

namespace ptxmir {

// Numbers the targets of a step in the order of the calls, and chooses those in [begin, end).
class TargetChooser {
 public:
  TargetChooser(size_t begin, size_t end) : begin_(begin), end_(end) {}

  // Returns true if the target is to be changed. To be called once for each target.
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

// A step has exactly one of the two functions: some steps work on the module, some on the text of the IR document.
struct ReductionStep {
  std::string_view name;
  void (*change_module)(Module& module, TargetChooser& chooser) = nullptr;
  // Takes the lines of the IR document, without the "---" before them and the "..." after them.
  void (*change_ir)(std::vector<std::string>& ir_lines, TargetChooser& chooser) = nullptr;
};

// Returns the steps in the order in which they should be tried: those that remove the most come first.
absl::Span<const ReductionStep> ReductionSteps();

// Renumbers blocks and virtual registers as 0, 1, ... in the order of the text.
void RenumberForReading(Module& module);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_REDUCTION_STEPS_H_
