// SPDX-License-Identifier: Apache-2.0

// The standard pipeline: every pass of LLVM's and cicc's machine pipelines at its place. It includes passes that
// are not implemented here, so that positions are valid for all of them.

#ifndef PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_
#define PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "passes/pipeline/pipeline.h"

namespace ptxmir {

// Returns all steps in order, with their instances numbered.
const Pipeline& StandardPipeline();

// Returns true if a step of the standard pipeline is implemented and runs at a level, regardless of knobs.
bool RunsAtLevel(const PipelineStep& step, int opt_level);

// Returns the flags, with their dashes, that switch off every pass of the standard pipeline that can be switched off
// and have the others do only what correct code needs.
std::vector<std::string> FlagsForLeastWork();

// "a before b, because": holds for any pipeline in which both are.
struct PassOrder {
  std::string_view before;
  std::string_view after;
  std::string_view because;
};
absl::Span<const PassOrder> PassOrders();

// Returns the first constraint that the pipeline violates, as a sentence, or an empty string if there is none. A
// pass that occurs several times must satisfy every constraint each time.
std::string FindBrokenOrder(const Pipeline& pipeline);

// Returns the text of --print-passes: the standard pipeline with the steps that run at each level and the knobs
// that control them, then the passes that are in no pipeline, then the analyses.
std::string PassListText();

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_
