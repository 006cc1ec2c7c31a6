// SPDX-License-Identifier: Apache-2.0

// The table of passes: those on machine code, and those on LLVM IR.
//
// It lists every pass that the machine pipelines of LLVM and cicc have between instruction selection and printing,
// including those that are not implemented here. A position such as `-start-after=machine-cse` is valid for any of
// them; asking to run one that is not implemented is an error. standard_pipeline.cc defines the position of each
// pass in the pipeline and the constraints on their order.

#ifndef PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_
#define PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "passes/pass_info.h"

namespace ptxmir {

// Returns the table in cicc's order: LLVM's passes, NVIDIA's, then ours.
absl::Span<const PassInfo> PassTable();

// Returns the pass with this name or alias, or null if there is none.
const PassInfo* FindPass(std::string_view name);

// Returns "unknown pass 'x'", followed by the nearest known name if one is close.
std::string UnknownPassMessage(std::string_view name);

// Returns "pass 'x' is not implemented", for machine code, followed by the reason if one is known.
std::string AbsentPassMessage(const PassInfo& pass);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINE_PASS_TABLE_H_
