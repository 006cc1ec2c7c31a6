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

// Returns all steps of the standard pipeline on LLVM IR, in order.
const Pipeline& StandardIrPipeline();

// Returns true if a step of the standard pipeline is implemented and runs at a level, regardless of knobs.
bool RunsAtLevel(const PipelineStep& step, int opt_level);

// Returns true if correct code does not need the pass: the standard pipeline has it at levels above -O0 only. Passes
// without a place in that pipeline, and those that run on request, are not optional.
bool IsOptionalPass(const PassInfo& pass);

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

// Returns the reason why a pass was not run, with the flags that would run it if there are any: "the pass did not run;
// to switch on: -enable-mcse". `ran` says for each step of the pipeline whether it ran, and is empty if no function was
// compiled. Returns an empty string if the pass ran.
std::string WhyNotRun(std::string_view name, const Pipeline& pipeline, const std::vector<bool>& ran);

// Returns the text of --print-passes: the standard pipeline with the steps that run at each level and the knobs
// that control them, then the passes that are in no pipeline, then the analyses.
std::string PassListText();

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_STANDARD_PIPELINE_H_
