// SPDX-License-Identifier: Apache-2.0

// The one table of machine passes.
//
// It names every pass that LLVM's and cicc's machine pipelines have between instruction selection and printing,
// also those that do not exist here (yet): a position such as `-start-after=machine-cse` makes sense for them,
// running them does not, and asking for that is an error. Where a pass stands in the pipeline is said in
// standard_pipeline.cc, and which must come before which in pass_order.cc.

#ifndef PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_
#define PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "passes/pass_info.h"

namespace ptxmir {

// In the order of the reference: LLVM's passes, NVIDIA's, ours.
absl::Span<const PassInfo> PassTable();

// By name or alias. Null when there is no pass of that name.
const PassInfo* FindPass(std::string_view name);

// "unknown pass 'x'", with the nearest known name when one is near.
std::string UnknownPassMessage(std::string_view name);

// "pass 'x' is not implemented", with the reason where one is known.
std::string AbsentPassMessage(const PassInfo& pass);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_
