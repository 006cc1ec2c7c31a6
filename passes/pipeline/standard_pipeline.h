// SPDX-License-Identifier: Apache-2.0

// The standard pipeline: every pass of LLVM's and cicc's machine pipelines at its place, whether it exists here
// or not, so that positions make sense for all of them.

#ifndef PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_
#define PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "passes/pipeline/pipeline.h"

namespace ptxmir {

// All steps in order, with instances numbered.
const Pipeline& StandardPipeline();

// Whether a step of the standard pipeline is there to run at a level, knobs aside.
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

// The first constraint that the pipeline breaks, as a sentence; empty when there is none. A pass that stands in
// the pipeline several times must keep every constraint each time.
std::string FindBrokenOrder(const Pipeline& pipeline);

// --print-passes: the standard pipeline with what each level runs and the knobs that steer it, then the passes
// that are in no pipeline, then the analyses.
std::string PassListText();

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_
